// A disk that fills up under the running service, and one that is too small. A disk that refuses writes to the log itself: test/contract/log-limits.test.ts.
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { type RunningService, squitter, startService } from '../support/service.ts';
import { createSmallDisk, type SmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const disks = smallDisks();
/** The least that a service accepts. */
const DISK_MIB = limits.logDiskBytesMin / 1024 ** 2;
const AIRCRAFT = 100;
/** Longer than the test: frames must still come when the disk is full. The feed is stopped at its end. */
const FEED_S = 180;

let disk: SmallDisk | null = null;
let service: RunningService | null = null;
let feeder: PacedFeeder | null = null;
afterEach(async () => {
  await feeder?.stop();
  await service?.kill();
  disk?.remove();
});

/** `until`, with the output of the service in its error. */
async function waited(isSo: () => Promise<boolean>, what: string): Promise<void> {
  await until(isSo, what).catch((error: Error) => {
    throw new Error(`${error.message}: ${service?.output()}`);
  });
}

const isHeld = async (): Promise<boolean> => (await service!.metric('squitter_log_writes_held', { reason: 'reserve' })) === 1;

describe.skipIf(!disks.met)(`a full disk ${disks.reason}`, () => {
  it('is held before nothing is left: reads continue, the feeder waits, and everything that it sent is there afterwards', async () => {
    disk = await createSmallDisk(DISK_MIB);
    const data = `${disk.path}/data`;
    service = await startService(data, ['--no-simulation']);
    feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, FEED_S, 1));
    feeder.target = service.listenPort;
    feeder.start();
    const ready = async (): Promise<boolean> => (await service!.get('/readyz')).ok;
    await waited(async () => (await service!.metric('squitter_fold_positions_total')) > 50, 'the first positions');

    disk.fill(0);
    await waited(isHeld, 'the hold');
    const refusal = await service.get('/readyz');
    expect(refusal.status).toBe(503);
    expect(((await refusal.json()) as { detail: string }).detail).toMatch(/the disk is nearly full: /);
    // Live data are served until they are too old (G14), everything else all the time.
    expect((await service.get('/v2/all')).status).toBe(200);
    await waited(async () => (await service!.metric('squitter_ingest_backlog_bytes')) > 10_000, 'frames that wait');
    await waited(async () => (await service!.metric('squitter_log_disk_free_bytes')) < DISK_MIB * 1024, 'the full disk in the metrics');

    disk.clear();
    await waited(ready, 'the end of the hold');
    expect(await isHeld()).toBe(false);
    await waited(async () => service!.output().includes('the disk has room again'), 'the line about it');
    await feeder.stop();
    const { framesSent } = feeder;
    await waited(async () => (await service!.metric('squitter_ingest_frames_total')) === framesSent, 'everything sent is received');
    expect(await service.stop(), service.output()).toBe(0);
    const [, ...frames] = (await squitter(['tail', 'frames', '--data', data, '--csv'])).stdout.trim().split('\n');
    expect(frames.length).toBe(framesSent);
    const audit = await squitter(['audit', '--data', data]);
    expect(audit.stdout).toMatch(/^audit: equal/m);
  });

  it('a service on a disk that is too small, and a replay into a log without free space, end with one line', async () => {
    disk = await createSmallDisk(8);
    const start = await squitter(['start', '--data', `${disk.path}/data`]);
    expect([start.code, existsSync(`${disk.path}/data`)]).toEqual([1, false]);
    expect(start.stderr).toMatch(
      /squitter: the disk of the data folder .* has 8\.0 MiB, and the service needs at least 256 MiB: .* \[log\.disk_too_small\]\n$/,
    );
    const file = `${disk.path}/traffic.beast`;
    expect((await squitter(['simulate', '--aircraft', '20', '--minutes', '0.2', '--seed', '1', '--out', file])).code).toBe(0);
    disk.fill(200_000);
    const replay = await squitter(['replay', file, '--speed', 'max', '--data', `${disk.path}/data`]);
    expect(replay.code).toBe(1);
    expect(replay.stderr).toMatch(/squitter: no disk space is left for the log in .* MiB are kept in reserve.* \[log\.no_space\]\n$/);
  });
});
