// TIS-B coarse airborne position: DF 18 with CF 3. DO-260B §2.2.17.3.5; ICAO Doc 9871 table B-3-5. (DO-260C no longer has it.)
// Sent where the radar is too coarse for the fine formats. There is no type code: the first five bits are other fields.
//
//   ME bit  1      IMF   ICAO/Mode A flag
//           2-3    surveillance status as in airborne-position.ts
//           4-7    service volume: the sending site
//           8-19   altitude, 12 bits (altitude.ts), 0 unknown
//          20      1 when the track is valid
//          21-25   track, LSB 360/32°
//          26-31   ground speed: 0 none, 1 less than 16 kt, n: 16 + (n − 2) * 32 kt and 32 kt more, 63: 1968 kt and more
//          32      CPR format: 0 even, 1 odd
//          33-44   CPR latitude, 12 bits
//          45-56   CPR longitude, 12 bits

import { altitude12Ft } from './altitude.ts';
import { ABSENT, type Coarse, type Position } from './message.ts';

/** A coarse CPR field is the upper part of a fine one: 2^-12 of a zone is 32 times 2^-17. */
export const COARSE_CPR_SHIFT = 5;

/** `me` is the offset of the ME field. */
export function decodeCoarsePosition(bytes: Uint8Array, me: number, out: Position, coarse: Coarse): void {
  const b0 = bytes[me]!;
  const b2 = bytes[me + 2]!;
  const b3 = bytes[me + 3]!;
  const b5 = bytes[me + 5]!;
  coarse.serviceVolume = (b0 >> 1) & 0xf;
  out.imf = b0 >> 7;
  out.surveillanceStatus = (b0 >> 5) & 3;
  out.altitudeBaroFt = altitude12Ft(((b0 & 1) << 11) | (bytes[me + 1]! << 3) | (b2 >> 5));
  out.trackCentideg = b2 & 0x10 ? (((b2 & 0xf) << 1) | (b3 >> 7)) * 1125 : ABSENT;
  out.groundSpeedDeciKt = speedDeciKt((b3 >> 1) & 0x3f);
  out.odd = (b3 & 1) === 1;
  out.cprLat = ((bytes[me + 4]! << 4) | (b5 >> 4)) << COARSE_CPR_SHIFT;
  out.cprLon = (((b5 & 0xf) << 8) | bytes[me + 6]!) << COARSE_CPR_SHIFT;
  out.altitudeGeomFt = ABSENT;
  out.nicB = ABSENT;
  out.movement = ABSENT;
  out.groundSpeedV0DeciKt = ABSENT;
}

/** Middle of a step. The last step is open-ended: its beginning. */
function speedDeciKt(code: number): number {
  if (code === 0) return ABSENT;
  if (code === 1) return 80;
  return code === 63 ? 19_680 : 320 * (code - 1);
}
