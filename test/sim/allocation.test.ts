// Decode and fold allocate no object per frame: V8 samples every allocation of some hundred thousand frames, with the function that made it. The
// heap is so large that no collection runs.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { projectDir } from '../support/requirements.ts';

const AIRCRAFT = 1500;
const SECONDS = 40;
/**
 * A frame allocates no object, not even V8's 16-byte boxes of numbers beyond small integers that cross a call which is not inlined: such
 * numbers stay in fields, and only integers are passed. Ticks and records allocate 0.8 bytes a frame.
 */
const BYTES_PER_FRAME_MAX = 1.5;

/**
 * Runs in a separate process, compiled code. The first rounds compile it. What V8 itself keeps on the heap for its compilers has no function of
 * the product, so it is not counted.
 */
const script = `
  import { Session } from 'node:inspector/promises';
  import { batches, simulatedFrames } from './dist/modules/test/bench/frames.js';
  import { PartitionFold } from './dist/modules/pipeline/fold/partition-fold.js';
  import { tuneForFold } from './dist/modules/pipeline/runtime/v8-flags.js';
  tuneForFold();
  const records = batches(simulatedFrames(${AIRCRAFT}, ${SECONDS}));
  const half = records.length >> 1;
  const foldAll = (from, to, fold) => {
    let frames = 0;
    for (let i = from; i < to; i += 1) {
      fold.apply(records[i], i, null);
      frames += records[i].count;
    }
    return frames;
  };
  const foldFirstHalf = () => {
    const fold = new PartitionFold({ tickMs: 1000, receiver: null });
    foldAll(0, half, fold);
    return fold;
  };
  for (let round = 0; round < 4; round += 1) foldAll(half, records.length, foldFirstHalf());
  const fold = foldFirstHalf();
  gc();
  const session = new Session();
  session.connect();
  const garbageToo = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post('HeapProfiler.startSampling', { samplingInterval: 16, ...garbageToo });
  const frames = foldAll(half, records.length, fold);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  const functions = [];
  const visit = ({ callFrame: { functionName, url, lineNumber }, selfSize, children }) => {
    const [, module] = url.split('/dist/modules/pipeline/');
    if (module !== undefined && selfSize > 0) functions.push({ name: functionName + ' ' + module + ':' + (lineNumber + 1), bytes: selfSize });
    children.forEach(visit);
  };
  visit(profile.head);
  console.log(JSON.stringify({ frames, functions: functions.sort((a, b) => b.bytes - a.bytes) }));
`;

it('allocates no object per frame', { timeout: 120_000 }, async () => {
  const flags = ['--expose-gc', '--min-semi-space-size=1024', '--max-semi-space-size=1024', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: projectDir });
  const { frames, functions } = JSON.parse(stdout) as { frames: number; functions: { name: string; bytes: number }[] };
  expect(frames).toBeGreaterThan(100_000);
  const bytes = functions.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(bytes, 'the profile has the objects of ticks').toBeGreaterThan(0);
  expect(bytes / frames, JSON.stringify(functions.slice(0, 5))).toBeLessThan(BYTES_PER_FRAME_MAX);
});
