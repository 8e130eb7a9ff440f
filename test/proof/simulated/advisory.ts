// ACAS resolution advisory reports: broadcast (TC 28 subtype 2), air-air (DF 16) and register 3,0. ICAO Annex 10 vol. IV §4.3.8.4.2.
//
//   bits  9-22 ARA   23-26 RAC   27 RAT   28 MTE   29-30 TTI   31-56 TID: address 24 bits, or altitude 13, range 7, bearing 6 bits
import { altitudeCode13 } from '../../../pipeline/simulate/encode/codes.ts';
import { sealFrame } from '../../../pipeline/simulate/encode/parity.ts';
import { type SquitterHeader, writeHeader } from '../../../pipeline/simulate/encode/squitter.ts';
import { type AdvisoryFields, THREAT_ADDRESS, THREAT_POSITION, THREAT_UNKNOWN } from './rare-contents.ts';

/** TC 28 subtype 2 (DO-260B §2.2.3.2.7.8.2). */
export function encodeAdvisory(target: Uint8Array, header: SquitterHeader, fields: AdvisoryFields): void {
  writeHeader(target, header);
  target[4] = (28 << 3) | 2;
  writeReport(target, 4, fields, true);
  sealFrame(target, 14, 0);
}

/** DF 16, long air-air surveillance, with the report in its MV field: DF 5, VS 1, - 2, SL 3, - 2, RI 4, - 2, AC 13, MV 56, AP 24. */
export function encodeAirAirAdvisory(
  target: Uint8Array,
  address: number,
  onGround: boolean,
  altitudeFt: number,
  gillham: boolean,
  fields: AdvisoryFields,
): void {
  const altitude = altitudeCode13(altitudeFt, gillham);
  target[0] = (16 << 3) | (onGround ? 4 : 0);
  // SL 7; RI 3: resolution advisories vertical only.
  target[1] = (7 << 5) | (3 >>> 1);
  target[2] = ((3 & 1) << 7) | (altitude >>> 8);
  target[3] = altitude & 0xff;
  target[4] = 0x30;
  writeReport(target, 4, fields, false);
  sealFrame(target, 14, address);
}

/** Register 3,0 as 7 bytes of MB. */
export function messageAdvisory(message: Uint8Array, fields: AdvisoryFields): void {
  message[0] = 0x30;
  writeReport(message, 0, fields, true);
}

/** Bits 9-56 of the field at `at`. */
function writeReport(target: Uint8Array, at: number, fields: AdvisoryFields, withThreat: boolean): void {
  const { ara, rac } = fields;
  const threat = withThreat ? fields.threat : THREAT_UNKNOWN;
  target[at + 1] = ara >>> 6;
  target[at + 2] = ((ara & 0x3f) << 2) | (rac >>> 2);
  target[at + 3] = ((rac & 3) << 6) | ((fields.ended ? 1 : 0) << 5) | ((fields.multipleThreats ? 1 : 0) << 4) | (threat << 2);
  target.fill(0, at + 4, at + 7);
  if (threat === THREAT_ADDRESS) writeIdentity(target, at, fields.threatAddress >>> 22, (fields.threatAddress << 2) & 0xff_ffff);
  else if (threat === THREAT_POSITION) {
    const altitude = altitudeCode13(fields.threatAltitudeFt, true);
    const identity = ((altitude & 0x7ff) << 13) | (rangeCode(fields.threatRangeNm) << 6) | bearingCode(fields.threatBearingDeg);
    writeIdentity(target, at, altitude >>> 11, identity);
  }
}

/** The 26 bits of TID: the first two, and the rest. */
function writeIdentity(target: Uint8Array, at: number, high: number, low: number): void {
  target[at + 3]! |= high;
  target[at + 4] = low >>> 16;
  target[at + 5] = (low >>> 8) & 0xff;
  target[at + 6] = low & 0xff;
}

/** 0 unknown, 1 below 0.05 NM, then the nearest tenth of a mile plus one, 127 above 12.55 NM. */
function rangeCode(rangeNm: number): number {
  return Number.isNaN(rangeNm) ? 0 : Math.min(127, Math.round(rangeNm * 10) + 1);
}

/** 0 unknown, 1-60: steps of 6°. */
function bearingCode(bearingDeg: number): number {
  return Number.isNaN(bearingDeg) ? 0 : 1 + (Math.floor(bearingDeg / 6) % 60);
}
