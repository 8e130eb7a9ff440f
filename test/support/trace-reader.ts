// Reads trace files of readsb by their documented format: docs/use/web-maps.md.

/** Time after the trace's in s, position, altitude, speed, track, flags, rate, details, type and geometric altitude, and three members that we leave out. */
type Point = readonly [
  ...[after: number, lat: number, lon: number, altitude: number | 'ground' | null, gs: number | null, track: number | null, flags: number],
  ...[rate: number | null, details: Readonly<Record<string, unknown>> | null, type: string | null, altitudeGeom: number | null],
];
export type ReadTrace = ReturnType<typeof readTrace>;

const POINT_MEMBERS = 14;
const FLAGS = 15;

/** Errors: anything that the format does not allow. */
export function readTrace(text: string) {
  const { icao, timestamp, trace, ...about } = JSON.parse(text) as {
    icao: string;
    timestamp: number;
    trace: readonly Point[];
  };
  let before = 0;
  const points = trace.map((point) => {
    if ((point.length as number) !== POINT_MEMBERS) throw new Error(`a point has ${point.length} members`);
    const [after, lat, lon, altitude, gs, track, flags, rate, details, type, altitudeGeom] = point;
    if (after < before) throw new Error(`the time goes back to ${after}`);
    if ((flags & ~FLAGS) !== 0) throw new Error(`flags ${flags}`);
    if (Math.abs(lat) > 90 || Math.abs(lon) > 180) throw new Error(`position ${lat}, ${lon}`);
    before = after;
    return {
      // Times have milliseconds.
      ...{ time: Math.round((timestamp + after) * 1000) / 1000, lat, lon, altitude, gs, track, rate, details, type, altitudeGeom },
      ...{
        isStale: (flags & 1) !== 0,
        isLeg: (flags & 2) !== 0,
        isGeometricRate: (flags & 4) !== 0,
        isGeometricAltitude: (flags & 8) !== 0,
      },
    };
  });
  return { icao, points, about };
}
