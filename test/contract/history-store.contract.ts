// Every history store does this: the part of ClickHouse's HTTP protocol that our code uses. Run against the embedded store, and against a real server where one is named.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyTables } from '../../pipeline/store/apply-tables.ts';
import { type HistoryAddress, type HistoryClient, historyClient } from '../../pipeline/store/client.ts';
import { steps } from '../../schemas/clickhouse/ddl.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { until } from '../support/until.ts';

export interface StoreUnderTest {
  readonly address: HistoryAddress;
  stop(): Promise<void>;
}

const LONG = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1 SETTINGS max_threads = 1';

/** A server stops a query when its client goes away only if asked; the embedded store always does. */
const CANCELLABLE = { cancel_http_readonly_queries_on_client_close: 1 } as const;
/** Longer than any test may take. */
const HOLD_S = 600;
const WAIT_MS = 100_000;

/** Bytes that text cannot hold: an invalid UTF-8 sequence, a line feed, a null. */
const TRICKY = Buffer.from([0xff, 0x0a, 0x00]);

function rowBinary(count: number): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, i) => {
      const row = Buffer.alloc(9);
      row.writeUInt32LE(i, 0);
      row[4] = TRICKY.length;
      TRICKY.copy(row, 5);
      // 1 says null. A value would follow as four bytes.
      row[8] = 1;
      return row;
    }),
  );
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof SquitterError ? error.code : String(error)),
  );

export function historyStoreContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`history store: ${name}`, () => {
    let store: StoreUnderTest;
    let client: HistoryClient;
    /** A new table; its name. */
    const tableOf = async (columns: string, settings = ''): Promise<string> => {
      const name = `t_${randomUUID().replaceAll('-', '')}`;
      await client.command(`CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY a ${settings}`);
      return name;
    };
    const elsewhere = (change: Partial<HistoryAddress>): HistoryClient => historyClient({ ...store.address, ...change });
    beforeAll(async () => {
      store = await start();
      client = historyClient(store.address);
      await applyTables(client);
    });
    afterAll(async () => {
      await client.close();
      await store.stop();
    });

    it('binds parameters of all kinds byte for byte, keeps those of queries apart that run at the same time, and answers pings', async () => {
      expect((await client.plain.ping()).success).toBe(true);
      const text = `it's \\ "x" \n\t {b:String} -- ; é€😀`;
      const sql = `SELECT {a:String} AS a, {n:UInt32} AS n, {l:Array(String)} AS l, {t:DateTime64(6, 'UTC')} AS t, {z:Nullable(Int32)} AS z, {f:Float64} AS f, {y:Bool} AS y, '{n:UInt32}' AS quoted /* {missing:Int8} */`;
      const time = new Date('2026-02-28T23:59:59.123Z');
      const [row] = await client.rows(sql, { a: text, n: 7, l: [text, "b'"], t: time, z: null, f: -1.5, y: true });
      expect(row).toEqual({
        a: text,
        n: 7,
        l: [text, "b'"],
        t: '2026-02-28 23:59:59.123000',
        z: null,
        f: -1.5,
        y: true,
        quoted: '{n:UInt32}',
      });
      const all = Array.from({ length: 40 }, (_, i) => client.rows<{ n: number }>('SELECT {n:UInt32} AS n, sleep(0.005)', { n: i }));
      expect((await Promise.all(all)).map(([one]) => one!.n)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      for (const refused of ['SELECT {a:UInt8}', 'SELECT * FROM nowhere', 'SELECT 1; SELECT 2'])
        expect(await codeOf(client.rows(refused))).toBe('history.query_failed');
    });

    it('streams a result in parts, and reports an error within it', async () => {
      let parts = 0;
      const read = async (sql: string): Promise<number> => {
        let rows = 0;
        for await (const part of client.stream(sql)) {
          rows += part.length;
          parts += 1;
        }
        return rows;
      };
      expect(await read('SELECT number FROM numbers(500000)')).toBe(500_000);
      expect(parts).toBeGreaterThan(3);
      const failing = 'SELECT throwIf(number = 400000) FROM numbers(500000) SETTINGS max_block_size = 10000, max_threads = 1';
      expect(await codeOf(read(failing))).toBe('history.query_failed');
    });

    it('inserts RowBinary and Native bodies byte for byte, and takes nothing of one that ends too early', async () => {
      const name = await tableOf('a UInt32, b String, v Nullable(Int32), twice UInt64 MATERIALIZED a * 2');
      const insert = (format: 'RowBinary' | 'Native', body: Uint8Array | Uint8Array[]) =>
        client.insert({ table: name, columns: ['a', 'b', 'v'], format, body, token: null });
      expect(await codeOf(insert('RowBinary', rowBinary(1000).subarray(0, 8500)))).toBe('history.query_failed');
      expect(await client.rows(`SELECT * FROM ${name}`)).toEqual([]);
      const expectRows = async (): Promise<void> => {
        const [row] = await client.rows(
          `SELECT toUInt32(count()) AS n, toUInt32(uniqExact(a)) AS different, groupUniqArray(hex(b)) AS text, toUInt32(countIf(v IS NULL)) AS nulls, sum(twice) = 2 * sum(a) AS computed FROM ${name}`,
        );
        expect(row).toEqual({ n: 100_000, different: 100_000, text: [TRICKY.toString('hex').toUpperCase()], nulls: 100_000, computed: 1 });
      };
      await insert('RowBinary', rowBinary(100_000));
      await expectRows();
      const chunks: Uint8Array[] = [];
      for await (const chunk of client.bytes(`SELECT v, b, a FROM ${name} FORMAT Native`)) chunks.push(chunk);
      await client.command(`TRUNCATE TABLE ${name}`);
      await insert('Native', chunks);
      await expectRows();
    });

    it('ignores a repeated insert with the same token, only on a table with a window', async () => {
      for (const [settings, n] of [
        ['', 3],
        ['SETTINGS non_replicated_deduplication_window = 100', 2],
      ] as const) {
        const name = await tableOf('a UInt32', settings);
        for (const token of ['x', 'x', 'y'])
          await client.insert({ table: name, columns: ['a'], format: 'RowBinary', body: Buffer.from([1, 0, 0, 0]), token });
        expect(await client.rows(`SELECT toUInt32(count()) AS n FROM ${name}`)).toEqual([{ n }]);
      }
    });

    it('lets no setting of one query reach another', async () => {
      const at = (settings: Record<string, string | number>) =>
        client.rows<{ block: string; threads: string }>(
          "SELECT toString(getSetting('max_block_size')) AS block, toString(getSetting('max_result_rows')) AS threads",
          undefined,
          { settings },
        );
      const [before] = await at({});
      expect(await at({ max_block_size: '777', max_result_rows: '5' })).toEqual([{ block: '777', threads: '5' }]);
      await client.command('DROP TABLE IF EXISTS nothing_there', undefined, { settings: { max_block_size: '778' } });
      expect(await codeOf(client.command('DROP TABLE nothing_there', undefined, { settings: { max_block_size: '779' } }))).toBe(
        'history.query_failed',
      );
      for (let i = 0; i < 12; i += 1) expect(await at({})).toEqual([before]);
    });

    it('refuses a wrong password and a database that is not there, and ends a query that takes longer than it may', async () => {
      for (const [change, code] of [
        [{ password: 'wrong' }, 'history.forbidden'],
        [{ database: 'nowhere' }, 'history.query_failed'],
      ] as const) {
        const other = elsewhere(change);
        expect(await codeOf(other.rows('SELECT 1'))).toBe(code);
        await other.close();
      }
      expect(await codeOf(client.rows(LONG, undefined, { secondsMax: 1 }))).toBe('history.query_too_long');
      await untilRunning(0);
    });

    /** Our long queries that the engine still works on. */
    const running = async (): Promise<number> => {
      const rows = await client.rows<{ n: number }>(
        "SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE '%sipHash64(number) = 1%' AND query NOT LIKE '%processes%'",
      );
      return rows[0]!.n;
    };

    const untilRunning = (count: number): Promise<unknown> => until(async () => (await running()) === count, `${count} queries`, WAIT_MS);

    /** Long queries that all run until `end` is called: no time limit can end them first, however slow the machine is. */
    const hold = async (count: number, sql = LONG) => {
      const abort = new AbortController();
      const options = { signal: abort.signal, settings: CANCELLABLE, secondsMax: HOLD_S };
      const outcomes = Array.from({ length: count }, () => codeOf(client.rows(sql, undefined, options)));
      await untilRunning(count);
      return async (): Promise<void> => {
        abort.abort();
        expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['history.cancelled']));
        await untilRunning(0);
      };
    };

    it.each([
      ['long queries run', 3, LONG],
      ['it computes a scalar subquery', 1, `SELECT (${LONG}) AS a`],
    ])('answers a short query while %s, and stops the engine when their clients go away', async (_, count, sql) => {
      const end = await hold(count, sql);
      expect(await client.rows('SELECT 1 AS a')).toEqual([{ a: 1 }]);
      expect(await running()).toBe(count);
      await end();
    });

    it('inserts while every session reads', async () => {
      const name = await tableOf('a UInt32');
      const end = await hold(limits.storeReaders - 1);
      await client.insert({ table: name, columns: ['a'], format: 'RowBinary', body: Buffer.alloc(4000), token: null });
      expect(await client.rows(`SELECT toUInt32(count()) AS n FROM ${name}`)).toEqual([{ n: 1000 }]);
      await end();
    });

    it('creates tables again that are lost, and refuses those of an early or a newer version, and other engines', async () => {
      const other = elsewhere({ database: `lost_${randomUUID().slice(0, 8)}` });
      await applyTables(other);
      await other.command('DROP TABLE flights');
      expect((await applyTables(other)).applied).toEqual(steps.map(({ version }) => version));
      expect(await other.rows('SELECT count() AS n FROM flights')).toEqual([{ n: 0 }]);
      expect((await applyTables(other)).applied).toEqual([]);
      expect(await codeOf(applyTables(other, 'replicated'))).not.toBe('none');
      await other.command("INSERT INTO schema_versions VALUES (999, 'later', 'plain')");
      expect(await codeOf(applyTables(other))).toBe('history.newer_tables');
      await other.command('TRUNCATE TABLE schema_versions');
      await other.command("INSERT INTO schema_versions VALUES (7, 'network_counts', 'plain')");
      expect(await codeOf(applyTables(other))).toBe('history.early_tables');
      await other.command('DROP DATABASE {name:Identifier}', { name: other.address.database });
      await other.close();
    });
  });
}
