// Push to thousands of subscribers, server and readers in separate processes: the world as JSON and as binary frames, a filter for each subscriber, and the
// latency through the whole service. The reference writes one ready frame of the same size to as many sockets.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../support/service.ts';
import { bareMemory, Child } from './children.ts';
import { type Bench, costFigure, type Figure, median } from './harness.ts';
import { measureLatency } from './latency.ts';
import { monotonicMs } from './push/clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from './push/readers.ts';
import type { LocatedPoint, ServerKind, ServerOrder, ServerReport } from './push/server.ts';

const ROUNDS = 15;
/** Rounds before the measured ones. */
const WARM_UP_ROUNDS = 3;
const TICK_MS = 1000;
const QUIET_MS = 700;
/** Their deltas as JSON are about 30 KB a second. */
const WORLD_AIRCRAFT = 290;
/** About 15,000 of them have a position. */
const BUSY_AIRCRAFT = 16_000;
const BARE_FRAME_BYTES_MAX = 65_535;
const BINARY: Reader = { path: '/ws/', protocol: 'aircraft.v2.bin', first: '{"type":"subscribe"}' };
const adapters = ['uws', 'ws'] as const;

/** One tick. Times are from the moment at which the snapshot, or the frame, is handed over; CPU time is per frame delivered. */
interface Round {
  readonly lastMs: number;
  readonly hubMs: number;
  readonly cpuUs: number;
  readonly deliveredBytes: number;
}

/** A server and its readers, each in a process of its own. */
class Stand {
  private readonly server: Child<ServerOrder, ServerReport>;
  private readonly readers = new Child<ReadersOrder, ReadersReport>('./push/readers.js');
  private subscribers = 0;
  /** Memory of the server before the first connection: it makes its aircraft itself. */
  private emptyBytes = 0;
  connectionBytes = 0;
  ready!: ServerReport & { type: 'ready' };

  constructor(kind: ServerKind) {
    this.server = new Child('./push/server.js', [JSON.stringify(kind)]);
  }

  async open(readersOf: (points: readonly LocatedPoint[]) => readonly Reader[]): Promise<void> {
    this.ready = await this.server.report('ready');
    const { pid, port, points } = this.ready;
    const readers = readersOf(points);
    this.emptyBytes = residentBytes(pid).now;
    this.subscribers = readers.length;
    this.readers.order({ type: 'connect', port, readers });
    await this.readers.report('connected');
    this.readers.order({ type: 'follow', frames: readers.length });
    // Until nothing is sent any more.
    for (let bytes = -1; ; ) {
      await sleep(QUIET_MS);
      const usage = await this.usage();
      if (usage.bytes === bytes) break;
      bytes = usage.bytes;
    }
    this.connectionBytes = (residentBytes(pid).now - this.emptyBytes) / readers.length;
  }

  async round(): Promise<Round> {
    const before = await this.usage();
    const arrived = this.readers.report('delta');
    this.server.order({ type: 'tick' });
    const { seq, startMs, hubMs, cpuS } = await this.server.report('ticked');
    const delta = await arrived;
    this.server.order({ type: 'usage' });
    const usedS = (await this.server.report('usage')).cpuS - cpuS;
    const after = await this.usage();
    if (delta.seq !== seq || after.closed > 0) throw new Error(`delta ${delta.seq} instead of ${seq}, ${after.closed} connections closed`);
    return {
      ...{ lastMs: delta.times.at(-1)! - startMs, hubMs },
      cpuUs: (usedS * 1e6) / this.subscribers,
      deliveredBytes: (after.bytes - before.bytes) / this.subscribers,
    };
  }

  /** Rounds of a tick a second, after some of warm-up. */
  async rounds(): Promise<{ readonly rounds: readonly Round[]; readonly peakBytes: number }> {
    const rounds: Round[] = [];
    for (let n = -WARM_UP_ROUNDS; n < ROUNDS; n += 1) {
      if (n === 0) writeFileSync(`/proc/${this.ready.pid}/clear_refs`, '5');
      const start = monotonicMs();
      const round = await this.round();
      if (n >= 0) rounds.push(round);
      await sleep(Math.max(50, TICK_MS - (monotonicMs() - start)));
    }
    return { rounds, peakBytes: residentBytes(this.ready.pid).peak - this.emptyBytes };
  }

  async stop(): Promise<void> {
    await this.readers.stop();
    await this.server.stop();
  }

  private usage(): Promise<ReadersReport & { type: 'usage' }> {
    this.readers.order({ type: 'usage' });
    return this.readers.report('usage');
  }
}

type Measured = Round & { readonly peakBytes: number; readonly connectionBytes: number };

/** Medians of all rounds. */
async function measured(kind: ServerKind, readersOf: (points: readonly LocatedPoint[]) => readonly Reader[]): Promise<Measured> {
  const stand = new Stand(kind);
  try {
    await stand.open(readersOf);
    const { rounds, peakBytes } = await stand.rounds();
    const medians = Object.keys(rounds[0]!).map((name) => [name, median(rounds.map((round) => round[name as keyof Round]))]);
    return { ...(Object.fromEntries(medians) as Round), peakBytes, connectionBytes: stand.connectionBytes };
  } finally {
    await stand.stop();
  }
}

function pushBench(name: string, summary: string, aircraft: number, readersOf: (points: readonly LocatedPoint[]) => Reader[]): Bench {
  return {
    name,
    summary,
    async run() {
      const figures: Figure[] = [];
      for (const prefer of adapters) {
        const own = await measured({ kind: 'hub', prefer, aircraft }, readersOf);
        const frameBytes = Math.min(Math.round(own.deliveredBytes), BARE_FRAME_BYTES_MAX);
        const bare = await measured({ kind: 'bare', frameBytes }, () => readersOf([]).map(() => ({ path: '/' })));
        const input =
          `${summary} through ${prefer}, ${ROUNDS} ticks, ${(own.deliveredBytes / 1000).toFixed(1)} KB to each, hub ${own.hubMs.toFixed(0)} ms, ` +
          `${(own.connectionBytes / 1000).toFixed(1)} KB per connection, load ${loadavg()[0]!.toFixed(1)}`;
        const what = `a ready frame of ${(frameBytes / 1000).toFixed(1)} KB written to as many bare sockets`;
        const reference = (value: number) => ({ value, what });
        figures.push(
          costFigure(`${name}-${prefer}`, 'ms', own.lastMs, `until the last byte: ${input}`, reference(bare.lastMs)),
          costFigure(`${name}-${prefer}-cpu`, 'µs/delivery', own.cpuUs, `CPU time of the server: ${input}`, reference(bare.cpuUs)),
          costFigure(`${name}-${prefer}-rss`, 'MB', own.peakBytes / 1e6, `memory for them: ${input}`, await bareMemory()),
        );
      }
      return figures;
    },
  };
}

const everyone = (reader: Reader, subscribers: number) => (): Reader[] => Array<Reader>(subscribers).fill(reader);

export function pushWorldBench(subscribers: number): Bench {
  const what = `JSON deltas of ${WORLD_AIRCRAFT} aircraft to ${subscribers} subscribers`;
  return pushBench(`push-world-${subscribers}`, what, WORLD_AIRCRAFT, everyone({ path: '/ws/' }, subscribers));
}

export function pushBinaryBench(subscribers: number): Bench {
  const what = `binary deltas of about 15,000 aircraft to ${subscribers} subscribers`;
  return pushBench(`push-binary-world-${subscribers}`, what, BUSY_AIRCRAFT, everyone(BINARY, subscribers));
}

/** Circles, boxes, addresses, beginnings of call signs, and circles with altitudes, in turns. */
export function pushFiltersBench(subscribers: number): Bench {
  const what = `${subscribers} different filters on about 15,000 aircraft`;
  return pushBench(`push-filters-${subscribers}`, what, BUSY_AIRCRAFT, (points) =>
    Array.from({ length: subscribers }, (_, i) => ({ path: points.length === 0 ? '/' : filterPath(points, i) })),
  );
}

function filterPath(points: readonly LocatedPoint[], i: number): string {
  const { latDeg, lonDeg, flight, hex } = points[(i * 7919) % points.length]!;
  const circle = (radiusNm: number): string => `lat=${latDeg}&lon=${lonDeg}&radius_nm=${radiusNm}`;
  switch (i % 5) {
    case 0:
      return `/ws/?${circle(50 - (i % 25))}`;
    case 1:
      return `/ws/?bbox=${Math.max(-90, latDeg - 0.5)},${Math.max(-180, lonDeg - 0.5)},${Math.min(90, latDeg + 0.5)},${Math.min(180, lonDeg + 0.5)}`;
    case 2:
      return `/ws/?hex=${[hex, ...Array.from({ length: 9 }, (_, n) => points[(i + n * 7919) % points.length]!.hex)].join(',')}`;
    case 3:
      return flight === null ? `/ws/?hex=${hex}` : `/ws/?callsign=${flight.trim().slice(0, 4 + (i % 3))}&min_altitude=${i % 5000}`;
    default:
      return `/ws/?${circle(50)}&min_altitude=${10_000 + i}`;
  }
}

/** The whole service: the world of 290 aircraft as JSON. */
export function pushLatencyBench(subscribers: number): Bench {
  const name = `push-latency-${subscribers}`;
  return {
    name,
    summary: `the whole service with ${WORLD_AIRCRAFT} simulated aircraft and ${subscribers} subscribers, tick 1 s`,
    run: () => measureLatency(name, WORLD_AIRCRAFT, { path: '/ws/' }, subscribers),
  };
}
