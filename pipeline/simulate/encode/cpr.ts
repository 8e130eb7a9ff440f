// Compact position reporting on the sending side: DO-260B §A.1.7.2 (NL) and §A.1.7.3 (encoding). Airborne positions have 17 bits of a zone,
// surface positions the low 17 of 19 bits, so their zones are a quarter as wide.
import { DEGREES_PER_RADIAN } from '../../geo/earth.ts';

const LATITUDE_ZONES = 15;

/** Latitude below which there are at least `n` longitude zones, n = 2 … 59: §A.1.7.2 d. Index 0 and 1 are the poles. */
const transitionLatitudes = new Float64Array(61);
transitionLatitudes[0] = 90;
transitionLatitudes[1] = 90;
transitionLatitudes[2] = 87;
for (let zones = 3; zones <= 59; zones += 1) {
  const numerator = 1 - Math.cos(Math.PI / (2 * LATITUDE_ZONES));
  const denominator = 1 - Math.cos((2 * Math.PI) / zones);
  transitionLatitudes[zones] = DEGREES_PER_RADIAN * Math.acos(Math.sqrt(numerator / denominator));
}

/** For each whole degree of latitude, the largest zone count in it. */
const zonesFromDegree = new Uint8Array(91);
for (let degree = 0; degree <= 90; degree += 1) zonesFromDegree[degree] = searchZones(degree, 59);

/**
 * NL: number of even longitude zones at a latitude, 1 to 59. A transition latitude has the zone count of the latitudes below it; 87° has 2.
 */
function longitudeZones(latDeg: number): number {
  const latitude = Math.abs(latDeg);
  return latitude >= 90 ? 1 : searchZones(latitude, zonesFromDegree[Math.floor(latitude)]!);
}

function searchZones(latitude: number, zonesMax: number): number {
  if (latitude > 87) return 1;
  let zones = zonesMax;
  while (zones > 2 && latitude >= transitionLatitudes[zones]!) zones -= 1;
  return zones;
}

/** Output of `encodeCpr`: two numbers of 17 bits. */
export interface CprCode {
  lat: number;
  lon: number;
}

const BINS_17 = 0x2_0000;
const BINS_19 = 0x8_0000;

/** Encodes a position, degrees. `surface` selects 19-bit zones. Deterministic on one Node build; off by at most half a bin. */
export function encodeCpr(latDeg: number, lonDeg: number, odd: boolean, surface: boolean, code: CprCode): void {
  encodeBins(latDeg, lonDeg, odd, surface ? BINS_19 : BINS_17, code);
  code.lat &= 0x1_ffff;
  code.lon &= 0x1_ffff;
}

/** The same with any number of bins of a zone. The bin of the latitude may be that of another zone: the caller cuts it off. */
export function encodeBins(latDeg: number, lonDeg: number, odd: boolean, bins: number, code: CprCode): void {
  const parity = odd ? 1 : 0;
  const latZoneDeg = 360 / (4 * LATITUDE_ZONES - parity);
  const latZone = Math.floor(latDeg / latZoneDeg);
  const latBin = Math.floor(bins * (latDeg / latZoneDeg - latZone) + 0.5);
  // The receiver knows only the rounded latitude, so the zone count must come from it too.
  const roundedLatDeg = latZoneDeg * (latBin / bins + latZone);
  const zones = longitudeZones(roundedLatDeg) - parity;
  const lonZoneDeg = zones > 0 ? 360 / zones : 360;
  const lonTurns = lonDeg / lonZoneDeg;
  const lonBin = Math.floor(bins * (lonTurns - Math.floor(lonTurns)) + 0.5);
  code.lat = latBin;
  code.lon = lonBin;
}
