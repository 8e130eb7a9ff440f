// Settings of the JavaScript engine for the fold and the log. Call before worker threads are started: they take them over.
import { setFlagsFromString } from 'node:v8';

/**
 * For node itself where a process folds in its main thread, as each fold of a cluster does: a heap takes its first limit before any code runs.
 * Measured: a tenth more frames.
 */
export const FOLD_NODE_FLAGS: readonly string[] = ['--initial-old-space-size=256'];

export function tuneForFold(): void {
  // V8 stops inlining at 460 bytes of bytecode of one function and 920 in total; a frame's way through decode and fold is longer. Measured
  // against V8's own numbers: 10 to 25 % more frames. More than these changed nothing that could be told from noise.
  setFlagsFromString('--max-inlined-bytecode-size=800');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000');
  setFlagsFromString('--max-inlined-bytecode-size-small=60');
  // Frames pass through buffers outside the heap. Beside a heap of 10 MB they look like much, and V8 would collect all of it several times a
  // second. Below this size it runs no full collection; a thread that has reached it collects, so this is also what garbage may take.
  setFlagsFromString('--initial-old-space-size=16');
  // The young generation of a worker thread is twice this: with V8's own 16 MB, three threads hold 96 MB for garbage.
  setFlagsFromString('--max-semi-space-size=8');
  // V8 puts objects of a place in the code straight into the old space once most of them were alive at a few collections. Ours live for a
  // commit: some are alive whenever a collection comes, and none for long.
  setFlagsFromString('--no-allocation-site-pretenuring');
}
