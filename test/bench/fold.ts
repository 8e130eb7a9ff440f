// Decode + fold in frames per CPU second, beside a plain-objects decoder on the same frames.
import { type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { type BenchFrame, batches, realFrames, repeated, simulatedFrames } from './frames.ts';
import { type Bench, type Figure, measure, rateFigure } from './harness.ts';
import { decodePlain, foldPlain, type PlainAircraft } from './reference/plain-decoder.ts';

const FRAMES_MIN = 1_000_000;
/** The reference is slow: it gets the head of the same frames. */
const REFERENCE_FRAMES = 200_000;
const OPTIONS = { tickMs: TICK_MS, receiver: null };

async function foldRate(frames: readonly BenchFrame[], onTick: ((tick: FoldTick) => void) | null): Promise<number> {
  const packed = batches(frames);
  const { cpuS } = await measure(() => {
    const fold = new PartitionFold(OPTIONS);
    packed.forEach((batch, offset) => {
      fold.apply(batch, offset, onTick);
    });
  });
  return frames.length / cpuS;
}

async function plainRate(frames: readonly BenchFrame[]): Promise<number> {
  const part = frames.slice(0, REFERENCE_FRAMES);
  const { cpuS } = await measure(() => {
    const aircraft = new Map<string, PlainAircraft>();
    for (const { bytes, timeUs } of part) {
      const message = decodePlain(bytes);
      if (message !== null) foldPlain(aircraft, message, timeUs / 1e6);
    }
  }, 3);
  return part.length / cpuS;
}

export const foldMixedBench: Bench = {
  name: 'fold-mixed',
  summary: 'decode + fold of mixed frames, no output (as in a silent replay)',
  async run() {
    const real = realFrames();
    const frames = repeated(real ?? simulatedFrames(240, 60), FRAMES_MIN);
    const what = real === null ? 'simulated traffic of 240 aircraft (shared data absent)' : 'the mixed real frames of the shared data';
    const [value, reference] = [await foldRate(frames, null), await plainRate(frames)];
    const input = `${frames.length} frames: ${what}, repeated; reference: plain-objects decoder, first ${REFERENCE_FRAMES} frames`;
    return [rateFigure('fold-mixed', 'frames/CPU-s', value, reference, input)];
  },
};

export const foldSimulatedBench: Bench = {
  name: 'fold-simulated',
  summary: 'decode + fold of simulated traffic, without output and with every tick built',
  async run() {
    const figures: Figure[] = [];
    for (const [aircraft, seconds] of [
      [240, 120],
      [1500, 30],
      [15_000, 10],
      [60_000, 4],
    ] as const) {
      const frames = simulatedFrames(aircraft, seconds);
      const reference = await plainRate(frames);
      const input = `${frames.length} frames: ${aircraft} simulated aircraft, ${seconds} s; reference: plain-objects decoder, first ${REFERENCE_FRAMES} frames`;
      figures.push(rateFigure(`fold-simulated-${aircraft}`, 'frames/CPU-s', await foldRate(frames, null), reference, input));
      let records = 0;
      const withTicks = await foldRate(frames, (tick) => {
        records += tick.aircraft.length;
      });
      figures.push(
        rateFigure(
          `fold-ticks-${aircraft}`,
          'frames/CPU-s',
          withTicks,
          reference,
          `${input}; building ${records} states and all positions`,
        ),
      );
    }
    return figures;
  },
};
