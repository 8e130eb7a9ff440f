// Entry of `npm run soak`: the whole service under simulated load for minutes; prints latency frame → /v2, memory and CPU.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LatencyProbe } from './latency-probe.ts';

const PROBES = 8;
const FIRST_PROBE_ADDRESS = 0x3f_f000;
const SETTLE_S = 60;
const TICKS_PER_S = 100;

const { values } = parseArgs({
  options: {
    aircraft: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    http: { type: 'string', default: '18080' },
    listen: { type: 'string', default: '18004' },
  },
});
const minutes = Number(values.minutes);
const [httpPort, feedPort] = [Number(values.http), Number(values.listen)];
const dataDir = mkdtempSync(join(tmpdir(), 'squitter-soak-'));
const child = spawn(
  process.execPath,
  [
    'dist/infra/cli/squitter.js',
    ...['start', '--data', dataDir, '--simulate', values.aircraft],
    ...['--http', `127.0.0.1:${httpPort}`, '--listen', `127.0.0.1:${feedPort}`],
  ],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
const startMs = performance.now();
const elapsedS = (): number => (performance.now() - startMs) / 1000;

interface Sample {
  readonly atS: number;
  readonly rssMb: number;
  readonly anonymousMb: number;
  readonly cpuS: number;
  readonly aircraft: number;
  readonly messages: number;
}
const samples: Sample[] = [];

async function sample(): Promise<void> {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const megabytes = (field: string): number => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const cpuS = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
  const stats = (await (await fetch(`http://127.0.0.1:${httpPort}/v2/stats`)).json()) as { aircraft_count?: number; messages?: number };
  const row = {
    atS: Math.round(elapsedS()),
    rssMb: megabytes('VmRSS'),
    anonymousMb: megabytes('RssAnon'),
    cpuS,
    aircraft: stats.aircraft_count ?? 0,
    messages: stats.messages ?? 0,
  };
  samples.push(row);
  process.stderr.write(`${JSON.stringify(row)}\n`);
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 200));
}

await until(async () => (await fetch(`http://127.0.0.1:${httpPort}/readyz`)).ok);
const readyS = elapsedS();
const probes = Array.from({ length: PROBES }, (_, i) => new LatencyProbe({ httpPort, feedPort }, FIRST_PROBE_ADDRESS + i));
for (const probe of probes) await probe.open();
let running = true;
const probing = probes.map(async (probe) => {
  await until(async () => elapsedS() > SETTLE_S || !running);
  while (running) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * Math.random()));
    await probe.sample();
  }
});
while (elapsedS() < minutes * 60) {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  await sample();
}
running = false;
await Promise.all(probing);
const latencies = probes.flatMap(({ samplesMs }) => samplesMs).sort((a, b) => a - b);
const near = (atS: number): Sample | undefined => samples.find((row) => row.atS >= atS);
const [first, last] = [near(120) ?? samples[0]!, samples.at(-1)!];
process.stdout.write(
  `${JSON.stringify(
    {
      aircraft: Number(values.aircraft),
      minutes,
      readyS: Number(readyS.toFixed(1)),
      latencyMs: {
        samples: latencies.length,
        p50: percentile(latencies, 0.5),
        p95: percentile(latencies, 0.95),
        p99: percentile(latencies, 0.99),
        max: percentile(latencies, 1),
      },
      lost: probes.reduce((sum, { lost }) => sum + lost, 0),
      aircraftListed: last.aircraft,
      messagesPerS: Math.round((last.messages - first.messages) / (last.atS - first.atS)),
      rssMb: { minute2: first.rssMb, end: last.rssMb },
      anonymousMb: { minute2: first.anonymousMb, end: last.anonymousMb },
      cpuCores: Number(((last.cpuS - first.cpuS) / (last.atS - first.atS)).toFixed(2)),
    },
    null,
    2,
  )}\n`,
);
for (const probe of probes) probe.close();
const exited = new Promise((resolve) => child.once('exit', resolve));
child.kill('SIGTERM');
process.stderr.write(`the service ended with ${await exited}\n`);
rmSync(dataDir, { recursive: true, force: true });
