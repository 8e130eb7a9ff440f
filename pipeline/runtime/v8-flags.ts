// Settings of the JavaScript engine for the fold and the log. Call before starting worker threads: they inherit the settings.
import { setFlagsFromString } from 'node:v8';

export function tuneForFold(): void {
  // V8 stops inlining at 460 bytes of bytecode per function and 920 in total; the path of a frame through decode and fold is longer.
  // Measured against the defaults: 10 to 25 % more frames. 5000 in total instead of 3000: 3 to 8 % more.
  setFlagsFromString('--max-inlined-bytecode-size=800');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=5000');
  setFlagsFromString('--max-inlined-bytecode-size-small=60');
  // Frames are in buffers outside the heap. Compared with a heap of 10 MB they are large, and V8 would run a full collection several times
  // a second. Below this size it runs none; a thread above it does, so this also bounds the garbage.
  setFlagsFromString('--initial-old-space-size=16');
  // The young generation of a worker thread is twice this: with V8's default of 16 MB, two threads use 64 MB for garbage. Between 1 and 8 MB
  // no difference in frames was measured.
  setFlagsFromString('--max-semi-space-size=1');
  // V8 maps its built-in functions once more for every heap, near the compiled code: 1.2 MB each, and no difference in frames was measured.
  setFlagsFromString('--no-short-builtin-calls');
  // V8 allocates objects of a code location directly in the old space when most of them survived a few collections. Our objects live for
  // one commit: some are alive at every collection, and none for long.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * For an ingest that takes frames from feeders at any rate: call before its thread starts, after the others. Sockets read into buffers that live
 * for microseconds; with the limit above V8 marks the whole heap for every 17 MB of them. Measured at full rate: 8 % less CPU of the whole service.
 * Do not use it for simulated aircraft: their planning leaves a heap of twice the size behind.
 */
export function tuneForFeeders(): void {
  setFlagsFromString('--initial-old-space-size=64');
}
