// The whole service with thousands of subscribers at a tick of 1 s: from a raw frame that is sent to it until the last subscriber has it.
import { once } from 'node:events';
import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { callsignFrames, FIRST_PROBE_ADDRESS, LatencyProbe } from '../soak/latency-probe.ts';
import { Child, type LiveService, withService } from './children.ts';
import { costFigure, type Figure, percentile } from './harness.ts';
import { monotonicMs } from './push/clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from './push/readers.ts';

const PROBES = 8;
const SETTLE_MS = 20_000;
const PROBED_MS = 60_000;
const LOST_MS = 10_000;

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
    const before = await service.usage();
    const { pushedMs, polledMs } = await probed(service, lastMs);
    const after = await service.usage();
    await readers.stop();
    if (lastMs.size === 0) throw new Error(`no delta came to all ${subscribers} subscribers`);
    const input =
      `frame sent over TCP until the last of ${subscribers} subscribers has the delta with it, ${aircraft} simulated aircraft, tick 1 s, ${pushedMs.length} samples, ` +
      `service ${(((after.cpuS - before.cpuS) / PROBED_MS) * 1000).toFixed(2)} cores and ${after.megabytes.toFixed(0)} MB, load ${loadavg()[0]!.toFixed(1)}`;
    return [0.5, 0.99].map((share) =>
      costFigure(`${name}-p${100 * share}`, 'ms', percentile(pushedMs, share), input, {
        value: percentile(polledMs, share),
        what: 'until /v2/hex shows it',
      }),
    );
  });
}

/** Latencies of all probes, and of one that polls `/v2`. A frame that is lost counts with 10 s. */
async function probed(
  service: LiveService,
  lastMs: ReadonlyMap<number, number>,
): Promise<{ pushedMs: readonly number[]; polledMs: readonly number[] }> {
  const addresses = Array.from({ length: PROBES }, (_, i) => FIRST_PROBE_ADDRESS + i);
  const seqs = new Map<string, number>();
  const watcher = new WebSocket(`ws://127.0.0.1:${service.pushPort}/ws/?hex=${addresses.map(hexOf).join(',')}&fields=flight`);
  watcher.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { type: string; seq: number; new?: Shown[]; update?: Shown[] };
    for (const { hex, flight } of [...(frame.new ?? []), ...(frame.update ?? [])])
      if (flight) seqs.set(`${hex} ${flight.trim()}`, frame.seq);
  });
  await once(watcher, 'open');
  const feed = connect(service.listenPort, '127.0.0.1').resume();
  const poller = new LatencyProbe(service, FIRST_PROBE_ADDRESS + PROBES);
  await poller.open();
  const pushedMs: number[] = [];
  const end = monotonicMs() + PROBED_MS;
  const inTurns = async (i: number, sample: (turn: number) => Promise<void>): Promise<void> => {
    // Spread out, at varying times within a tick.
    for (let turn = 1; monotonicMs() < end; turn += 1) {
      await sleep(100 + ((turn * 377 + i * 131) % 900));
      await sample(turn);
    }
  };
  const probe = (address: number, i: number): Promise<void> =>
    inTurns(i, async (turn) => {
      const flight = `P${turn.toString().padStart(7, '0')}`;
      const start = monotonicMs();
      feed.write(callsignFrames(address, flight, turn));
      let last: number | undefined;
      while (last === undefined && monotonicMs() - start < LOST_MS) {
        await sleep(20);
        last = lastMs.get(seqs.get(`${hexOf(address)} ${flight}`) ?? -1);
      }
      pushedMs.push(last === undefined ? LOST_MS : last - start);
    });
  await Promise.all([...addresses.map(probe), inTurns(0, () => poller.sample())]);
  poller.close();
  feed.destroy();
  watcher.terminate();
  return { pushedMs, polledMs: poller.samplesMs };
}

interface Shown {
  readonly hex: string;
  readonly flight?: string | null;
}

function hexOf(address: number): string {
  return address.toString(16).padStart(6, '0');
}
