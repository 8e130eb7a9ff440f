// Comm-B replies (DF 20, 21): the MB field, whose register the frame does not name. ICAO Annex 10 vol. IV §3.1.2.6.6, §3.1.2.6.8.
//
//   bit 33-88   MB, 56 bits: one of 255 registers (BDS), known only to the interrogator that asked for it
//
// Which register it is must be inferred from the bits and from what is known of the aircraft; one file per register (bds-4-0.ts …) will
// stand beside this one, each with `holds…(bytes, mb)` and `decode…(bytes, mb, out)`. Until then the field is handed on as it is.

import type { CommB } from './message.ts';

/** `mb` is where the MB field begins. */
export function decodeCommB(mb: number, out: CommB): void {
  out.at = mb;
}
