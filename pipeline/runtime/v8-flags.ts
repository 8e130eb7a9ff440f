// Settings of the JavaScript engine for the fold.
import { setFlagsFromString } from 'node:v8';

/** V8 stops inlining at 920 bytes of bytecode in total; a frame's way through decode and fold is longer. Measured: 5 to 15 % more frames. */
export function tuneForFold(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=2000');
}
