// Airborne position, TC 9-18 (barometric altitude), 20-22 (height above the ellipsoid), 0 (altitude only). BDS 0,5. DO-260B §2.2.3.2.3.
//
//   ME bit  1-5   TC
//           6-7   surveillance status: 0 none, 1 permanent alert (emergency), 2 temporary alert (squawk changed), 3 SPI
//           8     NIC supplement B (version 2), single antenna (versions 0, 1); in TIS-B and ADS-R the ICAO/Mode A flag
//           9-20  altitude, 12 bits (altitude.ts), 0 unknown; feet in TC 20-22 too
//          21     T: UTC-synchronised
//          22     CPR format: 0 even, 1 odd
//          23-39  CPR latitude
//          40-56  CPR longitude

import { altitude12Ft } from './altitude.ts';
import { ABSENT, type Position } from './message.ts';

/** `me` is the offset of the ME field; `checkImf` is true for TIS-B and ADS-R. */
export function decodeAirbornePosition(bytes: Uint8Array, me: number, typeCode: number, checkImf: boolean, out: Position): void {
  const b0 = bytes[me]!;
  const b2 = bytes[me + 2]!;
  const b4 = bytes[me + 4]!;
  const altitudeCode = (bytes[me + 1]! << 4) | (b2 >> 4);
  const altitudeFt = altitude12Ft(altitudeCode);
  const geometric = typeCode >= 20;
  out.altitudeBaroFt = geometric ? ABSENT : altitudeFt;
  out.altitudeGeomFt = geometric ? altitudeFt : ABSENT;
  out.surveillanceStatus = (b0 >> 1) & 3;
  out.nicB = checkImf ? ABSENT : b0 & 1;
  out.imf = checkImf ? b0 & 1 : ABSENT;
  out.odd = (b2 & 4) !== 0;
  const cprLat = ((b2 & 3) << 15) | (bytes[me + 3]! << 7) | (b4 >> 1);
  const cprLon = ((b4 & 1) << 16) | (bytes[me + 5]! << 8) | bytes[me + 6]!;
  const hasPosition = typeCode !== 0 && !isEmptyPosition(typeCode, altitudeCode, cprLat, cprLon);
  out.cprLat = hasPosition ? cprLat : ABSENT;
  out.cprLon = hasPosition ? cprLon : ABSENT;
  out.movement = ABSENT;
  out.groundSpeedDeciKt = ABSENT;
  out.groundSpeedV0DeciKt = ABSENT;
  out.trackCentideg = ABSENT;
}

/** Surveillance status 1 or 2. Either hides whether SPI is set: SPI is then unknown. */
export function isAlert(surveillanceStatus: number): boolean {
  return surveillanceStatus === 1 || surveillanceStatus === 2;
}

/** Some transponders without a position source send TC 15 instead of TC 0, with only the upper bits of a latitude set. */
function isEmptyPosition(typeCode: number, altitudeCode: number, cprLat: number, cprLon: number): boolean {
  return typeCode === 15 && altitudeCode === 0 && cprLon === 0 && (cprLat & 0xfff) === 0;
}
