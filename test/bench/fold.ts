// Decode + fold in frames per CPU second, compared with a plain-objects decoder on the same frames.
import { type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { type BenchFrame, batches, crowdedFrames, positionFrames, realFrames, repeated, simulatedFrames } from './frames.ts';
import { type Bench, type Figure, measure, rateFigure } from './harness.ts';
import { createPlainWorld, foldPlain } from './reference/plain-fold.ts';

const FRAMES_MIN = 1_000_000;
/** The reference is slow: it gets the first of the same frames. */
const REFERENCE_FRAMES = 500_000;
/** Amplitude of every frame, 0 to 255, as frames.ts packs it. */
const SIGNAL = 128;
const OPTIONS = { tickMs: TICK_MS, receiver: null };

/** Frames per CPU second of the second half: the aircraft are known by then, as in a service that has run for weeks. */
async function foldRate(frames: readonly BenchFrame[], onTick: ((tick: FoldTick) => void) | null): Promise<number> {
  const packed = batches(frames);
  const half = packed.length >> 1;
  let fold = new PartitionFold(OPTIONS);
  const apply = (from: number, to: number): void => {
    for (let offset = from; offset < to; offset += 1) fold.apply(packed[offset]!, offset, onTick);
  };
  const prepare = (): void => {
    fold = new PartitionFold(OPTIONS);
    apply(0, half);
  };
  const { cpuS } = await measure(() => apply(half, packed.length), prepare);
  return packed.slice(half).reduce((sum, { count }) => sum + count, 0) / cpuS;
}

/** With ticks it builds an object per changed aircraft and accepted position each second, as ours does; otherwise it only expires values. */
async function plainRate(frames: readonly BenchFrame[], withTicks: boolean): Promise<number> {
  const part = frames.slice(0, REFERENCE_FRAMES);
  let states = 0;
  const count = (built: readonly object[]): void => {
    states += built.length;
  };
  const onTick = withTicks ? count : null;
  const { cpuS } = await measure(
    () => {
      const world = createPlainWorld();
      for (const { bytes, timeUs } of part) foldPlain(world, bytes, timeUs / 1e6, SIGNAL, onTick);
      if (world.aircraft.size === 0 || (withTicks && states === 0)) throw new Error('the reference folded nothing');
    },
    undefined,
    3,
  );
  return part.length / cpuS;
}

const OURS = 'ours: all message families, source and age per value, copies, reliability, positions with speed check, signal, expiry';
const REFERENCE =
  'reference: the same families as an object per message, {value, rank, updated} per value in objects in a Map, duplicates by hex text, pairs and local positions with speed check, signal, expiry each second';

/** The input, and the work of both sides. */
function inputText(frames: readonly BenchFrame[], what: string, output: string): string {
  const head = Math.min(REFERENCE_FRAMES, frames.length);
  return `${frames.length} frames: ${what}; ${OURS}; ${REFERENCE}, first ${head} frames; ${output}`;
}

export const foldMixedBench: Bench = {
  name: 'fold-mixed',
  summary: 'decode + fold of mixed frames, no output (as in a silent replay)',
  async run() {
    const real = realFrames();
    const frames = repeated(real ?? simulatedFrames(240, 60), FRAMES_MIN);
    const what = real === null ? 'simulated traffic of 240 aircraft (shared data absent)' : 'the mixed real frames of the shared data';
    const [value, reference] = [await foldRate(frames, null), await plainRate(frames, false)];
    return [rateFigure('fold-mixed', 'frames/CPU-s', value, reference, inputText(frames, `${what}, repeated`, 'no output'))];
  },
};

export const foldPositionsBench: Bench = {
  name: 'fold-positions',
  summary: 'decode + fold of frames that nearly all carry a position, and of real frames of all formats of 240 aircraft',
  async run() {
    const figures: Figure[] = [];
    const crowd = crowdedFrames(240);
    if (crowd !== null) {
      const frames = repeated(crowd, FRAMES_MIN);
      const [value, reference] = [await foldRate(frames, null), await plainRate(frames, false)];
      const what = 'real frames of all formats, copied to 240 aircraft, repeated';
      figures.push(rateFigure('fold-crowd-240', 'frames/CPU-s', value, reference, inputText(frames, what, 'no output')));
    }
    for (const [aircraft, seconds] of [
      [240, 600],
      [15_000, 25],
      [60_000, 8],
    ] as const) {
      const frames = [...positionFrames(aircraft, seconds)];
      const [value, reference] = [await foldRate(frames, null), await plainRate(frames, false)];
      const what = `positions of ${aircraft} simulated aircraft, ${seconds} s`;
      figures.push(rateFigure(`fold-positions-${aircraft}`, 'frames/CPU-s', value, reference, inputText(frames, what, 'no output')));
    }
    return figures;
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
      const what = `${aircraft} simulated aircraft, ${seconds} s`;
      const silent = await foldRate(frames, null);
      const silentReference = await plainRate(frames, false);
      const silentText = inputText(frames, what, 'no output');
      figures.push(rateFigure(`fold-simulated-${aircraft}`, 'frames/CPU-s', silent, silentReference, silentText));
      let states = 0;
      const withTicks = await foldRate(frames, (tick) => {
        states += tick.aircraft.build().length;
      });
      const ticksText = inputText(
        frames,
        what,
        `both build objects of the changed states and the positions each second, ours ${states} states`,
      );
      figures.push(rateFigure(`fold-ticks-${aircraft}`, 'frames/CPU-s', withTicks, await plainRate(frames, true), ticksText));
    }
    return figures;
  },
};
