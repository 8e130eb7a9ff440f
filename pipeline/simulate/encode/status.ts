// TC 28 subtype 1 (emergency), TC 29 subtype 1 (target state) and TC 31 (operational status). DO-260B §2.2.3.2.7.
import { identityCode13 } from './codes.ts';
import { sealFrame } from './parity.ts';
import { type SquitterHeader, writeHeader } from './squitter.ts';

/**
 * TC 28 subtype 1 (§2.2.3.2.7.8.1): TC 5, subtype 3, emergency 3, Mode A code 13 bits; 56 IMF.
 * @param emergency code 0-7. @param squawk as a decimal number; 0 when none is sent (version 1). @param imf 0 except in ADS-R.
 */
export function encodeEmergency(target: Uint8Array, header: SquitterHeader, emergency: number, squawk: number, imf = 0): void {
  writeHeader(target, header);
  const identity = identityCode13(squawk);
  target[4] = (28 << 3) | 1;
  target[5] = (emergency << 5) | (identity >>> 8);
  target[6] = identity & 0xff;
  target.fill(0, 7, 10);
  target[10] = imf;
  sealFrame(target, 14, 0);
}

export interface TargetStateFields {
  /** False: altitude from the flight control panel; true: from the flight management system. */
  altitudeFromFms: boolean;
  /** 0 to 65,472 ft in steps of 32; negative: absent. */
  selectedAltitudeFt: number;
  /** 800 to 1208 hPa in steps of 0.8; 0: absent. */
  qnhHpa: number;
  /** Degrees; negative: absent. */
  selectedHeadingDeg: number;
  nacP: number;
  nicBaro: number;
  sil: number;
  /** 1: SIL is per sample. */
  silSupplement: number;
  /** Bits: 1 autopilot, 2 vnav, 4 althold, 8 approach, 16 lnav, 32 tcas; negative: modes absent. TCAS is sent even then. */
  navModes: number;
  /** ADS-R; 0 otherwise (default). */
  imf?: number;
}

/**
 * TC 29 subtype 1 (§2.2.3.2.7.1), ME bits: 1-5 TC, 6-7 subtype, 8 SIL supplement, 9 altitude from FMS, 10-20 altitude/32+1,
 * 21-29 (QNH-800)/0.8+1, 30 heading valid, 31-39 heading in 180/256° (9 bits two's complement), 40-43 NACp, 44 NICbaro, 45-46 SIL,
 * 47 modes valid, 48 autopilot, 49 VNAV, 50 altitude hold, 51 IMF, 52 approach, 53 TCAS operational, 54 LNAV, 55-56 reserved.
 */
export function encodeTargetState(target: Uint8Array, header: SquitterHeader, fields: TargetStateFields): void {
  writeHeader(target, header);
  const altitude = fields.selectedAltitudeFt < 0 ? 0 : Math.min(2047, Math.round(fields.selectedAltitudeFt / 32) + 1);
  const qnh = fields.qnhHpa === 0 ? 0 : Math.min(511, Math.max(1, Math.round((fields.qnhHpa - 800) / 0.8) + 1));
  const headingValid = fields.selectedHeadingDeg >= 0 ? 1 : 0;
  const heading = headingValid === 1 ? Math.round((fields.selectedHeadingDeg * 256) / 180) & 0x1ff : 0;
  const modes = Math.max(0, fields.navModes);
  target[4] = (29 << 3) | (1 << 1) | fields.silSupplement;
  target[5] = ((fields.altitudeFromFms ? 1 : 0) << 7) | (altitude >>> 4);
  target[6] = ((altitude & 0xf) << 4) | (qnh >>> 5);
  target[7] = ((qnh & 0x1f) << 3) | (headingValid << 2) | (heading >>> 7);
  target[8] = ((heading & 0x7f) << 1) | (fields.nacP >>> 3);
  target[9] = ((fields.nacP & 7) << 5) | (fields.nicBaro << 4) | (fields.sil << 2) | ((fields.navModes >= 0 ? 1 : 0) << 1) | (modes & 1);
  target[10] =
    ((modes & 2) << 6) | ((modes & 4) << 4) | ((fields.imf ?? 0) << 5) | ((modes & 8) << 1) | ((modes & 32) >>> 2) | ((modes & 16) >>> 2);
  sealFrame(target, 14, 0);
}

export interface OperationalStatusFields {
  /** 0, 1 or 2. */
  version: number;
  surface: boolean;
  nicA: number;
  /** Surface, version 2. */
  nicC: number;
  nicBaro: number;
  nacP: number;
  /** Surface, version 2: sent here because TC 19 is not sent on the ground. */
  nacV: number;
  sil: number;
  silSupplement: number;
  /** Airborne, version 2. */
  gva: number;
  sda: number;
  /** 1: headings are magnetic. */
  headingMagnetic: number;
  /** Surface: 1 when the position message contains the track, 0 when it contains the heading. */
  trackNotHeading: number;
  tcasOperational: boolean;
  /** ADS-R; 0 otherwise (default). */
  imf?: number;
}

/**
 * TC 31 (§2.2.3.2.7.2), ME bits: 1-5 TC, 6-8 subtype, 9-24 capability class, 25-40 operational mode, 41-43 version, 44 NIC-A, 45-48 NACp,
 * airborne 49-50 GVA, 51-52 SIL, 53 NICbaro, surface 53 heading, not track; 54 HRD, 55 SIL supplement.
 * Capability class, airborne: 11 TCAS operational (version 1: not TCAS), 12 1090ES in, 15 ARV, 16 TS. Surface: 12 1090ES in, 17-19 NACv, 20 NIC-C,
 * 21-24 length and width. Operational mode: 31-32 SDA. Version 0 has neither, only the version bits.
 */
export function encodeOperationalStatus(target: Uint8Array, header: SquitterHeader, fields: OperationalStatusFields): void {
  writeHeader(target, header);
  target[4] = (31 << 3) | (fields.surface ? 1 : 0);
  target.fill(0, 5, 11);
  if (fields.version === 2) writeCapability2(target, fields);
  else if (fields.version === 1) target[5] = fields.surface || fields.tcasOperational ? 0 : 0x20;
  target[9] = fields.version << 5;
  if (fields.version > 0) {
    const gva = fields.version === 2 && !fields.surface ? fields.gva : 0;
    const bit53 = fields.surface ? 1 - fields.trackNotHeading : fields.nicBaro;
    const silSupplement = fields.version === 2 ? fields.silSupplement : 0;
    target[9]! |= (fields.nicA << 4) | fields.nacP;
    target[10] = (gva << 6) | (fields.sil << 4) | (bit53 << 3) | (fields.headingMagnetic << 2) | (silSupplement << 1);
  }
  target[10]! |= fields.imf ?? 0;
  sealFrame(target, 14, 0);
}

function writeCapability2(target: Uint8Array, fields: OperationalStatusFields): void {
  if (fields.surface) {
    target[5] = 0x10;
    // Length code 2, width code 1: an aircraft of 25 to 35 m.
    target[6] = (fields.nacV << 5) | (fields.nicC << 4) | 0x5;
  } else {
    target[5] = (fields.tcasOperational ? 0x20 : 0) | 0x10 | 0x02 | 0x01;
  }
  target[7] = fields.sda;
}
