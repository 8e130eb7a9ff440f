// The whole service while the wall clock is set forward, back, and right again (libfaketime; its monotonic clock stays unchanged).
import { renameSync, writeFileSync } from 'node:fs';
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
/** Event time to watch. */
const EVENT_S = 5;

let service: RunningService | null = null;
afterEach(() => service?.kill().catch(() => {}));
afterAll(folder.remove);

/** The service's right clock begins at six in the morning: a day that ends meanwhile would have its files, and their warnings. Seconds from the real time. */
const RIGHT_S = 6 * HOUR_S - (Math.floor(Date.now() / 1000) % (24 * HOUR_S));

/** Sets the wall clock of the service this far from the right one, in one step: what libfaketime reads is whole. */
function setClock(offsetS: number): void {
  const fromRealS = RIGHT_S + offsetS;
  writeFileSync(`${clockFile}.next`, `${fromRealS < 0 ? '-' : '+'}${Math.abs(fromRealS)}\n`);
  renameSync(`${clockFile}.next`, clockFile);
}

const start = (): Promise<RunningService> =>
  startService(join(folder.path, 'data'), ['--simulate', String(AIRCRAFT)], {
    ...{ LD_PRELOAD: library.path, FAKETIME_TIMESTAMP_FILE: clockFile, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });

interface Picture {
  readonly now: number;
  /** Time of the data minus the right time, hours. */
  readonly offsetHours: number;
  readonly ageS: number;
  readonly aheadHours: number;
  readonly positions: ReadonlyMap<string, string>;
}

async function picture(running: RunningService): Promise<Picture> {
  const response = await running.get('/v2/all');
  const { now = 0, ac = [] } = (await response.json()) as { now?: number; ac?: { hex: string; lat?: number; lon?: number }[] };
  return {
    now,
    offsetHours: (now - Date.now() / 1000 - RIGHT_S) / HOUR_S,
    ageS: Number(response.headers.get('x-service-data-age')),
    aheadHours: Number(response.headers.get('x-service-data-ahead') ?? 0) / HOUR_S,
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
    throw running.failure(`${error.message}, but ${JSON.stringify(seen)}`);
  });
}

/** Waits until event time has advanced at half speed, and most aircraft have moved. A late first picture counts less, the longer it takes. */
async function untilMoving(running: RunningService): Promise<Picture> {
  const first = await picture(running);
  const startMs = performance.now();
  return untilSeen(running, ({ now, ageS, positions }) => {
    const stayed = [...positions].filter(([hex, position]) => first.positions.get(hex) === position);
    const speed = (now - first.now) / ((performance.now() - startMs) / 1000);
    return now >= first.now + EVENT_S && speed < 0.8 && ageS <= 3 && positions.size > 10 && stayed.length / positions.size < 0.7;
  });
}

describe.skipIf(!library.met)(`a wall clock that is set ${library.reason}`, () => {
  it('5 h forward and back: aircraft move at half speed and the service reports it, also after a restart on the right clock, and when the clock goes back further', async () => {
    setClock(0);
    service = await start();
    await untilSeen(service, ({ positions }) => positions.size > 10);

    setClock(5 * HOUR_S);
    const forward = await untilSeen(service, ({ offsetHours, positions }) => offsetHours > 4.9 && positions.size > 10);
    expect(forward.aheadHours).toBe(0);
    expect(service.output()).toContain('the wall clock was set forward');

    setClock(0);
    await untilSeen(service, ({ aheadHours }) => aheadHours > 0);
    expect((await untilMoving(service)).aheadHours).toBeGreaterThan(4.9);
    const ready = await service.get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'ready',
        data_ahead_seconds: expect.any(Number),
        warnings: [expect.stringContaining('ahead of the clock of this machine')],
      }),
    ]);
    for (const direction of ['forward', 'back'])
      expect([direction, await service.metric('squitter_ingest_clock_steps_total', { direction })]).toEqual([direction, 1]);
    for (const name of ['ingest', 'view']) expect(await service.metric(`squitter_${name}_ahead_seconds`)).toBeGreaterThan(4.9 * HOUR_S);
    expect(service.output().match(/the wall clock was set back: event time runs at half speed/g)).toHaveLength(1);
    expect(await service.stop()).toBe(0);

    service = await start();
    expect(service.output()).toContain('the log contains frames that are newer than the wall clock');
    expect((await untilMoving(service)).aheadHours).toBeGreaterThan(4.8);

    setClock(-HOUR_S);
    await untilSeen(service, ({ aheadHours }) => aheadHours > 5.8);
    await untilMoving(service);
    expect(await service.stop()).toBe(0);
  });
});
