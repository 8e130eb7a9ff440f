// Test message, TC 23. Subtype 0 is for test equipment; subtype 7 carries the Mode A code in the national use of some states (1090-WP-15-20).
//
//   ME bit  1-5   TC 23
//           6-8   subtype 7
//           9-21  Mode A code as in identity.ts, 0 for none

import { squawkOfIdentity } from './identity.ts';
import { ABSENT, type TestMessage } from './message.ts';

/** Subtype 7. `me` is the offset of the ME field. */
export function decodeTestMessage(bytes: Uint8Array, me: number, out: TestMessage): void {
  const identity = (bytes[me + 1]! << 5) | (bytes[me + 2]! >> 3);
  out.squawk = identity === 0 ? ABSENT : squawkOfIdentity(identity);
}
