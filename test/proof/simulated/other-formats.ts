// Comm-D and the test message. ICAO Annex 10 vol. IV §3.1.2.7; DO-260B §2.2.3.2.7.3.
//
//   DF 24      DF 2, - 1, KE 1, ND 4, MD 80, AP 24
import { identityCode13 } from '../../../pipeline/simulate/encode/codes.ts';
import { sealFrame } from '../../../pipeline/simulate/encode/parity.ts';
import { type SquitterHeader, writeHeader } from '../../../pipeline/simulate/encode/squitter.ts';

/** TC 23 subtype 7: TC 5, subtype 3, Mode A code 13 bits. `squawk` as a decimal number; 0 when none is sent. */
export function encodeTestMessage(target: Uint8Array, header: SquitterHeader, squawk: number): void {
  writeHeader(target, header);
  const identity = identityCode13(squawk);
  target[4] = (23 << 3) | 7;
  target[5] = identity >>> 5;
  target[6] = (identity & 0x1f) << 3;
  target.fill(0, 7, 11);
  sealFrame(target, 14, 0);
}

/** DF 24, Comm-D: one segment of an extended length message. `segment` 0-15, `content` 10 bytes of MD. */
export function encodeCommD(target: Uint8Array, address: number, acknowledgement: boolean, segment: number, content: Uint8Array): void {
  target[0] = 0xc0 | ((acknowledgement ? 1 : 0) << 4) | segment;
  for (let i = 0; i < 10; i += 1) target[1 + i] = content[i]!;
  sealFrame(target, 14, address);
}
