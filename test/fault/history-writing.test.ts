// The history beside a service under load, in one long life: none, a store that does not start, kill -9 of both, a frozen store, a full disk. Live queries
// continue, no process is left, signal levels of before stay, and at the end the history equals the log.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAddress } from '../../pipeline/store/address-file.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { historyEngine } from '../support/history-store.ts';
import {
  freePortFlags,
  type RunningService,
  ServiceProgram,
  squitter,
  squitterBin,
  startService,
  temporaryFolder,
} from '../support/service.ts';
import { createSmallDisk, type SmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const disks = smallDisks();
/** Ten of each for the figures of a release. */
const KILLS = Number(process.env['SQUITTER_HISTORY_KILLS'] ?? 2);
const FLAGS = ['--simulate', '300'];
const MIB = 1024 ** 2;
const WITH_HISTORY = { SQUITTER_NO_HISTORY: '' };

const storePid = (service: ServiceProgram): number =>
  Number(execFileSync('pgrep', ['-P', String(service.child.pid), '-f', 'store-process'], { encoding: 'utf8' }).trim());

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Signal levels, of which the log has none. */
const LEVELS = { avg: -10.1, median: -12.3, p10: -19.9, p90: -4.2, aircraft_count: 7 };

describe.skipIf(!engine.met)(`the history ${engine.reason}`, () => {
  const folder = temporaryFolder();
  const at = join(folder.path, 'history');
  /** Its own file system, where the machine allows one. */
  let disk: SmallDisk | null = null;
  let running: RunningService;
  afterAll(async () => {
    await running?.kill();
    disk?.remove();
    folder.remove();
  });

  const start = async (flags: readonly string[] = []): Promise<void> => {
    running = await startService(folder.path, [...FLAGS, ...flags], WITH_HISTORY, undefined, disk?.launcher);
  };
  /** The file with the address. Outside of the service's mount namespace, the folder is another one. */
  const addressFile = (): string => join(disk?.path ?? at, 'address.json');
  const text = (path: string): Promise<string> => running.textOf(path);
  const sumOf = (name: string): Promise<number> => running.metric(name);
  const rows = (): Promise<number> => sumOf('squitter_project_rows_total');
  const positions = (): Promise<number> => sumOf('squitter_fold_positions_total');

  /** A service that is live while its store hangs in its start. */
  const startHanging = async (variables: NodeJS.ProcessEnv = {}) => {
    const data = temporaryFolder();
    const command = [process.execPath, squitterBin, 'start', '--data', data.path, ...freePortFlags, ...FLAGS];
    const service = new ServiceProgram(command, { ...process.env, ...WITH_HISTORY, ...variables }, /listening at http:\/\/([\d.:]+)/);
    onTestFinished(async () => {
      await service.kill();
      data.remove();
    });
    const found = (): number | null => {
      try {
        return storePid(service);
      } catch {
        return null;
      }
    };
    const store = (await until(found, 'the store'))!;
    process.kill(store, 'SIGSTOP');
    await service.match(/listening at/);
    await until(async () => (await service.textOf('/readyz')).includes('"status":"ready"'), 'ready');
    return { service, store };
  };

  it('does not keep live aircraft or a stop waiting while its store hangs in its start', async () => {
    const { service, store } = await startHanging();
    const count = async () => (await service.json<{ aircraft_count?: number }>('/v2/stats')).aircraft_count ?? 0;
    await until(async () => (await count()) > 0, 'aircraft');
    expect(await service.textOf('/v2/aircraft/400001/flights')).toContain('its store is being started');
    expect(await service.textOf('/readyz')).toContain('the history store is being started');
    expect(service.output()).not.toContain('Squitter starts');
    expect(await service.stop(), service.output()).toBe(0);
    expect(isRunning(store)).toBe(false);
  });

  it('ends with the error of a thread that fails while its store hangs in its start', async () => {
    const faults = temporaryFolder();
    onTestFinished(() => faults.remove());
    const [now, code] = [join(faults.path, 'now'), join(faults.path, 'fault.cjs')];
    const wait = `setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(now)})) throw new Error('a fault of the test'); }, 20)`;
    writeFileSync(code, `if (require('node:worker_threads').threadId === 1) ${wait};`);
    const { service, store } = await startHanging({ NODE_OPTIONS: `--require ${code}` });
    writeFileSync(now, '');
    expect([await service.ended, service.output()]).toEqual([1, expect.stringMatching(/worker stopped: .*a fault of the test/)]);
    expect(isRunning(store)).toBe(false);
  });

  it('begins when a store that did not start with the service can be started, and has what came before', async () => {
    await start(['--no-history']);
    await until(async () => (await positions()) > 100, 'positions that are filled in later');
    expect(existsSync(at)).toBe(false);
    expect(await running.stop()).toBe(0);
    mkdirSync(at);
    disk = disks.met ? await createSmallDisk(160, at) : null;
    // A file where the engine wants its folder.
    const obstacle = join(disk?.path ?? at, 'engine');
    writeFileSync(obstacle, '');
    await start();
    const past = '/v2/aircraft/400001/flights';
    // The service does not wait for the store.
    await until(async () => /the history store in .* does not start/.test(await text('/readyz')), 'a warning');
    expect((await running.get('/readyz')).status).toBe(200);
    const refused = await running.get(past);
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('"code":"history-unavailable"')]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await sumOf('squitter_history_store_up')).toBe(0);
    expect((await running.get('/v2/all')).status).toBe(200);
    // Attempts go on.
    await until(async () => (await sumOf('squitter_history_store_restarts_total')) >= 2, 'attempts');

    rmSync(obstacle);
    await until(async () => (await rows()) > 0, 'rows');
    await until(async () => (await running.get(past)).status === 200, 'an answer about the past');
    expect(await sumOf('squitter_history_store_up')).toBe(1);
  });

  it(`goes on after ${KILLS} kills of the service and ${KILLS} of the store`, { timeout: 60_000 + 60_000 * KILLS }, async () => {
    for (let i = 0; i < KILLS; i += 1) {
      await until(async () => (await rows()) > 0, 'rows of this run');
      process.kill(storePid(running), 'SIGKILL');
      // Anywhere in the restart of the store.
      await sleep(400 * i);
      await running.kill();
      await start();
      const before = await rows();
      await until(async () => (await rows()) > before, 'rows after the restart');
    }
  });

  it('ends with a service that alone is killed, and then has the signal levels of before', async () => {
    expect(statSync(addressFile()).mode & 0o777).toBe(0o600);
    if (disk !== null) copyFileSync(addressFile(), join(at, 'address.json'));
    const client = historyClient(readAddress(folder.path)!);
    expect(running.output()).toContain(`history                 ${client.address.url}`);
    // A minute before the log begins.
    const samples = async (): Promise<{ t: number }[]> => (await running.json<{ history: { t: number }[] }>('/v2/signal/history')).history;
    const t = (await until(async () => (await samples())[0], 'a sample')).t - 60;
    await client.command(
      `INSERT INTO signal_history (time, avgDeciDbfs, medianDeciDbfs, p10DeciDbfs, p90DeciDbfs, aircraftCount)
       SELECT fromUnixTimestamp(${t}), -101, -123, -199, -42, 7`,
    );
    // A statement that runs for long does not keep it.
    const long = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
    const query = client.rows(long, undefined, { secondsMax: 600 }).catch(() => {});
    await until(async () => (await running.metric('squitter_history_statements', { state: 'reading' })) > 0, 'the statement');
    const orphan = storePid(running);
    running.child.kill('SIGKILL');
    await until(() => !isRunning(orphan), 'the end of the store');
    await query;
    await client.close();
    await start();
    const isStored = async () => (await samples()).some((sample) => isDeepStrictEqual(sample, { t, ...LEVELS }));
    await until(isStored, 'the sample of before');
  });

  it('waits for a store that is frozen', async () => {
    const pid = storePid(running);
    process.kill(pid, 'SIGSTOP');
    await until(async () => (await text('/readyz')).includes('the history of adsb.positions.v1'), 'a warning');
    const lag = (): Promise<number> => sumOf('squitter_project_lag_records');
    const begun = await until(async () => (await lag()) > 2 && (await lag()), 'a lag');
    // The response to an insert from before the freeze may be counted after it.
    const later = await until(async () => (await lag()) > begun + 2 && (await lag()), 'a larger lag');
    const frozen = await rows();
    // Later statistics: the log grows, and the rows do not.
    await until(async () => (await lag()) > later + 2, 'a larger lag');
    expect(await rows()).toBe(frozen);
    expect((await running.get('/readyz')).status).toBe(200);
    expect((await running.get('/v2/all')).status).toBe(200);
    process.kill(pid, 'SIGCONT');
    await until(async () => (await rows()) > frozen, 'rows after the freeze');
  });

  it.skipIf(!disks.met)(`stands still on a full disk of its own, and continues when there is room ${disks.reason}`, async () => {
    // Below the reserve, with room for writes that have begun.
    disk!.fill(4 * MIB);
    const isRefused = async (): Promise<boolean> => (await sumOf('squitter_history_inserts_refused')) === 1;
    await until(isRefused, 'refused inserts');
    await until(async () => (await sumOf('squitter_project_refused')) > 0, 'a batch that waits');
    await until(async () => /MiB are free, .* are kept in reserve/.test(await text('/readyz')), 'a warning');
    // An insert that had begun before has ended by now.
    const full = await rows();
    expect((await running.get('/readyz')).status).toBe(200);
    // Live aircraft move on, and positions wait in the log.
    const before = await positions();
    await until(async () => (await positions()) > before + 500, 'live positions');
    expect((await running.get('/v2/all')).status).toBe(200);
    expect((await running.get('/v2/aircraft/400001/flights')).status).toBe(200);
    expect(await rows()).toBe(full);
    expect(await sumOf('squitter_project_expired_total')).toBe(0);

    // No byte is left.
    disk!.fill(0);
    await sleep(1000);
    disk!.clear();
    await until(async () => (await rows()) > full + 500, 'rows after there was room');
    await until(async () => !(await isRefused()), 'the end of the refusals');
  });

  it('equals the log, from the first record to the last', async () => {
    if (disk !== null) copyFileSync(addressFile(), join(at, 'address.json'));
    const audit = await squitter(['audit', '--history', '--data', folder.path]);
    expect(audit.stdout, audit.stderr + running.output()).toMatch(/^audit of the history: equal: [1-9]\d* positions/m);
    expect(audit.stdout.match(/^positions partition \d+: records 0 to/gm)).toHaveLength(2);
    expect(audit.code).toBe(0);
    const store = storePid(running);
    expect(await running.stop(), running.output()).toBe(0);
    expect([isRunning(store), existsSync(addressFile())]).toEqual([false, false]);
  });

  it('has each position once when the number of partitions changes', async () => {
    const change = await squitter(['log', 'partitions', '3', '--data', folder.path]);
    expect(change.stdout, change.stderr).toMatch(/^log: 3 partitions instead of 2: /m);
    await start(['--fold-threads', '2']);
    await until(async () => (await rows()) > 500, 'rows of the new log');
    if (disk !== null) copyFileSync(addressFile(), join(at, 'address.json'));
    const sql = 'SELECT count() AS rows, uniqExact(icao24, time) AS different FROM positions';
    const [found] = await historyClient(readAddress(folder.path)!).rows<{ rows: string; different: string }>(sql);
    expect(found!.rows).toBe(found!.different);
    const audit = await squitter(['audit', '--history', '--data', folder.path]);
    expect(audit.stdout, audit.stderr).toMatch(/^audit of the history: equal: [1-9]\d* positions/m);
    expect(await running.stop(), running.output()).toBe(0);
  });
});
