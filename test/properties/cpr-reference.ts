// Compact position reporting exactly as in DO-260B §A.1.7, in fractions of BigInts: slow, and independent of decode/cpr.ts.
/** top / bottom; bottom > 0. The fraction is not reduced. */
export interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
}

export function rational(top: bigint | number, bottom: bigint | number = 1n): Rational {
  return { top: BigInt(top), bottom: BigInt(bottom) };
}

export function add(a: Rational, b: Rational): Rational {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom };
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { top: -b.top, bottom: b.bottom });
}

export function multiply(a: Rational, b: Rational): Rational {
  return { top: a.top * b.top, bottom: a.bottom * b.bottom };
}

export function divide(a: Rational, b: Rational): Rational {
  const sign = b.top < 0n ? -1n : 1n;
  return { top: a.top * b.bottom * sign, bottom: a.bottom * b.top * sign };
}

/** Negative, 0 or positive as a is less than, equal to or greater than b. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function absolute(a: Rational): Rational {
  return { top: a.top < 0n ? -a.top : a.top, bottom: a.bottom };
}

/** Greatest whole number not above a. */
export function floor({ top, bottom }: Rational): bigint {
  const quotient = top / bottom;
  return top % bottom < 0n ? quotient - 1n : quotient;
}

export const HALF = rational(1, 2);

/** Nearest whole number, halves upwards. */
export function round(a: Rational): bigint {
  return floor(add(a, HALF));
}

/** MOD of the standard: a − b ⌊a / b⌋, never negative for positive b. */
export function modulo(a: Rational, b: Rational): Rational {
  return subtract(a, multiply(b, rational(floor(divide(a, b)))));
}

/** Degrees. */
export interface Position {
  readonly lat: Rational;
  readonly lon: Rational;
}

export interface Fields {
  readonly lat: number;
  readonly lon: number;
}

/** Airborne, surface (19 bits of which the low 17 are sent), and coarse TIS-B. */
export type Bits = 17 | 19 | 12;

const degrees = (value: number): Rational => rational(value);

/**
 * Latitude at which NL falls from `zones` to `zones` − 1, 2 ≤ zones ≤ 59: §A.1.7.2 d solved for the latitude. 87 for 2. It is irrational; to 12 decimals it
 * decides exactly, because no latitude that a frame can carry is nearer than 8e-9 degrees.
 */
export function transitionLatitude(zones: number): Rational {
  return TRANSITIONS[zones]!;
}

const TRANSITIONS = Array.from({ length: 60 }, (_, zones) => {
  if (zones <= 2) return degrees(zones < 2 ? 90 : 87);
  const latDeg = (Math.acos(Math.sin(Math.PI / 60) / Math.sin(Math.PI / zones)) * 180) / Math.PI;
  return rational(Math.round(latDeg * 1e12), 1e12);
});

/** §A.1.7.2 d. 87° itself has two zones. */
export function zonesAt(lat: Rational): number {
  const from = absolute(lat);
  let zones = 59;
  while (zones > 1 && compare(from, transitionLatitude(zones)) > 0) zones -= 1;
  return zones;
}

/** §A.1.7.3 (airborne), §A.1.7.4 (surface); coarse TIS-B positions are the same with 12 bits. */
export function encode({ lat, lon }: Position, odd: boolean, bits: Bits): Fields {
  const i = odd ? 1 : 0;
  const bins = rational(2n ** BigInt(bits));
  const dLat = rational(360, 60 - i);
  const yz = floor(add(multiply(bins, divide(modulo(lat, dLat), dLat)), HALF));
  const rLat = multiply(dLat, add(divide(rational(yz), bins), rational(floor(divide(lat, dLat)))));
  const dLon = rational(360, Math.max(zonesAt(rLat) - i, 1));
  const xz = floor(add(multiply(bins, divide(modulo(lon, dLon), dLon)), HALF));
  const sent = BigInt(fieldSize(bits));
  return { lat: Number(yz % sent), lon: Number(xz % sent) };
}

/** Latitude and longitude fields have this many values. */
export function fieldSize(bits: Bits): number {
  return bits === 12 ? 4096 : 131_072;
}

/** §A.1.7.7: the position in the newer frame; undefined when the standard gives none. */
export function globalAirborne(even: Fields, odd: Fields, newerOdd: boolean, bits: 17 | 12 = 17): Position | undefined {
  const size = fieldSize(bits);
  const lats = latitudes(even, odd, size, 360).map((lat) => (compare(lat, degrees(270)) >= 0 ? subtract(lat, degrees(360)) : lat));
  const [evenLat, oddLat] = lats as [Rational, Rational];
  if (isBeyondPole(evenLat) || isBeyondPole(oddLat)) return undefined;
  const zones = zonesAt(evenLat);
  if (zones !== zonesAt(oddLat)) return undefined;
  return { lat: newerOdd ? oddLat : evenLat, lon: longitude(even, odd, newerOdd, zones, size, 360) };
}

/** §A.1.7.8: the same within 90°; of the two latitudes and four longitudes, those nearest to the reference. */
export function globalSurface(even: Fields, odd: Fields, newerOdd: boolean, reference: Position): Position | undefined {
  const [evenLat, oddLat] = latitudes(even, odd, 131_072, 90).map((lat) =>
    nearest(
      [subtract(lat, degrees(90)), lat, add(lat, degrees(90))].filter((candidate) => !isBeyondPole(candidate)),
      reference.lat,
    ),
  ) as [Rational, Rational];
  const zones = zonesAt(evenLat);
  if (zones !== zonesAt(oddLat)) return undefined;
  const quarter = longitude(even, odd, newerOdd, zones, 131_072, 90);
  const candidates = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((turn) => add(quarter, degrees(90 * turn)));
  return { lat: newerOdd ? oddLat : evenLat, lon: nearest(candidates, reference.lon) };
}

/** §A.1.7.5 (airborne, 17 bits), §A.1.7.6 (surface, 19), coarse 12: the position nearest to the reference; undefined beyond a pole. */
export function local(fields: Fields, odd: boolean, bits: Bits, reference: Position): Position | undefined {
  const i = odd ? 1 : 0;
  const size = rational(fieldSize(bits));
  const span = bits === 19 ? 90 : 360;
  const lat = nearReference(divide(rational(fields.lat), size), rational(span, 60 - i), reference.lat);
  if (isBeyondPole(lat)) return undefined;
  const zones = Math.max(zonesAt(lat) - i, 1);
  return { lat, lon: nearReference(divide(rational(fields.lon), size), rational(span, zones), reference.lon) };
}

/** The latitude in whole microdegrees; halves are rounded up. */
export function latitudeMicrodeg({ lat }: Position): number {
  return Number(round(multiply(lat, rational(1_000_000))));
}

/** The same, −180e6 to 180e6 − 1. */
export function longitudeMicrodeg({ lon }: Position): number {
  const microdeg = round(multiply(lon, rational(1_000_000)));
  return Number(modulo(rational(microdeg + 180_000_000n), rational(360_000_000)).top) - 180_000_000;
}

/** Angle along the parallel between two longitudes, degrees, 0 to 180. */
export function apart(a: Rational, b: Rational): Rational {
  const east = modulo(subtract(a, b), degrees(360));
  return compare(east, degrees(180)) > 0 ? subtract(degrees(360), east) : east;
}

function latitudes(even: Fields, odd: Fields, size: number, span: number): [Rational, Rational] {
  const j = floor(add(rational(59 * even.lat - 60 * odd.lat, size), HALF));
  const one = (zones: number, field: number): Rational =>
    multiply(rational(span, zones), add(modulo(rational(j), rational(zones)), rational(field, size)));
  return [one(60, even.lat), one(59, odd.lat)];
}

function longitude(even: Fields, odd: Fields, newerOdd: boolean, zones: number, size: number, span: number): Rational {
  const m = floor(add(rational(even.lon * (zones - 1) - odd.lon * zones, size), HALF));
  const own = Math.max(zones - (newerOdd ? 1 : 0), 1);
  return multiply(rational(span, own), add(modulo(rational(m), rational(own)), rational(newerOdd ? odd.lon : even.lon, size)));
}

function nearReference(fraction: Rational, zone: Rational, reference: Rational): Rational {
  const turns = divide(modulo(reference, zone), zone);
  const index = floor(divide(reference, zone)) + floor(subtract(add(HALF, turns), fraction));
  return multiply(zone, add(rational(index), fraction));
}

/** The candidate nearest to the reference; the greater one of two equally near. */
function nearest(candidates: readonly Rational[], reference: Rational): Rational {
  const distance = (candidate: Rational): Rational => absolute(subtract(candidate, reference));
  return candidates.reduce((best, candidate) => {
    const order = compare(distance(candidate), distance(best));
    return order < 0 || (order === 0 && compare(candidate, best) > 0) ? candidate : best;
  });
}

function isBeyondPole(lat: Rational): boolean {
  return compare(absolute(lat), degrees(90)) > 0;
}

/** The point of the globe at whole microdegrees. */
export function positionOf(latitudeMicro: number, longitudeMicro: number): Position {
  return { lat: rational(latitudeMicro, 1_000_000), lon: rational(longitudeMicro, 1_000_000) };
}
