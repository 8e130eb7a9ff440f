// Compact position reporting: two 17-bit fields that repeat over the globe -> latitude and longitude. Decoded globally from an even/odd
// pair, or locally near a known position. DO-260B §A.1.7 (1090-WP-9-14). Exact integers until the last rounding.
//
//   latitude zone height   even 360/60°, odd 360/59°; on the surface a quarter of it
//   longitude zone width   360/max(NL − odd, 1)°; on the surface a quarter of it
//   position in a zone     field / 2^17
//
// A coordinate is a fraction a / (n * 2^17) of the cell span (360e6 or 90e6 microdegrees). All numerators stay below 2^53, so the
// doubles are exact integers, and the quotients stay far enough from whole numbers that floor() of them is exact too.

/** Position in microdegrees: −90e6 ≤ latitude ≤ 90e6, −180e6 ≤ longitude < 180e6. Created once by the caller, then overwritten. */
export interface CprResult {
  latitudeMicrodeg: number;
  longitudeMicrodeg: number;
}

const FIELD = 131_072;
const AIRBORNE_SPAN = 360_000_000;
const SURFACE_SPAN = 90_000_000;
const QUARTER_TURN = 90_000_000;
const HALF_TURN = 180_000_000;
const TURN = 360_000_000;

/**
 * Below latitude k of this list there are more than 58 − k longitude zones. From the formula of §A.1.7.2 d; cpr.test.ts computes it again.
 */
// biome-ignore format: a table
const TRANSITION_LATITUDES = Float64Array.of(
  10.47047129997, 14.82817436869, 18.18626357071, 21.02939492603, 23.54504486557, 25.82924707059, 27.93898710122, 29.91135685732,
  31.77209707681, 33.53993436298, 35.22899597796, 36.85025107594, 38.41241892412, 39.92256684334, 41.3865183226, 42.80914012244,
  44.19454951419, 45.5462672266, 46.86733252499, 48.16039128097, 49.42776439256, 50.67150165554, 51.89342469169, 53.09516152796,
  54.27817472273, 55.44378444495, 56.59318756206, 57.72747353866, 58.84763776148, 59.95459276694, 61.04917774246, 62.1321665921,
  63.20427479382, 64.26616522567, 65.31845309682, 66.36171008383, 67.39646774085, 68.42322022083, 69.44242631144, 70.45451074988,
  71.45986473029, 72.45884544729, 73.45177441668, 74.43893415725, 75.42056256653, 76.39684390794, 77.36789461328, 78.33374082923,
  79.29428225457, 80.24923213281, 81.19801349272, 82.13956980511, 83.0719944472, 83.99173562981, 84.89166190702, 85.75541620944,
  86.53536997512,
);

/** First entry of the list above each whole degree: a look-up then takes one or two steps. */
const FIRST_ABOVE_DEGREE = new Uint8Array(88);
for (let degree = 0; degree < 88; degree += 1) {
  let k = 0;
  while (k < TRANSITION_LATITUDES.length && TRANSITION_LATITUDES[k]! <= degree) k += 1;
  FIRST_ABOVE_DEGREE[degree] = k;
}

/** Number of longitude zones at a latitude in degrees: 59 at the equator, 2 at ±87°, 1 closer to the poles. §A.1.7.2 d. */
export function NL(latitudeDeg: number): number {
  const latitude = Math.abs(latitudeDeg);
  if (!(latitude <= 87)) return 1;
  let k = FIRST_ABOVE_DEGREE[Math.floor(latitude)]!;
  while (k < TRANSITION_LATITUDES.length && TRANSITION_LATITUDES[k]! <= latitude) k += 1;
  return 59 - k;
}

/**
 * Airborne position from an even and an odd frame, both 17-bit fields. `odd` is true when the odd frame is the newer one; the result is the
 * newer frame's position.
 * False, with `out` unchanged, when the frames lie in different longitude zones or give no position on earth. §A.1.7.7.
 */
export function cprGlobalAirborne(evenLat: number, evenLon: number, oddLat: number, oddLon: number, odd: boolean, out: CprResult): boolean {
  const index = latitudeZoneIndex(evenLat, oddLat);
  const even = airborneLatitude(index, evenLat, 60);
  const other = airborneLatitude(index, oddLat, 59);
  if (Math.abs(even) > QUARTER_TURN || Math.abs(other) > QUARTER_TURN) return false;
  const zones = NL(even / 1e6);
  if (zones !== NL(other / 1e6)) return false;
  out.latitudeMicrodeg = Math.floor((odd ? other : even) + 0.5);
  out.longitudeMicrodeg = wrapLongitude(globalLongitude(evenLon, oddLon, odd, zones, AIRBORNE_SPAN));
  return true;
}

/** True when the latitudes of an even and an odd airborne frame lie beyond a pole: they belong to different aircraft, or one is wrong. */
export function isPairOffEarth(evenLat: number, oddLat: number): boolean {
  const index = latitudeZoneIndex(evenLat, oddLat);
  return Math.abs(airborneLatitude(index, evenLat, 60)) > QUARTER_TURN || Math.abs(airborneLatitude(index, oddLat, 59)) > QUARTER_TURN;
}

/**
 * Surface position from an even and an odd frame. The pair is ambiguous between the quarters of the globe; the result is the candidate
 * nearest to the reference (within 45° of latitude and of longitude). False as in `cprGlobalAirborne`. §A.1.7.8.
 */
export function cprGlobalSurface(
  evenLat: number,
  evenLon: number,
  oddLat: number,
  oddLon: number,
  odd: boolean,
  referenceLatMicrodeg: number,
  referenceLonMicrodeg: number,
  out: CprResult,
): boolean {
  const index = latitudeZoneIndex(evenLat, oddLat);
  const even = nearestHemisphere((SURFACE_SPAN * (modulo(index, 60) * FIELD + evenLat)) / (60 * FIELD), referenceLatMicrodeg);
  const other = nearestHemisphere((SURFACE_SPAN * (modulo(index, 59) * FIELD + oddLat)) / (59 * FIELD), referenceLatMicrodeg);
  const zones = NL(even / 1e6);
  if (zones !== NL(other / 1e6)) return false;
  const quarter = globalLongitude(evenLon, oddLon, odd, zones, SURFACE_SPAN);
  const turns = Math.floor((referenceLonMicrodeg - quarter) / QUARTER_TURN + 0.5);
  out.latitudeMicrodeg = Math.floor((odd ? other : even) + 0.5);
  out.longitudeMicrodeg = wrapLongitude(quarter + turns * QUARTER_TURN);
  return true;
}

/**
 * Airborne position from one frame near a reference: the candidate within half a zone of it (180 nm in latitude). False, with `out`
 * unchanged, when that candidate lies beyond a pole. §A.1.7.5.
 */
export function cprLocalAirborne(
  lat: number,
  lon: number,
  odd: boolean,
  referenceLatMicrodeg: number,
  referenceLonMicrodeg: number,
  out: CprResult,
): boolean {
  return local(lat, lon, odd, referenceLatMicrodeg, referenceLonMicrodeg, AIRBORNE_SPAN, out);
}

/** Surface position from one frame near a reference (45 nm in latitude). False as in `cprLocalAirborne`. §A.1.7.6. */
export function cprLocalSurface(
  lat: number,
  lon: number,
  odd: boolean,
  referenceLatMicrodeg: number,
  referenceLonMicrodeg: number,
  out: CprResult,
): boolean {
  return local(lat, lon, odd, referenceLatMicrodeg, referenceLonMicrodeg, SURFACE_SPAN, out);
}

function local(lat: number, lon: number, odd: boolean, refLat: number, refLon: number, span: number, out: CprResult): boolean {
  const latitudeZones = odd ? 59 : 60;
  const latitude = (span * localSteps(lat, latitudeZones, refLat, span)) / (latitudeZones * FIELD);
  if (Math.abs(latitude) > QUARTER_TURN) return false;
  const zones = Math.max(NL(latitude / 1e6) - (odd ? 1 : 0), 1);
  const longitude = (span * localSteps(lon, zones, refLon, span)) / (zones * FIELD);
  out.latitudeMicrodeg = Math.floor(latitude + 0.5);
  out.longitudeMicrodeg = wrapLongitude(Math.floor(longitude + 0.5));
  return true;
}

/** The coordinate with this field nearest to the reference, in steps of a zone / 2^17. An integer, which V8 does not box. */
function localSteps(field: number, zones: number, reference: number, span: number): number {
  const zone = Math.floor((reference * zones * FIELD - field * span + (span / 2) * FIELD) / (span * FIELD)) | 0;
  return (zone * FIELD + field) | 0;
}

/** j of §A.1.7.7: the zone index, modulo 60 (even) or 59 (odd). */
function latitudeZoneIndex(evenLat: number, oddLat: number): number {
  return (59 * evenLat - 60 * oddLat + FIELD / 2) >> 17;
}

/** Microdegrees, not rounded; beyond ±90° when zone and field do not match. */
function airborneLatitude(index: number, field: number, zones: number): number {
  return northOrSouth((AIRBORNE_SPAN * (modulo(index, zones) * FIELD + field)) / (zones * FIELD));
}

/** Longitude of the newer frame in 0 … span, whole microdegrees. */
function globalLongitude(evenLon: number, oddLon: number, odd: boolean, zones: number, span: number): number {
  const index = (evenLon * (zones - 1) - oddLon * zones + FIELD / 2) >> 17;
  const own = odd ? zones - 1 : zones;
  const count = Math.max(own, 1);
  return Math.floor((span * (modulo(index, count) * FIELD + (odd ? oddLon : evenLon))) / (count * FIELD) + 0.5);
}

/** Maps 0 … 360 to latitudes, southern ones negative. Values between the poles' images (90 … 270) are not latitudes. */
function northOrSouth(latitude: number): number {
  return latitude >= 270_000_000 ? latitude - TURN : latitude;
}

/** The nearest to the reference of latitude, latitude − 90° and latitude + 90° (only 0 → 90 is on earth); the northern one of two equally near. */
function nearestHemisphere(latitude: number, reference: number): number {
  if (latitude - reference > QUARTER_TURN / 2) return latitude - QUARTER_TURN;
  if (latitude === 0 && reference >= QUARTER_TURN / 2) return QUARTER_TURN;
  return latitude;
}

function wrapLongitude(longitude: number): number {
  if (longitude >= HALF_TURN) return longitude - TURN;
  return longitude < -HALF_TURN ? longitude + TURN : longitude;
}

/** Modulo of 32-bit integers. Without the last `| 0` the result could be −0, and V8 would divide doubles: ten times slower. */
function modulo(value: number, by: number): number {
  const remainder = ((value | 0) % (by | 0)) | 0;
  return remainder < 0 ? remainder + by : remainder;
}
