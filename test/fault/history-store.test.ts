// One history store: requests that it refuses, damaged files, an engine that hangs, and the end of its disk within an insert. Kills and a full disk beside
// the service: history-writing.test.ts; a folder that is removed: test/contract/history-sink.test.ts.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreChild } from '../../infra/history-store/store-child.ts';
import type { HistoryClient } from '../../pipeline/store/client.ts';
import { damagedParts } from '../../pipeline/store/retention.ts';
import { limits } from '../../schemas/limits/index.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { createSmallDisk, type SmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const disks = smallDisks();
const ROWS_PER_INSERT = 2000;
const ROW_BYTES = 28;
const MIB = 1024 ** 2;
const NICENESS_MAX = 19;
const COLUMNS = ['time', 'icao24', 'latitudeMicrodeg', 'longitudeMicrodeg', 'frameOffset'];

/** Inserts rows that do not compress, so that a disk fills, as often as it is needed: each number once. */
const insert = (client: HistoryClient, number: number, rows = ROWS_PER_INSERT): Promise<void> => {
  const body = Buffer.alloc(rows * ROW_BYTES);
  for (let row = 0; row < rows; row += 1) {
    const bytes = createHash('sha256').update(`${number}/${row}`).digest();
    body.writeBigInt64LE(BigInt(Date.now()) * 1000n, row * ROW_BYTES);
    body.writeUInt32LE(bytes.readUInt32LE(0) & 0xff_ffff, row * ROW_BYTES + 8);
    body.writeInt32LE(bytes.readUInt32LE(4) % 90_000_000, row * ROW_BYTES + 12);
    body.writeInt32LE(bytes.readUInt32LE(8) % 180_000_000, row * ROW_BYTES + 16);
    body.writeBigInt64LE(BigInt(number) * 1_000_000n + BigInt(row), row * ROW_BYTES + 20);
  }
  return client.insert({ table: 'positions', columns: COLUMNS, format: 'RowBinary', body, token: `test-${number}` });
};

/** The engine follows the link into the disk's namespace and finds nothing there: its process enters the namespace itself. */
function onDisk({ path, launcher }: SmallDisk) {
  return { folder: /^\/proc\/\d+\/root(.*)$/.exec(path)![1]!, launcher };
}

/** Field 19 of proc_pid_stat(5), behind the name in brackets. */
function niceOf(stat: string): number {
  return Number(stat.split(') ')[1]!.split(' ')[16]);
}

/** Rows, each different. */
async function rowsIn(client: HistoryClient): Promise<number> {
  const [row] = await client.rows<{ n: number; different: number }>(
    'SELECT toUInt32(count()) AS n, toUInt32(uniqExact(frameOffset)) AS different FROM positions',
  );
  expect(row!.different).toBe(row!.n);
  return row!.n;
}

const isRestarted = (child: StoreChild, restarts: number) =>
  until(() => child.restarts() === restarts && child.answers(), `restart ${restarts}`);

describe.skipIf(!engine.met)(`one history store ${engine.reason}`, () => {
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());

  it('answers requests without a valid address or password with an error, and goes on', async () => {
    const response = await fetch(`${store.child.url}//`);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Code: 62')]);
    const refused = await fetch(`${store.child.url}/?query=SELECT+1`);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('Code: 516')]);
    expect(await store.client.rows('SELECT 1 AS n')).toEqual([{ n: 1 }]);
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
    expect(new Set(nices)).toEqual(new Set([Math.min(NICENESS_MAX, getPriority() + limits.storeNiceness)]));
  });

  it('names parts that it sets aside because their files are damaged', async () => {
    const { child, client } = store;
    await client.command('TRUNCATE TABLE positions');
    await insert(client, 0);
    const [part] = await client.rows<{ path: string }>("SELECT path FROM system.parts WHERE active AND table = 'positions'");
    truncateSync(join(part!.path, 'data.bin'), 10);
    process.kill(child.pid()!, 'SIGKILL');
    await isRestarted(child, 1);
    expect(await damagedParts(client)).toEqual([
      { table: 'positions', name: expect.stringContaining('broken'), reason: 'broken-on-start' },
    ]);
    expect(await rowsIn(client)).toBe(0);
  });
});

// The first one waits most of its time.
describe.skipIf(!engine.met).concurrent(`the history store ${engine.reason}`, () => {
  it('that hangs because it is frozen says so, is started again, and is ended by a stop', async ({ onTestFinished }) => {
    const silentMsMax = limits.storeSilentMsWarned + 2000;
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
          await insert(client, whole, rows).then(
            () => {
              whole += 1;
            },
            (error: unknown) => {
              refused = error;
            },
          );
        expect(refused).toMatchObject({ code: 'history.no_space' });
        expect(await rowsIn(client)).toBe(whole * rows);
        disk.clear();
        await until(() =>
          insert(client, whole, rows).then(
            () => true,
            () => null,
          ),
        );
        expect(await rowsIn(client)).toBe((whole + 1) * rows);
      } finally {
        await store?.stop();
        disk.remove();
      }
    },
    60_000,
  );
});
