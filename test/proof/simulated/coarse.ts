// DF 18 with CF 3, TIS-B coarse airborne position. DO-260B §2.2.17.3.5; ICAO Doc 9871 table B-3-5.
//
//   ME bits  1 IMF   2-3 SS   4-7 service volume   8-19 altitude   20 track valid   21-25 track 360/32°   26-31 speed   32 F
//           33-44 latitude   45-56 longitude
//   speed    0 unknown, 1 below 16 kt, then in steps of 32 kt, 63: 1968 kt and more
import { altitudeCode12 } from '../../../pipeline/simulate/encode/codes.ts';
import { type CprCode, encodeBins } from '../../../pipeline/simulate/encode/cpr.ts';
import { sealFrame } from '../../../pipeline/simulate/encode/parity.ts';
import { writeHeader } from '../../../pipeline/simulate/encode/squitter.ts';

export interface CoarsePosition {
  imf: number;
  surveillanceStatus: number;
  /** 0-15: the sending site. */
  serviceVolume: number;
  /** NaN: unknown, as in the next two. */
  altitudeFt: number;
  gillham: boolean;
  trackDeg: number;
  groundSpeedKt: number;
  odd: boolean;
  latDeg: number;
  lonDeg: number;
}

const cpr: CprCode = { lat: 0, lon: 0 };

export function encodeCoarsePosition(target: Uint8Array, address: number, position: CoarsePosition): void {
  const { trackDeg, odd } = position;
  writeHeader(target, { df: 18, capability: 3, address });
  const altitude = altitudeCode12(position.altitudeFt, position.gillham);
  const track = Number.isNaN(trackDeg) ? 0 : 0x20 | (Math.round((trackDeg * 32) / 360) & 0x1f);
  const speed = coarseSpeedCode(position.groundSpeedKt);
  encodeBins(position.latDeg, position.lonDeg, odd, 0x1000, cpr);
  cpr.lat &= 0xfff;
  cpr.lon &= 0xfff;
  target[4] = (position.imf << 7) | (position.surveillanceStatus << 5) | (position.serviceVolume << 1) | (altitude >>> 11);
  target[5] = (altitude >>> 3) & 0xff;
  target[6] = ((altitude & 7) << 5) | (track >>> 1);
  target[7] = ((track & 1) << 7) | (speed << 1) | (odd ? 1 : 0);
  target[8] = cpr.lat >>> 4;
  target[9] = ((cpr.lat & 0xf) << 4) | (cpr.lon >>> 8);
  target[10] = cpr.lon & 0xff;
  sealFrame(target, 14, 0);
}

function coarseSpeedCode(groundSpeedKt: number): number {
  if (Number.isNaN(groundSpeedKt)) return 0;
  return Math.min(63, 1 + Math.floor((groundSpeedKt + 16) / 32));
}
