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
const PATIENCE_MS = 100_000;

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
    const table = (): string => `t_${randomUUID().replaceAll('-', '')}`;
    beforeAll(async () => {
      store = await start();
      client = historyClient(store.address);
      await applyTables(client);
    });
    afterAll(async () => {
      await client.close();
      await store.stop();
    });

    it('answers a ping, with and without the engine', async () => {
      await client.ping();
      expect((await client.plain.ping()).success).toBe(true);
    });

    it('binds parameters of all kinds byte for byte', async () => {
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
    });

    it('refuses a query without one of its parameters, or of which it knows no table', async () => {
      for (const sql of ['SELECT {a:UInt8}', 'SELECT * FROM nowhere', 'SELECT 1; SELECT 2'])
        expect(await codeOf(client.rows(sql))).toBe('history.query_failed');
    });

    it('keeps the parameters of queries apart that run at the same time', async () => {
      const all = Array.from({ length: 40 }, (_, i) => client.rows<{ n: number }>('SELECT {n:UInt32} AS n, sleep(0.005)', { n: i }));
      expect((await Promise.all(all)).map(([row]) => row!.n)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    });

    it('streams a result in parts', async () => {
      let rows = 0;
      let parts = 0;
      for await (const part of client.stream<{ number: number }>('SELECT number FROM numbers(500000)')) {
        rows += part.length;
        parts += 1;
      }
      expect(rows).toBe(500_000);
      expect(parts).toBeGreaterThan(3);
    });

    it('reports an error within a stream', async () => {
      const read = async (): Promise<number> => {
        let rows = 0;
        for await (const part of client.stream(
          'SELECT throwIf(number = 400000) FROM numbers(500000) SETTINGS max_block_size = 10000, max_threads = 1',
        ))
          rows += part.length;
        return rows;
      };
      expect(await codeOf(read())).toBe('history.query_failed');
    });

    it.each(['RowBinary', 'Native'] as const)('inserts %s bodies byte for byte', async (format) => {
      const name = table();
      await client.command(
        `CREATE TABLE ${name} (a UInt32, b String, v Nullable(Int32), twice UInt64 MATERIALIZED a * 2) ENGINE = MergeTree ORDER BY a`,
      );
      await client.insert({ table: name, columns: ['a', 'b', 'v'], format: 'RowBinary', body: rowBinary(100_000), token: null });
      if (format === 'Native') {
        const chunks: Uint8Array[] = [];
        for await (const chunk of client.bytes(`SELECT v, b, a FROM ${name} FORMAT Native`)) chunks.push(chunk);
        await client.command(`TRUNCATE TABLE ${name}`);
        await client.insert({ table: name, columns: ['a', 'b', 'v'], format, body: chunks, token: null });
      }
      const [row] = await client.rows(
        `SELECT toUInt32(count()) AS n, toUInt32(uniqExact(a)) AS different, groupUniqArray(hex(b)) AS text, toUInt32(countIf(v IS NULL)) AS nulls, sum(twice) = 2 * sum(a) AS computed FROM ${name}`,
      );
      expect(row).toEqual({ n: 100_000, different: 100_000, text: [TRICKY.toString('hex').toUpperCase()], nulls: 100_000, computed: 1 });
      await client.command(`DROP TABLE ${name}`);
    });

    it('takes nothing of a body that ends too early', async () => {
      const name = table();
      await client.command(`CREATE TABLE ${name} (a UInt32, b String, v Nullable(Int32)) ENGINE = MergeTree ORDER BY a`);
      const body = rowBinary(1000).subarray(0, 8500);
      expect(await codeOf(client.insert({ table: name, columns: ['a', 'b', 'v'], format: 'RowBinary', body, token: null }))).toBe(
        'history.query_failed',
      );
      expect(await client.rows(`SELECT * FROM ${name}`)).toEqual([]);
      await client.command(`DROP TABLE ${name}`);
    });

    it('ignores a repeated insert with the same token, only on a table with a window', async () => {
      const [plain, windowed] = [table(), table()];
      await client.command(`CREATE TABLE ${plain} (a UInt32) ENGINE = MergeTree ORDER BY a`);
      await client.command(
        `CREATE TABLE ${windowed} (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100`,
      );
      const body = Buffer.from([1, 0, 0, 0]);
      for (const name of [plain, windowed])
        for (const token of ['x', 'x', 'y']) await client.insert({ table: name, columns: ['a'], format: 'RowBinary', body, token });
      expect(await client.rows(`SELECT toUInt32(count()) AS n FROM ${plain}`)).toEqual([{ n: 3 }]);
      expect(await client.rows(`SELECT toUInt32(count()) AS n FROM ${windowed}`)).toEqual([{ n: 2 }]);
      for (const name of [plain, windowed]) await client.command(`DROP TABLE ${name}`);
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

    it('refuses a wrong password, and a database that is not there', async () => {
      const wrong = historyClient({ ...store.address, password: 'wrong' });
      expect(await codeOf(wrong.rows('SELECT 1'))).toBe('history.forbidden');
      await wrong.close();
      const elsewhere = historyClient({ ...store.address, database: 'nowhere' });
      expect(await codeOf(elsewhere.rows('SELECT 1'))).toBe('history.query_failed');
      await elsewhere.close();
    });

    it('ends a query that takes longer than it may', async () => {
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

    const untilRunning = (count: number): Promise<unknown> =>
      until(async () => (await running()) === count, `${count} queries`, PATIENCE_MS);

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
      const name = table();
      await client.command(`CREATE TABLE ${name} (a UInt32) ENGINE = MergeTree ORDER BY a`);
      const end = await hold(limits.storeReaders - 1);
      await client.insert({ table: name, columns: ['a'], format: 'RowBinary', body: Buffer.alloc(4000), token: null });
      expect(await client.rows(`SELECT toUInt32(count()) AS n FROM ${name}`)).toEqual([{ n: 1000 }]);
      await end();
      await client.command(`DROP TABLE ${name}`);
    });

    it('creates tables again that are lost', async () => {
      const other = historyClient({ ...store.address, database: `lost_${randomUUID().slice(0, 8)}` });
      await applyTables(other);
      await other.command('DROP TABLE flights');
      expect((await applyTables(other)).applied).toEqual(steps.map(({ version }) => version));
      expect(await other.rows('SELECT count() AS n FROM flights')).toEqual([{ n: 0 }]);
      expect((await applyTables(other)).applied).toEqual([]);
      await other.command('DROP DATABASE {name:Identifier}', { name: other.address.database });
      await other.close();
    });

    it('refuses tables of an early or a newer version, and other engines', async () => {
      const other = historyClient({ ...store.address, database: `newer_${randomUUID().slice(0, 8)}` });
      await applyTables(other);
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
