// Comm-D, DF 24: one segment of an extended length message (ELM). ICAO Annex 10 vol. IV §3.1.2.7.3.
//
//   bits  1-2    DF, two bits only: every first byte from 0xC0 on
//         3      not used
//         4      KE   1: MD lists the received segments of an uplinked message; 0: MD is a segment
//         5-8    ND   number of the segment
//         9-88   MD   80 bits
//        89-112  address overlaid on parity
//
// Only the header is decoded: the content belongs to the data link application, and segments come in any order.

import type { CommD } from './message.ts';

export const DF_COMM_D = 24;

export function decodeCommD(bytes: Uint8Array, at: number, out: CommD): void {
  const first = bytes[at]!;
  out.acknowledgement = (first >> 4) & 1;
  out.segment = first & 0xf;
}
