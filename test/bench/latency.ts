// The whole service with thousands of subscribers at a tick of 1 s: from a raw frame that is sent to it until the last subscriber has it.
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { FIRST_PROBE_ADDRESS, PROBES, probed, type Shown, shownByHttp } from '../soak/latency-probe.ts';
import type { RunningService } from '../support/service.ts';
import { Child, sum, usageOf, withService } from './children.ts';
import { type Figure, latencyFigures } from './harness.ts';
import { monotonicMs } from './push/clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from './push/readers.ts';

const SETTLE_MS = 20_000;
const PROBED_MS = 60_000;

export function measureLatency(name: string, aircraft: number, reader: Reader, subscribers: number): Promise<Figure[]> {
  // Descriptors are mostly for subscribers here.
  const connections = ['--http-connections', '500', '--feeder-connections', '100', '--push-connections', String(subscribers + 100)];
  return withService(['--simulate', String(aircraft), '--push-tick', '1', ...connections], async (service) => {
    const readers = new Child<ReadersOrder, ReadersReport>('./push/readers.js');
    await sleep(SETTLE_MS);
    readers.order({ type: 'connect', port: service.pushPort, readers: Array<Reader>(subscribers).fill(reader) });
    await readers.report('connected');
    await sleep(SETTLE_MS / 2);
    /** When the last reader had each delta. */
    const lastMs = new Map<number, number>();
    readers.process.on('message', (report: ReadersReport) => {
      if (report.type === 'delta') lastMs.set(report.seq, report.times.at(-1)!);
    });
    readers.order({ type: 'follow', frames: subscribers });
    const before = usageOf(service.child.pid!);
    const [pushedMs, polledMs] = await pushedAndPolled(service, lastMs);
    const after = usageOf(service.child.pid!);
    await readers.stop();
    const input =
      `frame sent over TCP until the last of ${subscribers} subscribers has the delta with it, ${aircraft} simulated aircraft, tick 1 s, ${pushedMs.length} samples, ` +
      `service ${(((after.cpuS - before.cpuS) / PROBED_MS) * 1000).toFixed(2)} cores and ${sum(after.megabytes).toFixed(0)} MB, load ${loadavg()[0]!.toFixed(1)}`;
    return latencyFigures(`${name}-`, pushedMs, input, polledMs, 'until /v2/hex shows it');
  });
}

/** Latencies of all probes, and of one that polls `/v2`. */
async function pushedAndPolled(service: RunningService, lastMs: ReadonlyMap<number, number>): Promise<readonly [number[], number[]]> {
  const seqs = new Map<string, number>();
  const addresses = Array.from({ length: PROBES }, (_, i) => (FIRST_PROBE_ADDRESS + i).toString(16).padStart(6, '0'));
  const watcher = new WebSocket(`ws://127.0.0.1:${service.pushPort}/ws/?hex=${addresses.join(',')}&fields=flight`);
  watcher.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { type: string; seq: number; new?: Changed[]; update?: Changed[] };
    for (const { hex, flight } of [...(frame.new ?? []), ...(frame.update ?? [])])
      if (flight) seqs.set(`${hex} ${flight.trim()}`, frame.seq);
  });
  await once(watcher, 'open');
  const shown: Shown = (hex, flight) => lastMs.get(seqs.get(`${hex} ${flight}`) ?? -1) ?? 'no delta of it that all subscribers have';
  const latencies = await Promise.all([
    latenciesMs(service.listenPort, shown),
    latenciesMs(service.listenPort, shownByHttp(service.httpPort), { first: PROBES, count: 1 }),
  ]);
  watcher.terminate();
  return latencies;
}

/** Latencies in a minute; a change that is lost counts with 10 s. Error: half of the changes or more are lost, which is no measurement. */
export async function latenciesMs(
  listenPort: number,
  shown: Shown,
  probes?: { readonly first: number; readonly count: number },
): Promise<number[]> {
  const end = monotonicMs() + PROBED_MS;
  const { samplesMs, lost, instead } = await probed(listenPort, shown, () => monotonicMs() > end, probes);
  if (2 * lost < samplesMs.length) return samplesMs;
  throw new Error(`no latency: ${lost} of ${samplesMs.length} changes are lost, at load ${loadavg()[0]!.toFixed(1)}; instead: ${instead}`);
}

interface Changed {
  readonly hex: string;
  readonly flight?: string | null;
}
