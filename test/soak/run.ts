// Entry of `npm run soak`: the whole service under simulated load, for minutes or hours. Prints a line a minute; at the end frame-to-/v2 latency, memory,
// descriptors and CPU, and whether memory and descriptors stayed flat (exit status 1 if not).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withService } from '../bench/children.ts';
import { percentile } from '../bench/harness.ts';
import { processCpuSeconds, type RunningService, residentBytes, TestProgram } from '../support/service.ts';
import { soakBrowser } from './browser.ts';
import { probed, shownByHttp } from './latency-probe.ts';
import { isSteady, rateOf, watched } from './watch.ts';

const USAGE = `usage: npm run soak [-- --aircraft N --minutes M --subscribers S --push-tick SECONDS | --browser]

Starts the whole service on a folder of its own with N simulated aircraft (20000) and watches it for M minutes (10).
With --browser it watches the page of the map in Chromium: heaps after a garbage collection. From 20 minutes on it fails when a heap grows:
npm run soak -- --browser --aircraft 20000 --minutes 60. A minute of it, npm run soak -- --browser --aircraft 1000 --minutes 1, says that the page works.
With --subscribers S clients follow its streams from a process of their own: they lose connections, stop reading, change filters and come back.
The long form is npm run soak -- --aircraft 5000 --minutes 120.
`;
/** Until the probes begin. */
const SETTLE_S = 60;
/**
 * Until memory is measured: half of the run, at most this. Caches, heaps and compiled code are complete, and after an hour the maps' hour of history is, too
 * (22 MB at 5,000 aircraft).
 */
const WARM_S_MAX = 3600;
/** A shorter warm-up gives no verdict of growth. */
const WARM_S_MIN = 600;
/** Growth per minute that counts as flat: the index of the log grows a little. */
const BOUNDS = { rssMb: 0.5, descriptors: 0.05 };

const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

const { values } = parseArgs({
  options: {
    aircraft: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    subscribers: { type: 'string', default: '0' },
    browser: { type: 'boolean', default: false },
    'push-tick': { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const totalS = Number(values.minutes) * 60;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const isGood = values.browser
  ? await soakBrowser(values.aircraft, totalS)
  : await withService(['--simulate', values.aircraft, '--push-tick', values['push-tick']], soak);
process.exit(isGood ? 0 : 1);

/** True when memory and descriptors stayed flat, and subscribers saw what they should. */
async function soak(service: RunningService): Promise<boolean> {
  const subscribers = values.subscribers === '0' ? null : subscribe(service, values.subscribers);
  let running = true;
  const probing = sleep(1000 * Math.min(SETTLE_S, totalS)).then(() =>
    probed(service.listenPort, shownByHttp(service.httpPort), () => !running),
  );
  const rows = await watched(service, totalS, () => sample(service));
  running = false;
  const isServed = subscribers === null || (await subscribers.stop()) === 0;
  process.stdout.write(subscribers?.output() ?? '');
  if (!isServed) process.stderr.write('subscribers saw frames that do not follow each other, or none\n');
  const { samplesMs, lost } = await probing;

  const warmS = Math.min(WARM_S_MAX, totalS / 2);
  const warm = rows.filter(({ atS }) => atS >= warmS);
  const latencyMs = [0.5, 0.95, 0.99, 1].map((share): [string, number] => [`p${100 * share}`, Math.round(percentile(samplesMs, share))]);
  const report = {
    ...{ aircraft: Number(values.aircraft), minutes: Number(values.minutes) },
    latencyMs: { samples: samplesMs.length, ...Object.fromEntries(latencyMs), lost },
    ...{ messagesPerS: rateOf(warm, 'messages'), cpuCores: rateOf(warm, 'cpuS') },
    ...{ warm: warm[0], end: warm.at(-1) },
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const isFlat = isSteady(warm, BOUNDS);
  const status = await service.stop();
  process.stderr.write(`the service ended with ${status}\n`);
  return isServed && status === 0 && (warmS <= WARM_S_MIN || isFlat);
}

/** Reads /v2/stats, and memory, descriptors and CPU time from /proc. */
async function sample(service: RunningService): Promise<Record<string, number>> {
  const pid = service.child.pid!;
  const { now, anonymous } = residentBytes(pid);
  const stats = await service.json<{ aircraft_count?: number; messages?: number }>('/v2/stats');
  return {
    ...{ rssMb: megabytes(now), anonymousMb: megabytes(anonymous), cpuS: processCpuSeconds(pid) },
    ...{ descriptors: readdirSync(`/proc/${pid}/fd`).length, aircraft: stats.aircraft_count ?? 0, messages: stats.messages ?? 0 },
  };
}

/** Starts the process of the subscribers. */
function subscribe({ httpPort, push }: RunningService, count: string): TestProgram {
  const flags = ['--http', `127.0.0.1:${httpPort}`, '--push', push, '--count', count];
  return new TestProgram([process.execPath, join(import.meta.dirname, 'subscribers.js'), ...flags]);
}
