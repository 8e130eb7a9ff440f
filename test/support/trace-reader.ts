// Reads trace files of readsb by their documented format: docs/use/web-maps.md.

export interface TracePoint {
  /** Unix s. */
  readonly time: number;
  readonly lat: number;
  readonly lon: number;
  /** Barometric unless the flag says otherwise. */
  readonly altitude: number | 'ground' | null;
  readonly gs: number | null;
  readonly track: number | null;
  readonly isStale: boolean;
  readonly isLeg: boolean;
  readonly isGeometricRate: boolean;
  readonly isGeometricAltitude: boolean;
  readonly rate: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly type: string | null;
  readonly altitudeGeom: number | null;
}

export interface ReadTrace {
  readonly icao: string;
  readonly points: readonly TracePoint[];
  /** Members besides icao, timestamp and trace. */
  readonly about: Readonly<Record<string, unknown>>;
}

const POINT_MEMBERS = 14;
const FLAGS = 15;

/** Errors: anything that the format does not allow. */
export function readTrace(text: string): ReadTrace {
  const { icao, timestamp, trace, ...about } = JSON.parse(text) as {
    icao: string;
    timestamp: number;
    trace: readonly (readonly unknown[])[];
  };
  let before = 0;
  const points = trace.map((point) => {
    if (point.length !== POINT_MEMBERS) throw new Error(`a point has ${point.length} members`);
    const [after, lat, lon, altitude, gs, track, flags, rate, details, type, altitudeGeom] = point as [
      ...[number, number, number, TracePoint['altitude'], TracePoint['gs'], TracePoint['track'], number, TracePoint['rate']],
      ...[TracePoint['details'], TracePoint['type'], TracePoint['altitudeGeom']],
    ];
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
