// The history store beside the embedded service: its address, no process left behind, the signal history; and its process alone. Kills of the store:
// test/fault/history-writing.test.ts.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type StoreChildOptions, startStoreChild } from '../../infra/history-store/store-child.ts';
import { readAddress } from '../../pipeline/store/address-file.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { limits } from '../../schemas/limits/index.ts';
import { startLocalHistory } from '../runner/local-history.ts';
import { historyEngine, storeProcessFile } from '../support/history-store.ts';
import { projectDir } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const WITH_HISTORY = { SQUITTER_NO_HISTORY: '' };
/** Rows that are an hour old or older. Those of the running service are newer. */
const OLD_ROWS = 'SELECT aircraftCount FROM signal_history FINAL WHERE time < now() - INTERVAL 1 HOUR';

const storePid = (service: RunningService): number =>
  Number(execFileSync('pgrep', ['-P', String(service.child.pid), '-f', 'store-process'], { encoding: 'utf8' }).trim());

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!engine.met)(`history beside the service ${engine.reason}`, () => {
  const folder = temporaryFolder();
  let service: RunningService | null = null;
  const start = async (...flags: string[]): Promise<RunningService> => {
    service = await startService(folder.path, flags, WITH_HISTORY);
    return service;
  };
  afterAll(async () => {
    await service?.kill();
    folder.remove();
  });

  it('has an address that only its owner may read, and ends with a killed service, which has all of it again', async () => {
    const first = await start('--no-simulation');
    const address = readAddress(folder.path)!;
    expect(first.output()).toContain(`history                 ${address.url}`);
    expect(statSync(join(folder.path, 'history/address.json')).mode & 0o777).toBe(0o600);
    const client = historyClient(address);
    await client.command('INSERT INTO signal_history (time, aircraftCount) SELECT now() - INTERVAL 1 DAY, 7');

    await client.close();

    const orphan = storePid(first);
    // A statement that runs for long does not keep it.
    const long = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
    const unanswered = historyClient(readAddress(folder.path)!);
    const query = unanswered.rows(long, undefined, { secondsMax: 600 }).catch(() => {});
    await until(
      async () => (await (await first.get('/metrics')).text()).match(/squitter_history_statements\{state="reading"\} [1-9]/) !== null,
    );
    first.child.kill('SIGKILL');
    await until(() => !isRunning(orphan));
    await query;
    await unanswered.close();

    await start('--simulate', '30');
    const again = historyClient(readAddress(folder.path)!);
    expect(await again.rows(OLD_ROWS)).toEqual([{ aircraftCount: 7 }]);
    await again.close();
  });

  it('has the signal history of before a restart, also where its address cannot be written, which it says', async () => {
    interface Signals {
      readonly history: readonly { readonly t: number; readonly avg?: number; readonly aircraft_count: number }[];
    }
    const samples = async (): Promise<Signals['history']> => ((await (await service!.get('/v2/signal/history')).json()) as Signals).history;
    const first = await until(async () => (await samples()).find(({ aircraft_count }) => aircraft_count > 7));
    // A minute before the service had aircraft: the log cannot have it.
    const t = first.t - 60;
    const client = historyClient(readAddress(folder.path)!);
    const levels = '-101, -123, -199, -42, 7';
    await client.command(
      `INSERT INTO signal_history (time, avgDeciDbfs, medianDeciDbfs, p10DeciDbfs, p90DeciDbfs, aircraftCount) SELECT fromUnixTimestamp(${t}), ${levels}`,
    );
    await client.close();
    const store = storePid(service!);
    expect(await service!.stop()).toBe(0);
    expect(isRunning(store)).toBe(false);
    expect(readAddress(folder.path)).toBeNull();

    mkdirSync(join(folder.path, 'history/address.json.new/in the way'), { recursive: true });
    service = await start('--simulate', '30');
    expect(service.output()).toContain('the address of the history store cannot be written');
    expect((await service.get('/metrics')).status).toBe(200);
    const stored = { t, avg: -10.1, median: -12.3, p10: -19.9, p90: -4.2, aircraft_count: 7 };
    await until(async () => (await samples()).some((sample) => isDeepStrictEqual(sample, stored)));
    expect(await service.stop()).toBe(0);
  });
});

describe.skipIf(!engine.met)(`the process of the store ${engine.reason}`, () => {
  const folder = temporaryFolder();
  afterEach(() => folder.remove());
  const start = (processFile: URL, more: Partial<StoreChildOptions> = {}) =>
    startStoreChild({
      ...{ folder: join(folder.path, 'history'), user: 'a', password: 'b', readers: 1, memoryBytesMax: 500e6, diskReserveBytes: 0 },
      ...{ processFile, log: () => {} },
      ...more,
    });
  const withDescriptors = (limit: number): Partial<StoreChildOptions> => ({
    launcher: ['/bin/sh', '-c', `ulimit -n ${limit} && exec "$0" "$@"`],
  });

  it('refuses a folder that another process uses, and says so', async () => {
    const child = await start(storeProcessFile);
    await expect(start(storeProcessFile)).rejects.toMatchObject({ code: 'history.in_use' });
    await child.stop();
  });

  it('does not start below its least number of descriptors, and is not tried again', async () => {
    const few = { ...withDescriptors(limits.storeDescriptorsMin - 1), keepsTrying: true };
    const refusal = `the history store needs ${limits.storeDescriptorsMin} open files, and the limit is ${limits.storeDescriptorsMin - 1}`;
    await expect(start(storeProcessFile, few)).rejects.toMatchObject({
      code: 'history.no_descriptors',
      message: expect.stringContaining(refusal),
    });
  });

  it('says that the engine is not installed', async () => {
    // Beside no node_modules, so without the engine's package.
    cpSync(join(projectDir, 'dist'), join(folder.path, 'dist'), { recursive: true, filter: (file) => !/\/(test|web)$/.test(file) });
    const alone = pathToFileURL(join(folder.path, 'dist/infra/history-store/store-process.js'));
    await expect(start(alone)).rejects.toMatchObject({ code: 'history.no_engine' });
    // A local cluster then runs without history.
    const printed: string[] = [];
    const options = { dataDir: join(folder.path, 'cluster'), print: (text: string) => void printed.push(text), processFile: alone };
    expect(await startLocalHistory('engine', options, [])).toEqual({ address: null, pid: null });
    expect(printed).toEqual([expect.stringMatching(/^no history: the engine .*; neither a project stage nor the export service runs$/)]);
  });
});
