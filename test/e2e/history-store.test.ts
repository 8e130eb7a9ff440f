// The history store beside the embedded service: its address, no process left behind, the signal history. Kills of the store:
// test/fault/history-writing.test.ts.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { readAddress } from '../../pipeline/store/address-file.ts';
import { historyClient } from '../../pipeline/store/client.ts';
import { historyEngine } from '../support/history-store.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();

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
  let service: RunningService;
  const start = async (): Promise<void> => {
    service = await startService(folder.path, ['--simulate', '30'], { SQUITTER_NO_HISTORY: '' });
  };
  afterAll(async () => {
    await service?.kill();
    folder.remove();
  });

  interface Signals {
    readonly history: readonly { readonly t: number; readonly avg?: number; readonly aircraft_count: number }[];
  }
  const samples = async (): Promise<Signals['history']> => (await service.json<Signals>('/v2/signal/history')).history;

  it('has an address that only its owner may read, ends with a killed service, and has the signal levels of before', async () => {
    await start();
    const address = readAddress(folder.path)!;
    expect(service.output()).toContain(`history                 ${address.url}`);
    expect(statSync(join(folder.path, 'history/address.json')).mode & 0o777).toBe(0o600);
    const client = historyClient(address);
    const first = await until(async () => (await samples()).find(({ aircraft_count }) => aircraft_count > 7), 'a sample');
    // A minute before the service had aircraft: the log cannot have it.
    const t = first.t - 60;
    await client.command(
      `INSERT INTO signal_history (time, avgDeciDbfs, medianDeciDbfs, p10DeciDbfs, p90DeciDbfs, aircraftCount)
       SELECT fromUnixTimestamp(${t}), -101, -123, -199, -42, 7`,
    );
    const orphan = storePid(service);
    // A statement that runs for long does not keep it.
    const long = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
    const query = client.rows(long, undefined, { secondsMax: 600 }).catch(() => {});
    await until(async () => (await service.metric('squitter_history_statements', { state: 'reading' })) > 0, 'the statement');
    service.child.kill('SIGKILL');
    await until(() => !isRunning(orphan), 'the end of the store');
    await query;
    await client.close();

    await start();
    const stored = { t, avg: -10.1, median: -12.3, p10: -19.9, p90: -4.2, aircraft_count: 7 };
    await until(async () => (await samples()).some((sample) => isDeepStrictEqual(sample, stored)), 'the sample of before');
    const store = storePid(service);
    expect(await service.stop()).toBe(0);
    expect([isRunning(store), readAddress(folder.path)]).toEqual([false, null]);
  });
});
