// Bytes and CPU time of binary push frames at 15,000 aircraft and a tick of 1 s, compared with JSON of the same frames.
import type { Listing } from '../../pipeline/view/listing.ts';
import { AircraftDecoder } from '../../push/codec/decoder.ts';
import { AircraftEncoder } from '../../push/codec/encoder.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';
import { SimulatedSky } from './push/sky.ts';

const AIRCRAFT = 15_000;
/** About 96 % of the simulated aircraft have a position after the warm-up. */
const SIMULATED_AIRCRAFT = 16_000;
/** Twice the frames after which each field was sent. */
const TICKS = 20;
const SLOW_FRAMES = 10;
/** Of the target in the issue: position, altitude, speed, track and rate. */
const TARGET = new Set(['lat', 'lon', 'alt_baro', 'gs', 'track', 'baro_rate', 'geom_rate']);

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
    const sky = new SimulatedSky(SIMULATED_AIRCRAFT);
    for (let seq = 0; seq <= TICKS; seq += 1) {
      const { times, listing } = sky.next();
      const indices = selected(listing);
      if (indices.length < AIRCRAFT) throw new Error(`${indices.length} aircraft have a position; ${AIRCRAFT} are needed`);
      for (const sums of [target, all]) await sums.tick(seq, times.nowMs, listing, indices);
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
