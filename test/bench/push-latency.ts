// The whole service with thousands of subscribers at a tick of 1 s: from a raw frame that is sent to it until the last subscriber has it.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { freePorts } from '../local/ports.ts';
import { callsignFrames, LatencyProbe } from '../soak/latency-probe.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { type Bench, costFigure } from './harness.ts';
import { monotonicMs, processCpuSeconds, residentBytes } from './push/clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from './push/readers.ts';
import { loadText } from './push/stand.ts';

const PROBES = 8;
const FIRST_PROBE_ADDRESS = 0x3f_f000;
const SETTLE_MS = 20_000;
const PROBED_MS = 60_000;
const LOST_MS = 10_000;
const cli = fileURLToPath(new URL('../../infra/cli/squitter.js', import.meta.url));
const readersFile = fileURLToPath(new URL('./push/readers.js', import.meta.url));

interface Service {
  readonly child: ChildProcess;
  readonly httpPort: number;
  readonly pushPort: number;
  readonly feedPort: number;
}

/** The world of 290 aircraft as JSON, about 30 KB a tick. */
export function pushWorldLatencyBench(subscribers: number): Bench {
  return latencyBench('push-latency', 290, { path: '/ws/' }, subscribers);
}

/** The world of 15,000 aircraft as binary frames, about 35 KB a tick. */
export function pushBinaryLatencyBench(subscribers: number): Bench {
  return latencyBench(
    'push-latency-binary',
    15_000,
    { path: '/ws/', protocol: 'aircraft.v2.bin', first: '{"type":"subscribe"}' },
    subscribers,
  );
}

function latencyBench(name: string, aircraft: number, reader: Reader, subscribers: number): Bench {
  return {
    name: `${name}-${subscribers}`,
    summary: `the whole service with ${aircraft} simulated aircraft and ${subscribers} subscribers, tick 1 s`,
    async run() {
      const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
      const service = await startService(aircraft, subscribers, dataDir);
      const readers = fork(readersFile, { stdio: 'inherit', serialization: 'advanced' });
      try {
        await sleep(SETTLE_MS);
        const order: ReadersOrder = { type: 'connect', port: service.pushPort, readers: Array<Reader>(subscribers).fill(reader) };
        readers.send(order);
        const ended = once(readers, 'exit').then(() => {
          throw new Error('the readers ended');
        });
        ended.catch(() => {});
        await Promise.race([once(readers, 'message'), ended]);
        await sleep(SETTLE_MS / 2);
        const arrivals = new Arrivals(readers, subscribers);
        const cpuS = processCpuSeconds(service.child.pid!);
        const { samplesMs, polled } = await probed(service, arrivals);
        const cores = ((processCpuSeconds(service.child.pid!) - cpuS) / PROBED_MS) * 1000;
        const { peak } = residentBytes(service.child.pid!);
        if (arrivals.lastMs.size === 0) throw new Error(`no delta came to all ${subscribers} subscribers: ${await lost(readers)}`);
        const input =
          `frame sent over TCP until the last of ${subscribers} subscribers has the delta with it, ${aircraft} simulated aircraft, tick 1 s, ${samplesMs.length} samples, ` +
          `largest ${Math.round(samplesMs.at(-1)!)} ms, ${arrivals.summary()}, service ${cores.toFixed(2)} cores and at most ${Math.round(peak / 1e6)} MB, ${loadText()}; reference: until /v2/hex shows it`;
        return [0.5, 0.99].map((share) => costFigure(`${this.name}-p${100 * share}`, 'ms', at(samplesMs, share), at(polled, share), input));
      } finally {
        if (readers.connected) readers.disconnect();
        service.child.kill('SIGTERM');
        await once(service.child, 'exit');
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

async function startService(aircraft: number, subscribers: number, dataDir: string): Promise<Service> {
  // The banner shows the streams on the HTTP port only, which hands them over: here they are connected to directly.
  const [pushPort] = (await freePorts(1)) as [number];
  const flags = ['--data', dataDir, '--simulate', String(aircraft), ...freePortFlags, '--push', `127.0.0.1:${pushPort}`];
  // Descriptors are mostly for subscribers here.
  const connections = ['--http-connections', '500', '--feeder-connections', '100', '--push-connections', String(subscribers + 100)];
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=2', '--no-short-builtin-calls', cli, 'start', ...flags, ...connections, '--push-tick', '1'],
    // Its log is of no interest here.
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' },
    },
  );
  let banner = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    banner += chunk.toString();
  });
  while (!banner.includes('is live at')) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await sleep(100);
  }
  const port = (pattern: RegExp): number => Number(pattern.exec(banner)![1]);
  return {
    child,
    httpPort: port(/http:\/\/127\.0\.0\.1:(\d+)/),
    pushPort,
    feedPort: port(/Beast\/AVR\s+\S+:(\d+)/),
  };
}

async function lost(readers: ChildProcess): Promise<string> {
  const order: ReadersOrder = { type: 'usage' };
  readers.send(order);
  const [{ closed, bytes }] = (await once(readers, 'message')) as [ReadersReport & { type: 'usage' }];
  return `${closed} were closed, ${Math.round(bytes / 1e6)} MB came`;
}

/** When the last reader had each delta. */
class Arrivals {
  readonly lastMs = new Map<number, number>();
  private readonly spansMs: number[] = [];

  constructor(readers: ChildProcess, subscribers: number) {
    readers.on('message', (report: ReadersReport) => {
      if (report.type !== 'delta') return;
      const { times } = report;
      this.lastMs.set(report.seq, times.at(-1)!);
      this.spansMs.push(times.at(-1)! - times[0]!);
    });
    const order: ReadersOrder = { type: 'follow', frames: subscribers };
    readers.send(order);
  }

  summary(): string {
    const sorted = this.spansMs.toSorted((a, b) => a - b);
    return `${sorted.length} ticks, from the first to the last subscriber p50 ${at(sorted, 0.5).toFixed(0)} ms, largest ${at(sorted, 1).toFixed(0)} ms`;
  }
}

/** Samples of all probes, and of one that polls `/v2`, sorted. */
async function probed(service: Service, arrivals: Arrivals): Promise<{ samplesMs: number[]; polled: readonly number[] }> {
  const addresses = Array.from({ length: PROBES }, (_, i) => FIRST_PROBE_ADDRESS + i);
  const seqs = new Map<string, number>();
  const watcher = new WebSocket(`ws://127.0.0.1:${service.pushPort}/ws/?hex=${addresses.map(hexOf).join(',')}&fields=flight`);
  watcher.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { type: string; seq: number; new?: Shown[]; update?: Shown[] };
    for (const { hex, flight } of [...(frame.new ?? []), ...(frame.update ?? [])])
      if (flight) seqs.set(`${hex} ${flight.trim()}`, frame.seq);
  });
  await once(watcher, 'open');
  const feed = connect(service.feedPort, '127.0.0.1').resume();
  const samplesMs: number[] = [];
  const poller = new LatencyProbe(service, FIRST_PROBE_ADDRESS + PROBES);
  await poller.open();
  const end = monotonicMs() + PROBED_MS;
  const probe = async (address: number, i: number): Promise<void> => {
    for (let turn = 1; monotonicMs() < end; turn += 1) {
      await sleep(100 + ((turn * 377 + i * 131) % 900));
      const flight = `P${turn.toString().padStart(7, '0')}`;
      const start = monotonicMs();
      feed.write(callsignFrames(address, flight, turn));
      let lastMs: number | undefined;
      while (lastMs === undefined && monotonicMs() - start < LOST_MS) {
        await sleep(20);
        lastMs = arrivals.lastMs.get(seqs.get(`${hexOf(address)} ${flight}`) ?? -1);
      }
      samplesMs.push(lastMs === undefined ? LOST_MS : lastMs - start);
    }
  };
  const poll = async (): Promise<void> => {
    for (let turn = 0; monotonicMs() < end; turn += 1) {
      await sleep(100 + ((turn * 377) % 900));
      await poller.sample();
    }
  };
  await Promise.all([...addresses.map(probe), poll()]);
  poller.close();
  feed.destroy();
  watcher.terminate();
  return { samplesMs: samplesMs.sort((a, b) => a - b), polled: poller.samplesMs.sort((a, b) => a - b) };
}

interface Shown {
  readonly hex: string;
  readonly flight?: string | null;
}

function hexOf(address: number): string {
  return address.toString(16).padStart(6, '0');
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
