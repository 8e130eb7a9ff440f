// Entry of `npm run soak`: the whole service under simulated load, for minutes or hours. Prints a line a minute; at the end frame-to-/v2 latency, memory,
// descriptors and CPU, and whether memory and descriptors stayed flat (exit status 1 if not).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { soakBrowser } from './browser.ts';
import { LatencyProbe } from './latency-probe.ts';
import { type Sample, sample, startService } from './service.ts';
import { isFlat, trendOf, trendText } from './trend.ts';

const USAGE = `usage: npm run soak [-- --aircraft N --minutes M --subscribers S --push-tick SECONDS | --browser]

Starts the whole service on a folder of its own with N simulated aircraft (20000) and watches it for M minutes (10).
With --browser it watches the page of the map in Chromium: heaps after a garbage collection, script time, frames. From 20 minutes on it fails when a heap grows:
npm run soak -- --browser --aircraft 20000 --minutes 60. A minute of it, npm run soak -- --browser --aircraft 1000 --minutes 1, says that the page works.
With --subscribers S clients follow its streams from a process of their own: they lose connections, stop reading, change filters and come back.
The long form is npm run soak -- --aircraft 5000 --minutes 120.
`;
const PROBES = 8;
const FIRST_PROBE_ADDRESS = 0x3f_f000;
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
const STOP_MS_MAX = 30_000;
/** Growth per minute that counts as flat: the index of the log grows a little. */
const RSS_MB_PER_MINUTE_MAX = 0.5;
const DESCRIPTORS_PER_MINUTE_MAX = 0.05;

function sayMinute(rows: readonly Sample[], totalS: number): void {
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

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

/** Starts the process of the subscribers. */
function subscribe(count: string): ChildProcess {
  const program = join(import.meta.dirname, 'subscribers.js');
  const flags = ['--http', `127.0.0.1:${service.httpPort}`, '--push', `127.0.0.1:${service.pushPort}`, '--count', count];
  return spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Ends it; true when its clients saw what they should. */
async function unsubscribe(child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) return false;
  child.kill('SIGTERM');
  const [status] = (await once(child, 'exit')) as [number | null];
  return status === 0;
}

/** Stops the service, and kills it if it does not stop by itself: it may be frozen. Returns its exit status. */
async function stopService(): Promise<number | null> {
  service.child.kill('SIGTERM');
  const late = setTimeout(() => service.child.kill('SIGKILL'), STOP_MS_MAX);
  const [status] = (await exited) as [number | null];
  clearTimeout(late);
  return status;
}

async function endEarly(): Promise<void> {
  subscribers?.kill('SIGKILL');
  await stopService();
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(1);
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
if (values.browser) process.exit((await soakBrowser(values.aircraft, totalS)) ? 0 : 1);
const dataDir = mkdtempSync(join(tmpdir(), 'squitter-soak-'));
const startMs = performance.now();
const elapsedS = (): number => (performance.now() - startMs) / 1000;
const service = await startService(values.aircraft, dataDir, ['--push-tick', values['push-tick']]);
const exited = once(service.child, 'exit');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endEarly());
const readyS = elapsedS();
const subscribers = values.subscribers === '0' ? null : subscribe(values.subscribers);
const probes = Array.from({ length: PROBES }, (_, i) => new LatencyProbe(service, FIRST_PROBE_ADDRESS + i));
for (const probe of probes) await probe.open();
let running = true;
const probing = probes.map(async (probe) => {
  while (running && elapsedS() < SETTLE_S) await sleep(200);
  while (running) {
    await sleep(1000 * Math.random());
    await probe.sample();
  }
});
const rows: Sample[] = [];
let samplesMissed = 0;
while (elapsedS() < totalS && service.child.exitCode === null && service.child.signalCode === null && samplesMissed <= SAMPLES_MISSED_MAX) {
  await sleep(SAMPLE_S * 1000);
  const row = await sample(service, elapsedS()).catch(() => null);
  // A request may fail, for instance after this machine was suspended.
  if (row === null) {
    samplesMissed += 1;
    continue;
  }
  rows.push(row);
  if (Math.floor(rows.at(-1)!.atS / 60) > Math.floor((rows.at(-2)?.atS ?? 0) / 60)) sayMinute(rows, totalS);
}
const ending = service.child.exitCode ?? service.child.signalCode;
if (ending !== null || samplesMissed > SAMPLES_MISSED_MAX) {
  process.stderr.write(ending === null ? `${samplesMissed} requests had no response\n` : `the service ended with ${ending}\n`);
  await endEarly();
}
running = false;
const isServed = subscribers === null || (await unsubscribe(subscribers));
if (!isServed) process.stderr.write('subscribers saw frames that do not follow each other, or none\n');
await Promise.all(probing);
for (const probe of probes) probe.close();

const latencies = probes.flatMap(({ samplesMs }) => samplesMs).sort((a, b) => a - b);
const warmS = Math.min(WARM_S_MAX, totalS / 2);
const warm = rows.filter(({ atS }) => atS >= warmS);
const rss = trendOf(warm.map(({ atS, rssMb }) => ({ atS, value: rssMb })));
const descriptors = trendOf(warm.map(({ atS, descriptors: value }) => ({ atS, value })));
const [first, last] = [warm[0]!, rows.at(-1)!];
const report = {
  aircraft: Number(values.aircraft),
  minutes: Number(values.minutes),
  readyS: Number(readyS.toFixed(1)),
  latencyMs: {
    samples: latencies.length,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
  },
  samplesMissed,
  lost: probes.reduce((sum, { lost }) => sum + lost, 0),
  aircraftListed: last.aircraft,
  messagesPerS: Math.round((last.messages - first.messages) / (last.atS - first.atS)),
  anonymousMb: { warm: first.anonymousMb, end: last.anonymousMb },
  cpuCores: Number(((last.cpuS - first.cpuS) / (last.atS - first.atS)).toFixed(2)),
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.stdout.write(`${trendText('RSS, MB', rss, RSS_MB_PER_MINUTE_MAX)}\n`);
process.stdout.write(`${trendText('descriptors', descriptors, DESCRIPTORS_PER_MINUTE_MAX)}\n`);

const status = await stopService();
process.stderr.write(`the service ended with ${status}\n`);
rmSync(dataDir, { recursive: true, force: true });
const grows = warmS > WARM_S_MIN && !(isFlat(rss, RSS_MB_PER_MINUTE_MAX) && isFlat(descriptors, DESCRIPTORS_PER_MINUTE_MAX));
process.exitCode = grows || !isServed || status !== 0 ? 1 : 0;
