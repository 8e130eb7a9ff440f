// Entry of `npm run soak`: the whole service under simulated load, for minutes or hours. Prints a line a minute; at the end frame-to-/v2 latency, memory,
// descriptors and CPU, and whether memory and descriptors stayed flat (exit status 1 if not).
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LiveService } from '../bench/children.ts';
import { percentile } from '../bench/harness.ts';
import { TestProgram } from '../support/service.ts';
import { soakBrowser } from './browser.ts';
import { probed, shownByHttp } from './latency-probe.ts';
import { type Sample, sample, withService } from './service.ts';
import { isFlat, trendOf, trendText } from './trend.ts';

const USAGE = `usage: npm run soak [-- --aircraft N --minutes M --subscribers S --push-tick SECONDS | --browser]

Starts the whole service on a folder of its own with N simulated aircraft (20000) and watches it for M minutes (10).
With --browser it watches the page of the map in Chromium: heaps after a garbage collection, script time, frames. From 20 minutes on it fails when a heap grows:
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
/** A shorter warm-up gives no figure of growth. */
const WARM_S_MIN = 600;
const SAMPLE_S = 10;
/** With more requests without a response the run fails. */
const SAMPLES_MISSED_MAX = 6;
/** Growth per minute that counts as flat: the index of the log grows a little. */
const RSS_MB_PER_MINUTE_MAX = 0.5;
const DESCRIPTORS_PER_MINUTE_MAX = 0.05;

function printMinute(rows: readonly Sample[], totalS: number): void {
  const last = rows.at(-1)!;
  const before = rows.findLast(({ atS }) => atS <= last.atS - 60) ?? rows[0]!;
  const seconds = Math.max(1, last.atS - before.atS);
  const rate = Math.round((last.messages - before.messages) / seconds);
  const cores = ((last.cpuS - before.cpuS) / seconds).toFixed(2);
  const leftMinutes = Math.ceil(Math.max(0, totalS - last.atS) / 60);
  process.stderr.write(
    `minute ${Math.round(last.atS / 60)} of ${totalS / 60}: ${rate} messages/s, ${last.aircraft} aircraft, RSS ${last.rssMb} MB, ` +
      `${last.descriptors} descriptors, ${cores} cores; ${leftMinutes} min left\n`,
  );
}

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
  : await withService(values.aircraft, ['--push-tick', values['push-tick']], soak);
process.exit(isGood ? 0 : 1);

/** True when memory and descriptors stayed flat, and subscribers saw what they should. */
async function soak(service: LiveService): Promise<boolean> {
  const startMs = performance.now();
  const elapsedS = (): number => (performance.now() - startMs) / 1000;
  const subscribers = values.subscribers === '0' ? null : subscribe(service, values.subscribers);
  let running = true;
  const probing = sleep(1000 * Math.min(SETTLE_S, totalS)).then(() =>
    probed(service.listenPort, shownByHttp(service.httpPort), () => !running),
  );
  const rows: Sample[] = [];
  let samplesMissed = 0;
  while (elapsedS() < totalS && service.running && samplesMissed <= SAMPLES_MISSED_MAX) {
    await sleep(SAMPLE_S * 1000);
    const row = await sample(service, elapsedS()).catch(() => null);
    // A request may fail, for instance after this machine was suspended.
    if (row === null) {
      samplesMissed += 1;
      continue;
    }
    rows.push(row);
    if (Math.floor(rows.at(-1)!.atS / 60) > Math.floor((rows.at(-2)?.atS ?? 0) / 60)) printMinute(rows, totalS);
  }
  if (!service.running || samplesMissed > SAMPLES_MISSED_MAX) throw service.failure(`${samplesMissed} requests had no response`);
  running = false;
  const isServed = subscribers === null || (await subscribers.stop()) === 0;
  process.stdout.write(subscribers?.output() ?? '');
  if (!isServed) process.stderr.write('subscribers saw frames that do not follow each other, or none\n');
  const { samplesMs, lost } = await probing;

  const warmS = Math.min(WARM_S_MAX, totalS / 2);
  const warm = rows.filter(({ atS }) => atS >= warmS);
  const rss = trendOf(warm.map(({ atS, rssMb }) => ({ atS, value: rssMb })));
  const descriptors = trendOf(warm.map(({ atS, descriptors: value }) => ({ atS, value })));
  const [first, last] = [warm[0]!, rows.at(-1)!];
  const latencyMs = [0.5, 0.95, 0.99, 1].map((share): [string, number] => [`p${100 * share}`, Math.round(percentile(samplesMs, share))]);
  const report = {
    aircraft: Number(values.aircraft),
    minutes: Number(values.minutes),
    latencyMs: { samples: samplesMs.length, ...Object.fromEntries(latencyMs) },
    ...{ samplesMissed, lost, aircraftListed: last.aircraft },
    messagesPerS: Math.round((last.messages - first.messages) / (last.atS - first.atS)),
    anonymousMb: { warm: first.anonymousMb, end: last.anonymousMb },
    cpuCores: Number(((last.cpuS - first.cpuS) / (last.atS - first.atS)).toFixed(2)),
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${trendText('RSS, MB', rss, RSS_MB_PER_MINUTE_MAX)}\n`);
  process.stdout.write(`${trendText('descriptors', descriptors, DESCRIPTORS_PER_MINUTE_MAX)}\n`);
  const status = await service.stop();
  process.stderr.write(`the service ended with ${status}\n`);
  const isSteady = isFlat(rss, RSS_MB_PER_MINUTE_MAX) && isFlat(descriptors, DESCRIPTORS_PER_MINUTE_MAX);
  return isServed && status === 0 && (warmS <= WARM_S_MIN || isSteady);
}

/** Starts the process of the subscribers. */
function subscribe({ httpPort, push }: LiveService, count: string): TestProgram {
  const flags = ['--http', `127.0.0.1:${httpPort}`, '--push', push, '--count', count];
  return new TestProgram([process.execPath, join(import.meta.dirname, 'subscribers.js'), ...flags]);
}
