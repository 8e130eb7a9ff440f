// A disk that fills up under the running service: reads continue, the feeder is held back, and with free space everything continues as before.
import { afterEach, describe, expect, it } from 'vitest';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { type RunningService, squitter, startService } from '../support/service.ts';
import { createSmallDisk, type SmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const disks = smallDisks();
const DISK_MIB = 64;
const AIRCRAFT = 100;
const SECONDS = 8;

let disk: SmallDisk | null = null;
let service: RunningService | null = null;
afterEach(async () => {
  if (service?.child.exitCode === null) await service.kill();
  disk?.remove();
});

/** As `until`; the error contains the output of the service. */
async function waited(isSo: () => Promise<boolean>, what: string): Promise<void> {
  await until(isSo, what).catch((error: Error) => {
    throw new Error(`${error.message}: ${service?.output()}`);
  });
}

async function metric(name: string): Promise<number> {
  const text = await (await service!.get('/metrics')).text();
  return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (.*)$`, 'm').exec(text)?.[1]);
}

/** Records of each partition that are not folded yet. */
async function lags(): Promise<number[]> {
  const text = await (await service!.get('/metrics')).text();
  return [...text.matchAll(/^squitter_fold_lag_records\{.*\} (.*)$/gm)].map(([, records]) => Number(records));
}

describe.skipIf(!disks.met)(`a full disk ${disks.reason}`, () => {
  it.each([
    ['held before the disk is full', 'reserve', []],
    ['met by LMDB and the segments', 'refused', ['--disk-reserve-mib', '0']],
  ])('%s', { timeout: 90_000 }, async (_, reason, args) => {
    disk = await createSmallDisk(DISK_MIB);
    const data = `${disk.path}/data`;
    service = await startService(data, ['--no-simulation', ...args]);
    const feeder = new PacedFeeder(await simulatedSlices(AIRCRAFT, SECONDS, 1));
    feeder.target = service.listenPort;
    feeder.start();
    const ready = async (): Promise<boolean> => (await service!.get('/readyz')).ok;
    await waited(async () => (await metric('squitter_fold_positions_total')) > 50, 'the first positions');

    disk.fill(0);
    await waited(async () => (await metric(`squitter_log_writes_held{reason="${reason}"}`)) === 1, 'the hold');
    const refusal = await service.get('/readyz');
    expect(refusal.status).toBe(503);
    expect(((await refusal.json()) as { detail: string }).detail).toMatch(
      reason === 'reserve' ? /the disk is nearly full: / : /the disk refuses writes/,
    );
    // Live data are served until they are too old (G14), everything else all the time.
    expect((await service.get('/v2/all')).status).toBe(200);
    await waited(async () => (await metric('squitter_ingest_backlog_bytes')) > 10_000, 'frames that wait');
    await waited(async () => {
      const records = await lags();
      return records.length > 0 && Math.max(...records) === 0;
    }, 'the end of the log');
    const folded = await metric('squitter_fold_frames_total');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // When the disk itself refuses, records that fit into existing pages of the index are still accepted.
    if (reason === 'reserve') expect(await metric('squitter_fold_frames_total')).toBe(folded);
    expect(await metric('squitter_log_disk_free_bytes')).toBeLessThan(DISK_MIB * 1024);

    disk.clear();
    await waited(ready, 'the end of the hold');
    expect(await metric(`squitter_log_writes_held{reason="${reason}"}`)).toBe(0);
    await waited(async () => service!.output().includes('the disk has room again'), 'the line about it');
    await feeder.finished();
    expect(await service.stop(), service.output()).toBe(0);
    const [, ...frames] = (await squitter(['tail', 'frames', '--data', data, '--csv'])).stdout.trim().split('\n');
    expect(frames.length).toBe(feeder.framesSent);
    const audit = await squitter(['audit', '--data', data]);
    expect(audit.stdout).toMatch(/^audit: equal/m);
  });

  it('a replay into a log without free space ends with one line', { timeout: 60_000 }, async () => {
    disk = await createSmallDisk(8);
    const file = `${disk.path}/traffic.beast`;
    expect((await squitter(['simulate', '--aircraft', '20', '--minutes', '0.2', '--seed', '1', '--out', file])).code).toBe(0);
    disk.fill(200_000);
    const replay = await squitter(['replay', file, '--speed', 'max', '--data', `${disk.path}/data`]);
    expect(replay.code).toBe(1);
    expect(replay.stderr).toMatch(/squitter: no disk space is left for the log in .* MiB are kept in reserve.* \[log\.no_space\]\n$/);
  });
});
