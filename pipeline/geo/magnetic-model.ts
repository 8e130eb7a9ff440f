// Magnetic declination from the World Magnetic Model: spherical harmonics of degree 12, in plain arithmetic as `trig.ts` has it.
// The formulas are those of the WMM technical report (NOAA NCEI 2020, §1.2). Valid to about half a degree, less near the magnetic poles.
//
// Schmidt's functions P(n,m) of the colatitude θ have the factor sin θ for m > 0. What is summed here is Q = P / sin θ, which stays finite
// at the geographic poles:
//   Q(m,m) = sin θ · √((2m−1)/2m) · Q(m−1,m−1), Q(1,1) = 1
//   Q(n,m) = ((2n−1) · cos θ · Q(n−1,m) − √((n−1)²−m²) · Q(n−2,m)) / √(n²−m²)
//   dP/dθ  = n · cos θ · Q(n,m) − √(n²−m²) · Q(n−1,m)
import { cosine, directionMicrodeg, sine, UNIT } from './direction.ts';
import { type MagneticTable, magneticTables } from './magnetic-coefficients.ts';

const DEGREE = 12;
/** Radius that the coefficients refer to, and the WGS 84 ellipsoid: equatorial radius and square of the eccentricity. */
const REFERENCE_RADIUS_KM = 6371.2;
const EQUATOR_RADIUS_KM = 6378.137;
const ECCENTRICITY_SQUARED = 0.00669437999014;
/**
 * A model is made for five years; before the first and after the last its secular variation is carried on for as long again. Later it stands. An earlier
 * time is no date: the counter of a recording without one begins in 1970. The newest model at its epoch is nearest to what its pilots saw.
 */
const EXTRAPOLATION_YEARS = 5;
const MODEL_YEARS = 5;
const DAYS_PER_YEAR = 365.2425;

const KM_PER_FT = 0.0003048;
const MICRODEG_PER_CENTIDEG = 10_000;
const HALF_TURN = 180_000_000;
const TURN = 360_000_000;
/** The field's parts are below 70,000 nT: 1/16384 of one keeps them in 31 bits. */
const DIRECTION_SCALE = 16_384;

/** Per term in the order of the sums: orders m from 0 on, in each the degrees n from max(1, m) on. */
const TERM = 4;
const coefficients = magneticTables.map(coefficientsOf);
/** Per term (2n−1)/√(n²−m²), √((n−1)²−m²)/√(n²−m²), √(n²−m²), and nothing: the same stride as the coefficients. */
const recursion = recursionOf();
const diagonal = Float64Array.from({ length: DEGREE + 1 }, (_, m) => (m < 2 ? 1 : Math.sqrt((2 * m - 1) / (2 * m))));
/** (reference radius / radius)^(n+2). */
const powers = new Float64Array(DEGREE + 1);

/** Decimal year of a day, counted from 1970; good to two days, in which the declination changes by a thousandth of a degree. */
export function decimalYear(days: number): number {
  return 1970 + days / DAYS_PER_YEAR;
}

/** The requested coordinates and time, with intermediate results: fields, because arguments with fractions would be boxed. */
class Query {
  latitudeMicrodeg = 0;
  longitudeMicrodeg = 0;
  /** Above the ellipsoid. */
  heightKm = 0;
  year = 0;
  /** Sines and cosines of the geodetic latitude and of the geocentric colatitude. */
  sinLatitude = 0;
  cosLatitude = 0;
  sinColatitude = 0;
  cosColatitude = 0;
}
const query = new Query();

/** Angle from true to magnetic north, centidegrees, east positive, −18000 to 18000. `day`: since 1970. All are integers. */
export function declinationCentideg(latitudeMicrodeg: number, longitudeMicrodeg: number, altitudeFt: number, day: number): number {
  query.latitudeMicrodeg = latitudeMicrodeg;
  query.longitudeMicrodeg = longitudeMicrodeg;
  query.heightKm = altitudeFt * KM_PER_FT;
  query.year = decimalYear(day);
  return Math.floor(declinationMicrodeg() / MICRODEG_PER_CENTIDEG + 0.5) | 0;
}

/** The same in degrees; `heightKm` is within a few km. For those who ask now and then. */
export function declinationDeg(latitudeDeg: number, longitudeDeg: number, heightKm: number, year: number): number {
  query.latitudeMicrodeg = Math.round(latitudeDeg * 1e6);
  query.longitudeMicrodeg = Math.round(longitudeDeg * 1e6);
  query.heightKm = heightKm;
  query.year = year;
  return declinationMicrodeg() / 1e6;
}

/** Declination for the coordinates and time in `query`. */
function declinationMicrodeg(): number {
  const sinLatitude = sine(query.latitudeMicrodeg) / UNIT;
  const cosLatitude = cosine(query.latitudeMicrodeg) / UNIT;
  const normalKm = EQUATOR_RADIUS_KM / Math.sqrt(1 - ECCENTRICITY_SQUARED * sinLatitude * sinLatitude);
  const axisKm = (normalKm + query.heightKm) * cosLatitude;
  const planeKm = (normalKm * (1 - ECCENTRICITY_SQUARED) + query.heightKm) * sinLatitude;
  const radiusKm = Math.sqrt(axisKm * axisKm + planeKm * planeKm);
  query.sinLatitude = sinLatitude;
  query.cosLatitude = cosLatitude;
  // Cosine and sine of the colatitude: sine and cosine of the geocentric latitude.
  query.cosColatitude = planeKm / radiusKm;
  query.sinColatitude = axisKm / radiusKm;
  const ratio = REFERENCE_RADIUS_KM / radiusKm;
  let power = ratio * ratio;
  for (let n = 1; n <= DEGREE; n += 1) {
    power *= ratio;
    powers[n] = power;
  }
  return sum();
}

/** Adds up the field's north, east and down parts, geocentric, and turns them to the geodetic horizon. */
function sum(): number {
  const { sinLatitude, cosLatitude, sinColatitude: sin, cosColatitude: cos } = query;
  const isDated = query.year >= magneticTables[0]!.epoch - EXTRAPOLATION_YEARS;
  const model = isDated ? modelOf() : magneticTables.length - 1;
  const terms = coefficients[model]!;
  const years = isDated ? Math.min(MODEL_YEARS + EXTRAPOLATION_YEARS, query.year - magneticTables[model]!.epoch) : 0;
  const sinLongitude = sine(query.longitudeMicrodeg) / UNIT;
  const cosLongitude = cosine(query.longitudeMicrodeg) / UNIT;
  let north = 0;
  let east = 0;
  let down = 0;
  let at = 0;
  // Order 0, by P and dP/dθ themselves: (n−1)/n and (2n−1)/n are its factors.
  let before = 0;
  let p = 1;
  let slopeBefore = 0;
  let slope = 0;
  for (let n = 1; n <= DEGREE; n += 1, at += TERM) {
    const a = recursion[at]!;
    const b = recursion[at + 1]!;
    const next = a * cos * p - b * before;
    const nextSlope = a * (cos * slope - sin * p) - b * slopeBefore;
    before = p;
    p = next;
    slopeBefore = slope;
    slope = nextSlope;
    const g = (terms[at]! + years * terms[at + 2]!) * powers[n]!;
    north += g * slope;
    down -= (n + 1) * g * p;
  }
  let start = 1;
  let cosM = 1;
  let sinM = 0;
  for (let m = 1; m <= DEGREE; m += 1) {
    const turned = cosM * cosLongitude - sinM * sinLongitude;
    sinM = sinM * cosLongitude + cosM * sinLongitude;
    cosM = turned;
    if (m > 1) start *= sin * diagonal[m]!;
    let last = 0;
    let q = start;
    for (let n = m; n <= DEGREE; n += 1, at += TERM) {
      if (n > m) {
        const next = recursion[at]! * cos * q - recursion[at + 1]! * last;
        last = q;
        q = next;
      }
      const g = (terms[at]! + years * terms[at + 2]!) * powers[n]!;
      const h = (terms[at + 1]! + years * terms[at + 3]!) * powers[n]!;
      const along = g * cosM + h * sinM;
      north += along * (n * cos * q - recursion[at + 2]! * last);
      east += m * (g * sinM - h * cosM) * q;
      down -= (n + 1) * along * sin * q;
    }
  }
  // Geocentric latitude minus geodetic: at most 0.2°.
  const tiltSin = cos * cosLatitude - sin * sinLatitude;
  const tiltCos = sin * cosLatitude + cos * sinLatitude;
  const level = north * tiltCos - down * tiltSin;
  const microdeg = directionMicrodeg((east * DIRECTION_SCALE) | 0, (level * DIRECTION_SCALE) | 0);
  return microdeg > HALF_TURN ? microdeg - TURN : microdeg;
}

/** The newest model whose epoch is past, else the first. */
function modelOf(): number {
  let model = magneticTables.length - 1;
  while (model > 0 && magneticTables[model]!.epoch > query.year) model -= 1;
  return model;
}

/** g, h, ġ, ḣ in the order of the sums. */
function coefficientsOf(table: MagneticTable): Float64Array {
  const byTerm = new Map<string, number[]>();
  for (const line of table.lines.trim().split('\n')) {
    const [n, m, ...values] = line.trim().split(/\s+/).map(Number);
    byTerm.set(`${n} ${m}`, values);
  }
  return Float64Array.from(inOrder((n, m) => byTerm.get(`${n} ${m}`)!));
}

function recursionOf(): Float64Array {
  return Float64Array.from(
    inOrder((n, m) => {
      const root = Math.sqrt(n * n - m * m);
      return n === m ? [0, 0, 0, 0] : [(2 * n - 1) / root, Math.sqrt((n - 1) * (n - 1) - m * m) / root, root, 0];
    }),
  );
}

function inOrder(values: (n: number, m: number) => readonly number[]): number[] {
  const all: number[] = [];
  for (let m = 0; m <= DEGREE; m += 1) for (let n = Math.max(1, m); n <= DEGREE; n += 1) all.push(...values(n, m));
  return all;
}
