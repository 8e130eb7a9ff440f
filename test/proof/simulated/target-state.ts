// TC 29 subtype 0, target state and status of version 1. DO-260A §2.2.3.2.7.1; ICAO Doc 9871 table B-2-98. Subtype 1: status.ts.
import { sealFrame } from '../../../pipeline/simulate/encode/parity.ts';
import { type SquitterHeader, writeHeader } from '../../../pipeline/simulate/encode/squitter.ts';

export const SOURCE_PANEL = 1;
/** Holding the present altitude or heading. */
export const SOURCE_HOLDING = 2;
export const SOURCE_FMS = 3;
export const MODE_ACQUIRING = 1;
export const MODE_KEEPING = 2;

export interface TargetStateVersion1 {
  /** SOURCE_* */
  verticalSource: number;
  /** MODE_* */
  verticalMode: number;
  /** −1000 to 100,000 ft in steps of 100; NaN: absent. */
  targetAltitudeFt: number;
  horizontalSource: number;
  horizontalMode: number;
  /** 0 to 359 in steps of 1; NaN: absent. */
  targetHeadingDeg: number;
  /** The direction is a track. */
  track: boolean;
  nacP: number;
  nicBaro: number;
  sil: number;
  /** 0 operational or unknown, 1 not operational; then 1 when an advisory is active. */
  tcasOff: number;
  advisoryActive: number;
  emergency: number;
}

/**
 * ME bits: 1-5 TC, 6-7 subtype 0, 8-9 vertical source, 10 type of altitude, 11 0, 12-13 capability, 14-15 vertical mode, 16-25 altitude,
 * 26-27 horizontal source, 28-36 direction, 37 track, 38-39 horizontal mode, 40-43 NACp, 44 NICbaro, 45-46 SIL, 52 TCAS off,
 * 53 advisory, 54-56 emergency.
 */
export function encodeTargetStateVersion1(target: Uint8Array, header: SquitterHeader, fields: TargetStateVersion1): void {
  writeHeader(target, header);
  const { verticalSource, targetAltitudeFt, targetHeadingDeg, nacP } = fields;
  const altitude = Number.isNaN(targetAltitudeFt) ? 0x3ff : Math.round(targetAltitudeFt / 100) + 10;
  const heading = Number.isNaN(targetHeadingDeg) ? 0x1ff : Math.round(targetHeadingDeg) % 360;
  target[4] = (29 << 3) | (verticalSource >>> 1);
  target[5] = ((verticalSource & 1) << 7) | (fields.verticalMode << 1) | (altitude >>> 9);
  target[6] = (altitude >>> 1) & 0xff;
  target[7] = ((altitude & 1) << 7) | (fields.horizontalSource << 5) | (heading >>> 4);
  target[8] = ((heading & 0xf) << 4) | ((fields.track ? 1 : 0) << 3) | (fields.horizontalMode << 1) | (nacP >>> 3);
  target[9] = ((nacP & 7) << 5) | (fields.nicBaro << 4) | (fields.sil << 2);
  target[10] = (fields.tcasOff << 4) | (fields.advisoryActive << 3) | fields.emergency;
  sealFrame(target, 14, 0);
}
