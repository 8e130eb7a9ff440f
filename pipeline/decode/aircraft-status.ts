// Aircraft status, TC 28 subtype 1: emergency state and Mode A code (BDS 6,1). DO-260B §2.2.3.2.7.8.1. Subtype 2 is in advisory.ts.
//
//   ME bit  1-5   TC 28
//           6-8   subtype 1
//           9-11  emergency/priority status: 0 none, 1 general, 2 lifeguard/medical, 3 minimum fuel, 4 no communications,
//                 5 unlawful interference, 6 downed aircraft, 7 reserved
//          12-24  Mode A code as in identity.ts (version 2; 0 in version 1)
//          25-56  reserved; 56 in ADS-R the ICAO/Mode A flag

import { squawkOfIdentity } from './identity.ts';
import { ABSENT, type Emergency } from './message.ts';

/** `me` is the offset of the ME field. */
export function decodeEmergency(bytes: Uint8Array, me: number, out: Emergency): void {
  const b1 = bytes[me + 1]!;
  const identity = ((b1 & 0x1f) << 8) | bytes[me + 2]!;
  out.code = b1 >> 5;
  out.squawk = identity === 0 ? ABSENT : squawkOfIdentity(identity);
}
