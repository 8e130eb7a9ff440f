// The history store killed while it takes inserts, and on a full disk: no acknowledged row is lost, no repeated one counts twice.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreChild } from '../../infra/history-store/store-child.ts';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { positionOrder } from '../../pipeline/project/position-projection.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { insertWhole } from '../../pipeline/project/whole-insert.ts';
import { applyTables } from '../../pipeline/store/apply-tables.ts';
import type { HistoryClient } from '../../pipeline/store/client.ts';
import { damagedParts } from '../../pipeline/store/retention.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { createSmallDisk, type SmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const disks = smallDisks();
const KILLS = 3;
const ROWS_PER_INSERT = 2000;
const MIB = 1024 ** 2;
const NICENESS_MAX = 19;
const COLUMNS = ['time', 'icao24', 'latitudeMicrodeg', 'longitudeMicrodeg', 'frameOffset'];
/** By which a repeated insert is found again. */
const ORDERED_COLUMNS = [...COLUMNS, 'frameIndex'];

/** Rows that do not compress, so that a disk fills. `number` makes them different from those of other inserts. */
function body(number: number, rows = ROWS_PER_INSERT): Buffer {
  const bytes = Buffer.alloc(rows * 28);
  let random = number * 2_654_435_761 + 1;
  const next = (): number => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return random;
  };
  const startUs = BigInt(Date.now()) * 1000n;
  for (let row = 0; row < rows; row += 1) {
    const at = row * 28;
    bytes.writeBigInt64LE(startUs + BigInt(next() % 1_000_000), at);
    bytes.writeUInt32LE(next() % 0x100_0000, at + 8);
    bytes.writeInt32LE(next() % 90_000_000, at + 12);
    bytes.writeInt32LE(next() % 180_000_000, at + 16);
    bytes.writeBigInt64LE(BigInt(number) * 1_000_000n + BigInt(row), at + 20);
  }
  return bytes;
}

const insert = (client: HistoryClient, number: number, rows?: Buffer): Promise<void> =>
  client.insert({ table: 'positions', columns: COLUMNS, format: 'RowBinary', body: rows ?? body(number), token: `test-${number}` });

/** The same rows as a block of a sink. */
function blockOf(number: number): NativeBlock {
  const bytes = body(number);
  const block = new NativeBlock(ORDERED_COLUMNS.map((name) => positions.columns.find((column) => column.name === name)!));
  for (let at = 0; at < bytes.length; at += 28) {
    const longs = [bytes.readBigInt64LE(at), bytes.readBigInt64LE(at + 20)].map(Number);
    const row = [longs[0]!, bytes.readUInt32LE(at + 8), bytes.readInt32LE(at + 12), bytes.readInt32LE(at + 16), longs[1]!, 0];
    block.columns.forEach((column, i) => {
      column.add(row[i]!);
    });
  }
  return block;
}

/** Inserts as a sink does, until the store has the rows. Returns the attempts. Error: one that is not retriable. */
async function insertSurely(client: HistoryClient, number: number): Promise<number> {
  const writer = storeWriter(client);
  const block = blockOf(number);
  const rowOrder = { partition: 0, ...positionOrder };
  const batch = { table: 'positions', token: `test-${number}`, rows: block.rows, block, rowOrder };
  for (let attempts = 1; ; attempts += 1) {
    try {
      await insertWhole(writer, batch, attempts > 1, new AbortController().signal);
      return attempts;
    } catch (error) {
      if (!(error instanceof SquitterError) || !error.retriable) throw error;
      await sleep(50);
    }
  }
}

/** The engine follows the link into the disk's namespace and finds nothing there: its process enters the namespace itself. */
function onDisk({ path, launcher }: SmallDisk) {
  return { folder: /^\/proc\/\d+\/root(.*)$/.exec(path)![1]!, launcher };
}

interface Counts {
  readonly rows: number;
  readonly different: number;
  readonly days: number;
  readonly cells: number;
}

async function counts(client: HistoryClient): Promise<Counts> {
  const one = async (sql: string): Promise<number> => (await client.rows<{ n: number }>(sql))[0]!.n;
  return {
    rows: await one('SELECT toUInt32(count()) AS n FROM positions'),
    different: await one('SELECT toUInt32(uniqExact(frameOffset)) AS n FROM positions'),
    days: await one('SELECT toUInt32(sum(positions)) AS n FROM aircraft_days'),
    cells: await one('SELECT toUInt32(sum(positions)) AS n FROM density_hours'),
  };
}

/** Field 19 of proc_pid_stat(5), behind the name in brackets. */
function niceOf(stat: string): number {
  return Number(stat.split(') ')[1]!.split(' ')[16]);
}

const all = (n: number): Counts => ({ rows: n, different: n, days: n, cells: n });

const isRestarted = (child: StoreChild, restarts: number) =>
  until(() => child.restarts() === restarts && child.answers(), `restart ${restarts}`);

describe.skipIf(!engine.met)(`one history store ${engine.reason}`, () => {
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());

  it('answers a request whose address is none with an error, and goes on', async () => {
    const response = await fetch(`${store.child.url}//`);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Code: 62')]);
    expect(await store.client.rows('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(store.child.restarts()).toBe(0);
  });

  it('answers a request without a password, whatever its id is, and goes on', async () => {
    for (const id of ['%0a', '%e2%82%ac', 'a%0d%0aset-cookie:%20a']) {
      const response = await fetch(`${store.child.url}/?query_id=${id}&query=SELECT+1`);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Code: 516')]);
      expect([response.headers.get('x-clickhouse-query-id'), response.headers.get('set-cookie')]).toEqual(['', null]);
    }
    expect(store.child.restarts()).toBe(0);
  });

  it.skipIf(process.platform !== 'linux')('gives way to live data with all its threads', async () => {
    const long = store.client.rows('SELECT sum(sipHash64(number)) AS n FROM numbers_mt(30000000)');
    const pid = store.child.pid()!;
    await long;
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    // The engine gives the one that watches its memory the highest priority, where it may.
    const nices = threads.filter((stat) => !stat.includes('(MemoryWorker)')).map(niceOf);
    expect(nices.length).toBeGreaterThan(1);
    expect(new Set(nices)).toEqual(new Set([Math.min(NICENESS_MAX, getPriority() + historyLimits.storeNiceness)]));
  });

  it('whose folder is removed begins a new one', async () => {
    const { child, client, folder, lines } = store;
    await insert(client, 1);
    rmSync(folder, { recursive: true });
    await isRestarted(child, 1);
    expect(lines.join('\n')).toContain(`the folder ${folder} was removed or replaced`);
    await applyTables(client);
    await insert(client, 2);
    expect(await counts(client)).toEqual(all(ROWS_PER_INSERT));
  });

  it('names parts that it sets aside because their files are damaged', async () => {
    const { child, client } = store;
    await client.command('TRUNCATE TABLE positions');
    await insert(client, 0);
    const [part] = await client.rows<{ path: string }>("SELECT path FROM system.parts WHERE active AND table = 'positions'");
    truncateSync(join(part!.path, 'data.bin'), 10);
    process.kill(child.pid()!, 'SIGKILL');
    await isRestarted(child, 2);
    expect(await damagedParts(client)).toEqual([
      { table: 'positions', name: expect.stringContaining('broken'), reason: 'broken-on-start' },
    ]);
    expect((await counts(client)).rows).toBe(0);
  });
});

// The first one waits most of its time.
describe.skipIf(!engine.met).concurrent(`the history store ${engine.reason}`, () => {
  it('that hangs because it is frozen says so, is started again, and is ended by a stop', async ({ onTestFinished }) => {
    const silentMsMax = historyLimits.storeSilentMsWarned + 2000;
    const store = await startHistoryStore({ start: { silentMsMax } });
    onTestFinished(() => store.stop());
    const { child, client } = store;
    const pid = child.pid()!;
    process.kill(pid, 'SIGSTOP');
    const problem = await until(() => child.problem(), 'a problem');
    expect(problem).toMatch(/^the history store has not responded for \d+ s$/);
    expect(child.answers()).toBe(false);
    await isRestarted(child, 1);
    const frozen = child.pid()!;
    expect(frozen).not.toBe(pid);
    expect(await client.rows('SELECT count() AS n FROM positions')).toEqual([{ n: 0 }]);
    expect(store.lines.filter((line) => line.includes('has not responded for too long'))).toHaveLength(1);

    process.kill(frozen, 'SIGSTOP');
    await child.stop();
    expect(() => process.kill(frozen, 0)).toThrow('ESRCH');
  });

  it('that hangs in its start is ended by a stop', async () => {
    // The first attempt fails, the second one hangs.
    const folder = mkdtempSync(join(tmpdir(), 'squitter-hangs-'));
    const launcher = ['/bin/sh', '-c', `test -e ${folder}/once && echo $$ > ${folder}/pid && exec sleep 600; touch ${folder}/once`];
    const hanging = await startHistoryStore({ tables: false, start: { launcher, keepsTrying: true } });
    const pid = Number(await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8')));
    await hanging.stop();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    rmSync(folder, { recursive: true });
  });

  it(`killed ${KILLS} times while it takes inserts has every row once, and counts as many`, async ({ onTestFinished }) => {
    const store = await startHistoryStore();
    onTestFinished(() => store.stop());
    const { client, child } = store;
    let stopping = false;
    let inserts = 0;
    let repeats = 0;
    const load = (async () => {
      while (!stopping) {
        repeats += (await insertSurely(client, inserts)) - 1;
        inserts += 1;
      }
    })();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = inserts;
      await until(() => inserts >= before + 2);
      // At different moments of an insert.
      await sleep(kill * 3);
      const pid = await until(() => child.pid());
      process.kill(pid, 'SIGKILL');
      await until(() => child.restarts() === kill + 1 && child.problem() === null);
    }
    stopping = true;
    await load;
    expect(child.restarts()).toBe(KILLS);
    expect(repeats).toBeGreaterThan(0);
    expect(await counts(client)).toEqual(all(inserts * ROWS_PER_INSERT));
  });

  it.skipIf(!disks.met)(
    `on a full disk refuses inserts, answers, and continues when there is room ${disks.reason}`,
    async () => {
      const disk = await createSmallDisk(120);
      let store: TestHistoryStore | null = null;
      try {
        store = await startHistoryStore({ start: { ...onDisk(disk), diskReserveBytes: 8 * MIB } });
        const { client } = store;
        await insert(client, 0);
        let taken = 1;
        const next = (): Promise<string> =>
          insert(client, taken).then(
            () => {
              taken += 1;
              return 'taken';
            },
            (error: SquitterError) => error.code,
          );
        disk.fill(4 * MIB);
        // The disk is looked at twice a second.
        await until(async () => (await next()) === 'history.no_space');
        expect(await counts(client)).toEqual(all(taken * ROWS_PER_INSERT));
        disk.clear();
        await until(async () => (await next()) === 'taken');
        expect(await counts(client)).toEqual(all(taken * ROWS_PER_INSERT));
      } finally {
        await store?.stop();
        disk.remove();
      }
    },
    60_000,
  );

  it.skipIf(!disks.met)(
    `that meets the end of the disk within an insert has it whole or not at all ${disks.reason}`,
    async () => {
      const disk = await createSmallDisk(120);
      let store: TestHistoryStore | null = null;
      try {
        store = await startHistoryStore({ start: { ...onDisk(disk), diskReserveBytes: 0 } });
        const { client } = store;
        let whole = 0;
        let refused: unknown = null;
        disk.fill(12 * MIB);
        const rows = 100_000;
        while (refused === null)
          await insert(client, whole, body(whole, rows)).then(
            () => {
              whole += 1;
            },
            (error: unknown) => {
              refused = error;
            },
          );
        expect(refused).toMatchObject({ code: 'history.no_space' });
        expect(await counts(client)).toMatchObject({ rows: whole * rows, different: whole * rows });
        disk.clear();
        const again = body(whole, rows);
        await until(() =>
          insert(client, whole, again).then(
            () => true,
            () => null,
          ),
        );
        expect(await counts(client)).toEqual(all((whole + 1) * rows));
      } finally {
        await store?.stop();
        disk.remove();
      }
    },
    60_000,
  );
});
