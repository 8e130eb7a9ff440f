// Destinations of a flight: airports in the range of the class, with receiver coverage all the way, so that a simulated aircraft stays
// visible.

import { M_PER_NM } from '../../geo/earth.ts';
import { distanceM, latitudeDeg, longitudeDeg, setPosition } from '../../geo/great-circle.ts';
import { combine, cross, dot, normalise, type Vector, vector } from '../../geo/vector.ts';
import type { Airport } from './airports.ts';
import type { AircraftClass } from './classes.ts';

/** Distance within which a receiver has line of sight to an aircraft above 15,000 ft. */
const COVERAGE_NM = 150;
const SAMPLE_NM = 40;
const DEG_NM = 60;

export interface Network {
  readonly airports: readonly Airport[];
  readonly positions: readonly Vector[];
  /** Runway direction of each airport, degrees true. */
  readonly runwaysDeg: readonly number[];
  /** Great-circle distance of two airports, nm; infinite without receiver coverage. */
  distanceNm(from: number, to: number): number;
  /** Destinations of a class from an airport; empty when there are none. */
  destinations(aircraftClass: AircraftClass, from: number): readonly number[];
}

/** The route network of airports, each with a receiver. Distances are computed on demand. */
export function createNetwork(airports: readonly Airport[]): Network {
  const positions = airports.map((airport) => {
    const position = vector();
    setPosition(airport.latDeg, airport.lonDeg, position);
    return position;
  });
  const covered = coverage(airports);
  const distances = new Map<number, Float64Array>();
  const known = new Map<AircraftClass, (readonly number[] | undefined)[]>();
  const from = (origin: number): Float64Array => {
    let row = distances.get(origin);
    if (row === undefined) {
      row = Float64Array.from(positions, (position, i) => (i === origin ? 0 : routeNm(positions[origin]!, position, covered)));
      distances.set(origin, row);
    }
    return row;
  };
  return {
    airports,
    positions,
    runwaysDeg: airports.map((airport) => ((airport.icao.charCodeAt(2) * 7 + airport.icao.charCodeAt(3) * 13) % 36) * 10),
    distanceNm: (origin, to) => from(origin)[to]!,
    destinations(aircraftClass, origin) {
      let rows = known.get(aircraftClass);
      if (rows === undefined) {
        rows = [];
        known.set(aircraftClass, rows);
      }
      rows[origin] ??= choose(aircraftClass, from(origin));
      return rows[origin];
    },
  };
}

function choose(aircraftClass: AircraftClass, row: Float64Array): readonly number[] {
  const reachable = [...row.keys()].filter((i) => row[i]! >= 50 && row[i]! <= aircraftClass.rangeNmMax);
  const proper = reachable.filter((i) => row[i]! >= aircraftClass.rangeNmMin);
  if (proper.length >= 3) return proper;
  // A small network: the farthest airports.
  return reachable.sort((a, b) => row[b]! - row[a]!).slice(0, 4);
}

const step = vector();
const axis = vector();
const side = vector();

/** Great-circle distance; infinite when a part of it has no receiver coverage. */
function routeNm(a: Vector, b: Vector, covered: Uint8Array): number {
  const nm = distanceM(a, b) / M_PER_NM;
  cross(a, b, axis);
  normalise(axis);
  cross(axis, a, side);
  const angle = Math.atan2(dot(side, b), dot(a, b));
  const steps = Math.ceil(nm / SAMPLE_NM);
  for (let i = 1; i < steps; i += 1) {
    combine(Math.cos((angle * i) / steps), a, Math.sin((angle * i) / steps), side, step);
    if (covered[cellOf(latitudeDeg(step), longitudeDeg(step))] === 0) return Number.POSITIVE_INFINITY;
  }
  return nm;
}

function cellOf(latDeg: number, lonDeg: number): number {
  return (Math.floor(latDeg) + 90) * 360 + ((Math.floor(lonDeg) + 540) % 360);
}

/** Cells of one degree whose centre is in range of an airport's receiver. */
function coverage(airports: readonly Airport[]): Uint8Array {
  const covered = new Uint8Array(181 * 360);
  for (const airport of airports) {
    const rangeDeg = COVERAGE_NM / DEG_NM;
    for (let lat = Math.floor(airport.latDeg - rangeDeg); lat <= airport.latDeg + rangeDeg; lat += 1) {
      if (lat < -90 || lat > 89) continue;
      const shrink = Math.cos(((lat + 0.5) * Math.PI) / 180);
      const northDeg = lat + 0.5 - airport.latDeg;
      const halfDeg = Math.min(180, Math.sqrt(Math.max(0, rangeDeg * rangeDeg - northDeg * northDeg)) / shrink);
      for (let lon = Math.ceil(airport.lonDeg - halfDeg - 0.5); lon + 0.5 <= airport.lonDeg + halfDeg; lon += 1)
        covered[cellOf(lat, lon)] = 1;
    }
  }
  return covered;
}
