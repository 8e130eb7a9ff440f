// ACAS resolution advisory: TC 28 subtype 2 (BDS 6,1), DF 16 with VDS 3,0, and Comm-B register 3,0 share one layout.
// DO-260B §2.2.3.2.7.8.2; ICAO Annex 10 vol. IV §4.3.8.4.2.2 (MB), §4.3.8.4.2.4 (MV).
//
//   bit  1-8    TC 28 and subtype 2, or VDS/BDS 0x30
//        9-22   ARA   active advisory, below
//       23-26   RAC   complements received: do not pass below, above, do not turn left, right
//       27      RAT   the advisory has ended; sent for 18 s after its end
//       28      MTE   more than one threat
//       29-30   TTI   threat type: 0 none, 1 address, 2 altitude, range and bearing, 3 not assigned
//       31-56   TID   TTI 1: 24-bit address, two zeros
//                     TTI 2: 13 bits altitude code (altitude.ts); 7 bits range n: 0 none, else (n − 1) * 0.1 NM;
//                            6 bits bearing n: 0 none, 1-60: 6 (n − 1) … 6 n degrees from the nose, 61-63 not assigned
//       29-56   DF 16: not used
//
//   ARA, one threat (bit 9 = 1)                        several threats (bit 9 = 0, MTE = 1)
//       10   1 corrective, 0 preventive                upward correction
//       11   1 downward, 0 upward                      climb
//       12   increased rate                            downward correction
//       13   reversal of the sense                     descend
//       14   crosses the threat's altitude             crossing
//       15   1 positive, 0 a limit of vertical speed   reversal
//    16-22   not used
import { altitude13Ft } from './altitude.ts';
import { ABSENT, type Advisory } from './message.ts';

/** VDS of an MV field, BDS of an MB field. */
export const ADVISORY_REGISTER = 0x30;

const REPORT_BYTES = 7;
// Bits of ARA, the field's first one at 13.
const ARA_ONE_THREAT = 1 << 13;
const ARA_BIT_10 = 1 << 12;
const ARA_BIT_11 = 1 << 11;
const ARA_BIT_12 = 1 << 10;
const ARA_BIT_13 = 1 << 9;
const ARA_BIT_14 = 1 << 8;
const ARA_BIT_15 = 1 << 7;
const TTI_ADDRESS = 1;
const TTI_POSITION = 2;
const TTI_NOT_ASSIGNED = 3;
const BEARING_MAX = 60;
const COMPLEMENTS = ['Do not pass below', 'Do not pass above', 'Do not turn left', 'Do not turn right'] as const;

/**
 * True when the MV field of the DF 16 frame at `at` contains an advisory. Its parity is the address, so reports are distinguished from noise by the
 * bits that the standard keeps at 0 and by consistent complements.
 */
export function holdsAirAirAdvisory(bytes: Uint8Array, at: number): boolean {
  const mv = at + 4;
  if (bytes[mv] !== ADVISORY_REGISTER || !isAdvisory(bytes, mv)) return false;
  return ((bytes[mv + 3]! & 0xf) | bytes[mv + 4]! | bytes[mv + 5]! | bytes[mv + 6]!) === 0;
}

/** True when the seven bytes at `mb` can be register 3,0 with an advisory, by the bits alone. No ACAS advises turns. */
export function holdsAdvisory(bytes: Uint8Array, mb: number): boolean {
  if (bytes[mb] !== ADVISORY_REGISTER || !isAdvisory(bytes, mb) || (bytes[mb + 3]! & 0xc0) !== 0) return false;
  const tti = (bytes[mb + 3]! >> 2) & 3;
  if (tti === TTI_ADDRESS) return (bytes[mb + 6]! & 3) === 0;
  if (tti === TTI_POSITION) return (bytes[mb + 6]! & 0x3f) <= BEARING_MAX;
  return tti !== TTI_NOT_ASSIGNED && ((bytes[mb + 3]! & 3) | bytes[mb + 4]! | bytes[mb + 5]! | bytes[mb + 6]!) === 0;
}

/** True when an advisory is active or has just ended, and its complements do not contradict each other. */
export function isAdvisory(bytes: Uint8Array, field: number): boolean {
  const b2 = bytes[field + 2]!;
  const b3 = bytes[field + 3]!;
  if ((bytes[field + 1]! & 0x80) === 0 && (b3 & 0x30) === 0) return false;
  return (b2 & 3) !== 3 && (b3 & 0xc0) !== 0xc0;
}

/** `field` is the offset of the ME, MB or MV field; `withThreat` is false for MV, which does not contain the threat. */
export function decodeAdvisory(bytes: Uint8Array, field: number, withThreat: boolean, out: Advisory): void {
  for (let i = 0; i < REPORT_BYTES; i += 1) out.bytes[i] = bytes[field + i]!;
  const b2 = bytes[field + 2]!;
  const b3 = bytes[field + 3]!;
  out.ara = (bytes[field + 1]! << 6) | (b2 >> 2);
  out.rac = ((b2 & 3) << 2) | (b3 >> 6);
  out.rat = (b3 >> 5) & 1;
  out.mte = (b3 >> 4) & 1;
  out.tti = withThreat ? (b3 >> 2) & 3 : ABSENT;
  out.threatAddress = ABSENT;
  out.threatAltitudeFt = ABSENT;
  out.threatRangeDeciNm = ABSENT;
  out.threatBearingDeg = ABSENT;
  const b4 = bytes[field + 4]!;
  const b5 = bytes[field + 5]!;
  const b6 = bytes[field + 6]!;
  if (out.tti === TTI_ADDRESS) {
    out.threatAddress = ((b3 & 3) << 22) | (b4 << 14) | (b5 << 6) | (b6 >> 2);
  } else if (out.tti === TTI_POSITION) {
    const range = ((b5 & 0x1f) << 2) | (b6 >> 6);
    const bearing = b6 & 0x3f;
    out.threatAltitudeFt = altitude13Ft(((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5));
    out.threatRangeDeciNm = range === 0 ? ABSENT : range - 1;
    out.threatBearingDeg = bearing === 0 || bearing > BEARING_MAX ? ABSENT : 6 * bearing - 3;
  }
}

/** The advisory in words; empty when the report has none. */
export function advisoryText({ ara, rat, mte }: Advisory): string {
  if (rat === 1) return 'Clear of conflict';
  if (ara & ARA_ONE_THREAT) return oneThreatText(ara);
  return mte === 1 ? manyThreatsText(ara) : '';
}

/** The complements received from other aircraft, in words; empty when there are none. */
export function complementText({ rac }: Advisory): string {
  return COMPLEMENTS.filter((_, i) => (rac >> (3 - i)) & 1).join('; ');
}

function oneThreatText(ara: number): string {
  const corrective = (ara & ARA_BIT_10) !== 0;
  const positive = (ara & ARA_BIT_15) !== 0;
  const crossing = ara & ARA_BIT_14 ? 'crossing' : '';
  if (!positive) return corrective ? 'Level off' : 'Monitor vertical speed';
  if (!corrective) return joined('Maintain vertical speed', crossing);
  const sense = ara & ARA_BIT_11 ? 'Descend' : 'Climb';
  return joined(sense, ara & ARA_BIT_12 ? 'increase rate' : '', ara & ARA_BIT_13 ? 'reversal' : '', crossing);
}

function manyThreatsText(ara: number): string {
  const text = joined(
    ara & ARA_BIT_11 ? 'Climb' : ara & ARA_BIT_10 ? 'Correct upwards' : '',
    ara & ARA_BIT_13 ? 'Descend' : ara & ARA_BIT_12 ? 'Correct downwards' : '',
    ara & ARA_BIT_14 ? 'crossing' : '',
    ara & ARA_BIT_15 ? 'reversal' : '',
  );
  return text === '' ? 'Monitor vertical speed' : joined(text, 'several threats');
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}
