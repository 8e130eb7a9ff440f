// Decode + fold without output, as in a silent replay, in frames per CPU second: the loop that every frame takes.
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { batches, crowdedFrames, positionFrames, realFrames, repeated, simulatedFrames } from './frames.ts';
import { type Bench, type Figure, measure, rateFigure } from './harness.ts';

const FRAMES_MIN = 1_000_000;
const POSITIONS_AIRCRAFT = 15_000;
const POSITIONS_S = 25;

/** Frames per CPU second of the second half: the aircraft are known by then, as in a service that has run for weeks. */
function foldFigure(name: string, what: string, frames: readonly RecordedFrame[]): Figure {
  const packed = batches(frames);
  const half = packed.length >> 1;
  let fold: PartitionFold;
  const apply = (from: number, to: number): void => {
    for (let offset = from; offset < to; offset += 1) fold.apply(packed[offset]!, offset, null);
  };
  const prepare = (): void => {
    fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
    apply(0, half);
  };
  const cpuS = measure(() => apply(half, packed.length), prepare);
  const measured = packed.slice(half).reduce((sum, { count }) => sum + count, 0);
  return rateFigure(name, 'frames/CPU-s', measured / cpuS, `${frames.length} frames: ${what}; the second half, no output`);
}

export const foldMixedBench: Bench = {
  name: 'fold-mixed',
  summary: 'decode + fold of mixed frames',
  async run() {
    const real = realFrames();
    const what = real === null ? 'simulated traffic of 240 aircraft (shared data absent)' : 'the mixed real frames of the shared data';
    return [foldFigure('fold-mixed', `${what}, repeated`, repeated(real ?? simulatedFrames(240, 60), FRAMES_MIN))];
  },
};

export const foldPositionsBench: Bench = {
  name: 'fold-positions',
  summary: 'decode + fold of frames that nearly all have a position, and of real frames of all formats of 240 aircraft',
  async run() {
    const crowd = crowdedFrames(240);
    const positions = [...positionFrames(POSITIONS_AIRCRAFT, POSITIONS_S)];
    return [
      ...(crowd === null
        ? []
        : [foldFigure('fold-crowd-240', 'real frames of all formats, copied to 240 aircraft, repeated', repeated(crowd, FRAMES_MIN))]),
      foldFigure(
        `fold-positions-${POSITIONS_AIRCRAFT}`,
        `positions of ${POSITIONS_AIRCRAFT} simulated aircraft, ${POSITIONS_S} s`,
        positions,
      ),
    ];
  },
};
