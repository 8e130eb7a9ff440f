// Decode and fold allocate no object per frame. The heap is so large that no collection runs; the test counts what some hundred thousand
// frames leave.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { projectDir } from '../support/requirements.ts';

const AIRCRAFT = 1500;
const SECONDS = 40;
/**
 * A frame allocates no object, not even V8's 16-byte boxes of numbers beyond small integers that cross a call which is not inlined: such
 * numbers stay in fields, and only integers are passed. The rest is allocated per tick, per record and by the measurement: 0.1 bytes a
 * frame.
 */
const BYTES_PER_FRAME_MAX = 1;

/**
 * Runs in a separate process, compiled code. Each round measures its second half after an explicit garbage collection. The round with the
 * fewest bytes counts: V8 compiles beside the others, and what it keeps of that is on the heap. What a frame allocates is there in every round.
 */
const script = `
  import { batches, simulatedFrames } from './dist/modules/test/bench/frames.js';
  import { PartitionFold } from './dist/modules/pipeline/fold/partition-fold.js';
  import { tuneForFold } from './dist/modules/pipeline/runtime/v8-flags.js';
  tuneForFold();
  const records = batches(simulatedFrames(${AIRCRAFT}, ${SECONDS}));
  const foldAll = (from, to, fold) => {
    let frames = 0;
    for (let i = from; i < to; i += 1) {
      fold.apply(records[i], i, null);
      frames += records[i].count;
    }
    return frames;
  };
  const options = { tickMs: 1000, receiver: null };
  const half = records.length >> 1;
  const measured = [];
  for (let round = 0; round < 16; round += 1) {
    const fold = new PartitionFold(options);
    foldAll(0, half, fold);
    gc();
    const before = process.memoryUsage().heapUsed;
    const frames = foldAll(half, records.length, fold);
    measured.push({ frames, bytes: process.memoryUsage().heapUsed - before });
  }
  console.log(JSON.stringify(measured.reduce((least, next) => (next.bytes < least.bytes ? next : least))));
`;

it('allocates no object per frame', { timeout: 60_000 }, async () => {
  const flags = ['--expose-gc', '--min-semi-space-size=1024', '--max-semi-space-size=1024', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: projectDir });
  const { frames, bytes } = JSON.parse(stdout) as { frames: number; bytes: number };
  expect(frames).toBeGreaterThan(100_000);
  expect(bytes / frames).toBeLessThan(BYTES_PER_FRAME_MAX);
});
