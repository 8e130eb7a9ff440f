// Positions in a real history store, from readable values; what is not given is ordinary.
import type { HistoryClient } from '../../pipeline/store/client.ts';

export interface StoredPosition {
  readonly icao24: number;
  readonly timeMs: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly onGround?: boolean;
  readonly altitudeBaroFt?: number | null;
  readonly altitudeGeomFt?: number | null;
  readonly speedKt?: number | null;
  readonly trackDeg?: number | null;
  readonly rateFpm?: number | null;
  readonly source?: number;
  readonly callsign?: string | null;
  readonly squawk?: number | null;
  readonly rssiDeciDbfs?: number | null;
  readonly partition?: number;
}

const scaled = (value: number | null, scale: number): number | null => (value === null ? null : Math.round(value * scale));

export async function storePositions(client: HistoryClient, positions: readonly StoredPosition[], token: string): Promise<void> {
  const rows = positions.map((position, frameOffset) => {
    const { icao24, timeMs, lat = 50, lon = 5, onGround = false, altitudeBaroFt = 12_000, altitudeGeomFt = null } = position;
    const {
      speedKt = 250,
      trackDeg = 90,
      rateFpm = null,
      source = 0,
      callsign = null,
      squawk = null,
      rssiDeciDbfs = null,
      partition = 0,
    } = position;
    return {
      ...{ time: new Date(timeMs).toISOString().replace('Z', ''), icao24 },
      ...{ latitudeMicrodeg: scaled(lat, 1e6), longitudeMicrodeg: scaled(lon, 1e6), onGround, altitudeBaroFt, altitudeGeomFt },
      ...{ groundSpeedDeciKt: scaled(speedKt, 10), trackCentideg: scaled(trackDeg, 100), baroRateFpm: rateFpm },
      ...{ source, nic: 8, rcM: 186, callsign, squawk, rssiDeciDbfs, partition, frameOffset, frameIndex: 0 },
    };
  });
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await client.insert({ table: 'positions', columns: Object.keys(rows[0]!), format: 'JSONEachRow', body, token });
}
