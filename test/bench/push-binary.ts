// Bytes and CPU time of binary push frames at 15,000 aircraft and a tick of 1 s, compared with JSON of the same frames.
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { LiveTable } from '../../pipeline/view/table.ts';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import { AircraftEncoder } from '../../push/codec/encoder.ts';
import { type BenchFrame, batches } from './frames.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';

const AIRCRAFT = 15_000;
/** About 96 % of the simulated aircraft have a position after the warm-up. */
const SIMULATED_AIRCRAFT = 16_000;
const WARM_UP_S = 25;
/** Twice the frames after which each field was sent. */
const TICKS = 20;
const SLOW_FRAMES = 10;
const START_US = 1_700_000_000_000_000;
/** Of the target in the issue: position, altitude, speed, track and rate. */
const TARGET = new Set(['lat', 'lon', 'alt_baro', 'gs', 'track', 'baro_rate', 'geom_rate']);

/** A listing per second of simulated traffic through fold and view, after the warm-up; each is valid until the next. */
function* listings(): Iterable<{ nowMs: number; listing: Listing }> {
  const traffic = createTraffic({ aircraft: SIMULATED_AIRCRAFT, seed: 1, startUs: START_US });
  const fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  const table = new LiveTable();
  let nowMs = 0;
  let offset = 0;
  const builder = new SnapshotBuilder(table, () => nowMs, 'bench');
  for (let second = 1; second <= WARM_UP_S + TICKS; second += 1) {
    const frames: BenchFrame[] = [];
    traffic.advance(START_US + second * 1e6, ({ timeUs, bytes, at, byteLength, receiver }) => {
      frames.push({ timeUs: timeUs - START_US, bytes: bytes.slice(at, at + byteLength), receiver });
    });
    for (const batch of batches(frames)) {
      fold.apply(batch, offset, (tick) => {
        for (const state of tick.aircraft.build()) table.applyState(state);
        nowMs = tick.progress.tickMs;
      });
      offset += 1;
    }
    if (second >= WARM_UP_S) yield { nowMs, listing: builder.build(nowMs, 0).listing };
  }
}

/** The first aircraft that have a position, by address, so that they are the same at each tick. */
function selected(listing: Listing): Int32Array {
  const located = Int32Array.from({ length: listing.count }, (_, i) => i).filter((i) => listing.hasPosition(i));
  return located.sort((a, b) => listing.columns.key[a]! - listing.columns.key[b]!).subarray(0, AIRCRAFT);
}

/** Sums over all ticks but the first. */
class Sums {
  readonly encoder: AircraftEncoder;
  private readonly decoder = new AircraftDecoder();
  bytes = 0;
  bytesMax = 0;
  jsonBytes = 0;
  cpuMs = 0;
  jsonCpuMs = 0;

  constructor(members?: ReadonlySet<string>) {
    this.encoder = new AircraftEncoder({ stream: 'bench', slowFrames: SLOW_FRAMES, ...(members === undefined ? {} : { members }) });
  }

  async tick(seq: number, nowMs: number, listing: Listing, indices: Int32Array): Promise<void> {
    const { value: delta, ms } = timed(() => this.encoder.delta(seq, nowMs, listing, indices));
    const decoded = await this.decoder.decode(seq === 0 ? this.encoder.full() : delta);
    if (seq === 0) return;
    const json = timed(() => Buffer.from(JSON.stringify(decoded)));
    this.bytes += delta.length;
    this.bytesMax = Math.max(this.bytesMax, delta.length);
    this.jsonBytes += json.value.length;
    this.cpuMs += ms;
    this.jsonCpuMs += json.ms;
  }
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}

export const pushBinaryBench: Bench = {
  name: 'push-binary',
  summary: `binary frames of ${AIRCRAFT} aircraft at a tick of 1 s`,
  async run(): Promise<Figure[]> {
    const [target, all] = [new Sums(TARGET), new Sums()];
    let seq = 0;
    for (const { nowMs, listing } of listings()) {
      const indices = selected(listing);
      if (indices.length < AIRCRAFT) throw new Error(`${indices.length} aircraft have a position; ${AIRCRAFT} are needed`);
      for (const sums of [target, all]) await sums.tick(seq, nowMs, listing, indices);
      seq += 1;
    }
    const input = `${AIRCRAFT} simulated aircraft with a position, ${TICKS} ticks of 1 s`;
    const kilobytes = (bytes: number): number => bytes / TICKS / 1000;
    const text = 'reference: JSON of the same deltas, not compressed';
    const largest = `the largest frame has ${Math.round(all.bytesMax / 1000)} KB`;
    return [
      costFigure(
        'push-binary-target',
        'KB/s',
        kilobytes(target.bytes),
        kilobytes(target.jsonBytes),
        `${input}; position, altitude, speed, track, rate; ${text}`,
      ),
      costFigure(
        'push-binary-all',
        'KB/s',
        kilobytes(all.bytes),
        kilobytes(all.jsonBytes),
        `${input}; all fields, slow ones every ${SLOW_FRAMES} s; ${largest}; ${text}`,
      ),
      costFigure(
        'push-binary-encode',
        'ms/tick',
        all.cpuMs / TICKS,
        all.jsonCpuMs / TICKS,
        `${input}; all fields; CPU time with compression; reference: JSON.stringify of the ready deltas`,
      ),
    ];
  },
};
