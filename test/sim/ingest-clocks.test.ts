// Two ingests, fold and view over one log while the clock of one is an hour ahead: the aircraft of both are shown. A clock that is set: e2e/clock.test.ts.
import { afterEach, expect, it } from 'vitest';
import { startFold } from '../../infra/services/stages/fold-service.ts';
import { startIngest } from '../../infra/services/stages/ingest-service.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { openLiveView } from '../../pipeline/view/live-view.ts';
import { testSecret } from '../support/secret.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 40;
const HOUR_MS = 3_600_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('shows the aircraft of both while one is an hour ahead', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  cleanups.push(() => log.close());
  const shared: EventLog = Object.assign(Object.create(log) as EventLog, { close: async () => {} });
  const lines: string[] = [];
  const wrongByMs = [HOUR_MS, 0];
  const ingests = await Promise.all(
    wrongByMs.map((wrongMs, i) =>
      startIngest({
        log: shared,
        codecs,
        secret: testSecret,
        instance: String(i),
        listen: { host: '127.0.0.1', port: 0 },
        feeds: [],
        logger: { info() {}, warn: (_details, message) => lines.push(`${i}: ${message}`) },
        time: { wallMs: () => Date.now() + wrongMs, steadyMs: () => performance.now() },
      }),
    ),
  );
  const fold = await startFold({ log: shared, codecs, receiver: null, logger: { warn() {} } });
  const stop = new AbortController();
  const view = await openLiveView(log, codecs, { clock: () => Date.now(), signal: stop.signal });
  cleanups.push(async () => {
    for (const ingest of ingests) await ingest.stop();
    await fold.stop();
    stop.abort();
    await view.follower.done;
  });

  // Each ingest hears one half of the aircraft.
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 5, startUs: Date.now() * 1000, extraReceptionShare: 0 });
  const receivers = ingests.map(({ context }, i) => context.receivers.acquire(`receiver ${i}`));
  const hexes = [new Set<number>(), new Set<number>()];
  const timer = setInterval(() => {
    traffic.advance(Date.now() * 1000, (frame, aircraft) => {
      const i = aircraft % 2;
      const { context } = ingests[i]!;
      context.target.add({ ...frame, timeUs: context.nowUs(), receiver: receivers[i]! });
      if (frame.byteLength === 14 && frame.bytes[frame.at]! >> 3 === 17)
        hexes[i]!.add((frame.bytes[frame.at + 1]! << 16) | (frame.bytes[frame.at + 2]! << 8) | frame.bytes[frame.at + 3]!);
    });
  }, 20);
  cleanups.push(() => clearInterval(timer));

  interface Shown {
    readonly hex: string;
    readonly seen: number;
  }
  const shown = (): Shown[] => (JSON.parse(view.current()!.body('readsb').toString()) as { aircraft: Shown[] }).aircraft;
  /** Aircraft of one ingest that the view shows as heard now. */
  const heardBy = (i: number): number => shown().filter(({ hex, seen }) => seen <= 3 && hexes[i]!.has(Number.parseInt(hex, 16))).length;
  const aheadMs = (i: number): number => ingests[i]!.stats().clock.aheadMs;
  const bothAreShown = (): boolean =>
    view.current() !== null && [0, 1].every((i) => hexes[i]!.size >= 10 && heardBy(i) >= 0.8 * hexes[i]!.size);

  await until(bothAreShown, undefined, 20_000);
  expect(view.current()!.times.nowMs - Date.now()).toBeGreaterThan(HOUR_MS - 10_000);
  expect(aheadMs(0)).toBe(0);
  expect(aheadMs(1)).toBeGreaterThan(HOUR_MS - 10_000);
  expect(lines).toEqual([expect.stringMatching(/^1: (another ingest appends|the log contains) frames that are newer than the wall clock/)]);
});
