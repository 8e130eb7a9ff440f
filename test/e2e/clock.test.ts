// The whole service while the wall clock is set forward, back, and right again (libfaketime; its monotonic clock stays unchanged).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { faketime } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const library = faketime();
const HOUR_S = 3600;
const AIRCRAFT = 60;
const folder = temporaryFolder();
const clockFile = join(folder.path, 'clock');
/** Seconds of `now` that may be missing because the service needs time. */
const LATE_S = 20;
/** Event time to watch. */
const EVENT_S = 5;

let service: RunningService | null = null;
afterEach(() => service?.kill().catch(() => {}));
afterAll(folder.remove);

/** The service's right clock begins at six in the morning: a day that ends meanwhile would have its files, and their warnings. Seconds from the real time. */
const RIGHT_S = 6 * HOUR_S - (Math.floor(Date.now() / 1000) % (24 * HOUR_S));

/** Sets the wall clock of the service this far from the right one. */
function setClock(offsetS: number): void {
  const fromRealS = RIGHT_S + offsetS;
  writeFileSync(clockFile, `${fromRealS < 0 ? '-' : '+'}${Math.abs(fromRealS)}\n`);
}

const start = (): Promise<RunningService> =>
  startService(join(folder.path, 'data'), ['--simulate', String(AIRCRAFT)], {
    ...{ LD_PRELOAD: library.path, FAKETIME_TIMESTAMP_FILE: clockFile, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });

interface Picture {
  readonly status: number;
  /** Time of the data minus the right time, s. */
  readonly offsetS: number;
  readonly now: number;
  readonly ageS: number;
  readonly aheadS: number;
  readonly positions: ReadonlyMap<string, string>;
}

async function picture(running: RunningService): Promise<Picture> {
  const response = await running.get('/v2/all');
  const { now = 0, ac = [] } = (await response.json()) as { now?: number; ac?: { hex: string; lat?: number; lon?: number }[] };
  return {
    status: response.status,
    now,
    offsetS: now - Date.now() / 1000 - RIGHT_S,
    ageS: Number(response.headers.get('x-service-data-age')),
    aheadS: Number(response.headers.get('x-service-data-ahead') ?? 0),
    positions: new Map(ac.filter(({ lat }) => lat !== undefined).map(({ hex, lat, lon }) => [hex, `${lat} ${lon}`])),
  };
}

async function untilSeen(running: RunningService, isTrue: (seen: Picture) => boolean): Promise<Picture> {
  let seen: Picture | undefined;
  const read = async (): Promise<Picture | null> => {
    seen = await picture(running);
    return isTrue(seen) ? seen : null;
  };
  return until(read, String(isTrue)).catch((error: Error) => {
    throw new Error(`${error.message}, but ${JSON.stringify(seen)}: ${running.output()}`);
  });
}

/** Waits until event time advances; by then aircraft have moved, at half speed. What is shown first may be a second old: the time is long enough for that. */
async function expectMoving(running: RunningService): Promise<Picture> {
  const first = await picture(running);
  const startMs = performance.now();
  const last = await untilSeen(running, ({ now }) => now >= first.now + EVENT_S);
  expect((last.now - first.now) / ((performance.now() - startMs) / 1000)).toBeLessThan(0.8);
  const stayed = [...last.positions].filter(([hex, position]) => first.positions.get(hex) === position);
  expect(last.positions.size).toBeGreaterThan(10);
  expect(stayed.length / last.positions.size).toBeLessThan(0.7);
  expect(last.ageS).toBeLessThanOrEqual(3);
  return last;
}

describe.skipIf(!library.met)(`a wall clock that is set ${library.reason}`, () => {
  it('5 h forward and back: aircraft move at half speed and the service reports it, also after a restart on the right clock, and when the clock goes back further', async () => {
    setClock(0);
    service = await start();
    await untilSeen(service, ({ positions }) => positions.size > 10);

    setClock(5 * HOUR_S);
    const forward = await untilSeen(service, ({ offsetS, positions }) => offsetS > 5 * HOUR_S - LATE_S && positions.size > 10);
    expect(forward.aheadS).toBe(0);
    expect(service.output()).toContain('the wall clock was set forward');

    setClock(0);
    await untilSeen(service, ({ aheadS }) => aheadS > 0);
    const back = await expectMoving(service);
    expect(back.aheadS).toBeGreaterThan(5 * HOUR_S - 3 * LATE_S);
    const ready = await service.get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'ready',
        data_ahead_seconds: expect.any(Number),
        warnings: [expect.stringContaining('ahead of the clock of this machine')],
      }),
    ]);
    expect(await service.metric('squitter_ingest_clock_steps_total', { direction: 'forward' })).toBe(1);
    expect(await service.metric('squitter_ingest_clock_steps_total', { direction: 'back' })).toBe(1);
    expect(await service.metric('squitter_ingest_ahead_seconds')).toBeGreaterThan(5 * HOUR_S - 3 * LATE_S);
    expect(await service.metric('squitter_view_ahead_seconds')).toBeGreaterThan(5 * HOUR_S - 3 * LATE_S);
    expect(service.output().match(/the wall clock was set back: event time runs at half speed/g)).toHaveLength(1);
    expect(await service.stop()).toBe(0);

    service = await start();
    expect(service.output()).toContain('the log contains frames that are newer than the wall clock');
    const restarted = await expectMoving(service);
    expect(restarted.aheadS).toBeGreaterThan(5 * HOUR_S - 6 * LATE_S);

    setClock(-HOUR_S);
    await untilSeen(service, ({ aheadS }) => aheadS > 6 * HOUR_S - 6 * LATE_S);
    await expectMoving(service);
    expect(await service.stop()).toBe(0);
  });
});
