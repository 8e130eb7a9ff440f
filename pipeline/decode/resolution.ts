// ACAS resolution advisory: TC 28 subtype 2 (BDS 6,1), DF 16 with VDS 3,0, and Comm-B register 3,0 share one layout.
// DO-260B §2.2.3.2.7.8.2; ICAO Annex 10 vol. IV §4.3.8.4.2.2 (MB), §4.3.8.4.2.4 (MV).
//
//   bit  1-8    TC 28 and subtype 2, or VDS/BDS 0x30
//        9-22   ARA   active advisories
//       23-26   RAC   complements received
//       27      RAT   advisory ended
//       28      MTE   more than one threat
//       29-30   TTI   threat type: 0 none, 1 address, 2 altitude, range and bearing
//       31-56   TID   threat identity
//
// The report is kept as bytes: it is shown, logged and compared, never computed with.

import type { Resolution } from './message.ts';

const VDS_RESOLUTION = 0x30;

/** True when the MV field of the DF 16 frame at `at` holds a resolution advisory report. */
export function holdsResolution(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 4] === VDS_RESOLUTION;
}

/** `field` is where the ME, MB or MV field begins. */
export function decodeResolution(field: number, out: Resolution): void {
  out.at = field;
}
