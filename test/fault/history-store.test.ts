// One history store: starts that it refuses, damaged files, writes that fail, and an engine that hangs. Requests: test/contract/history-store.test.ts. Kills and a full disk
// beside the service: history-writing.test.ts; a folder that is removed: test/contract/history-sink.test.ts.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreChild } from '../../infra/history-store/store-child.ts';
import { damagedParts } from '../../pipeline/store/retention.ts';
import { limits } from '../../schemas/limits/index.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { temporaryFolder } from '../support/service.ts';
import { createSmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const NICENESS_MAX = 19;
/** Field 19 of proc_pid_stat(5), behind the name in brackets. */
function niceOf(stat: string): number {
  return Number(stat.split(') ')[1]!.split(' ')[16]);
}

const isRestarted = (child: StoreChild, restarts: number) =>
  until(() => child.restarts() === restarts && child.answers(), `restart ${restarts}`);

describe.skipIf(!engine.met)(`one history store ${engine.reason}`, () => {
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());

  it('refuses a folder that another process uses, and fewer descriptors than it needs, at once', async () => {
    await expect(startHistoryStore({ start: { folder: store.folder } })).rejects.toMatchObject({ code: 'history.in_use' });
    const limit = limits.storeDescriptorsMin - 1;
    const launcher = ['/bin/sh', '-c', `ulimit -n ${limit} && exec "$0" "$@"`];
    await expect(startHistoryStore({ start: { launcher, keepsTrying: true } })).rejects.toMatchObject({
      code: 'history.no_descriptors',
      message: expect.stringContaining(`needs ${limits.storeDescriptorsMin} open files, and the limit is ${limit}`),
    });
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
    await client.command('INSERT INTO positions (frameOffset) SELECT number FROM numbers(10)');
    const [part] = await client.rows<{ path: string }>("SELECT path FROM system.parts WHERE active AND table = 'positions'");
    truncateSync(join(part!.path, 'data.bin'), 10);
    process.kill(child.pid()!, 'SIGKILL');
    await isRestarted(child, 1);
    expect(await damagedParts(client)).toEqual([
      { table: 'positions', name: expect.stringContaining('broken'), reason: 'broken-on-start' },
    ]);
    expect(await client.rows('SELECT count() AS n FROM positions')).toEqual([{ n: 0 }]);
  });
});

const disks = smallDisks();

// chDB confirms an insert, or a merge, whose files it could not write.
describe.skipIf(!engine.met || !disks.met)(`a history store on a full disk ${engine.reason}${disks.reason}`, () => {
  /** Columns of a table, with two files each: a part takes 2.4 MiB, and the engine wants 1 MiB for it. */
  const COLUMNS = 300;
  const LEFT_BYTES = 1.5 * 1024 ** 2;

  it('ends instead of confirming what it could not write, and then has all that it confirmed', async ({ onTestFinished }) => {
    const folder = temporaryFolder();
    const disk = await createSmallDisk(64, folder.path);
    const store = await startHistoryStore({ start: { folder: folder.path, launcher: disk.launcher } });
    onTestFinished(async () => {
      await store.stop();
      disk.remove();
      folder.remove();
    });
    const { child, client } = store;
    const columns = Array.from({ length: COLUMNS }, (_, n) => `c${n} UInt8`);
    await client.command(
      `CREATE TABLE wide (${columns}) ENGINE = MergeTree ORDER BY c0 SETTINGS min_bytes_for_wide_part = 0, max_compress_block_size = 65536`,
    );
    const insert = (value: number): Promise<void> => client.command(`INSERT INTO wide (c0) SELECT ${value}`);
    const values = async (): Promise<number[]> =>
      (await client.rows<{ c0: number }>('SELECT c0 FROM wide ORDER BY c0')).map(({ c0 }) => c0);
    await insert(1);
    await insert(2);
    const whileFull = async (statement: () => Promise<void>, restarts: number): Promise<void> => {
      disk.fill(LEFT_BYTES);
      await expect(statement()).rejects.toMatchObject({ code: 'history.unreachable' });
      disk.clear();
      await isRestarted(child, restarts);
      expect(await values()).toEqual([1, 2]);
    };
    await whileFull(() => insert(3), 1);
    await whileFull(() => client.command('OPTIMIZE TABLE wide FINAL'), 2);
    expect(store.lines.join()).toContain('a write to a file has failed');
    await insert(3);
    expect(await values()).toEqual([1, 2, 3]);
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
});
