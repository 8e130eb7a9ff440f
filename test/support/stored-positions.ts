// Positions in a real history store, from readable values; what is not given is ordinary.
import type { HistoryClient } from '../../pipeline/store/client.ts';

const ordinary = {
  ...{ lat: 50, lon: 5, onGround: false, altitudeBaroFt: 12_000 as number | null, altitudeGeomFt: null as number | null },
  ...{ speedKt: 250 as number | null, trackDeg: 90 as number | null, rateFpm: null as number | null, source: 0 },
  ...{ callsign: null as string | null, squawk: null as number | null, rssiDeciDbfs: null as number | null, partition: 0 },
};
export type StoredPosition = Readonly<Partial<typeof ordinary>> & { readonly icao24: number; readonly timeMs: number };

const scaled = (value: number | null, scale: number): number | null => (value === null ? null : Math.round(value * scale));

export async function storePositions(client: HistoryClient, positions: readonly StoredPosition[], token: string): Promise<void> {
  const rows = positions.map((position, frameOffset) => {
    const { timeMs, lat, lon, speedKt, trackDeg, rateFpm, ...others } = { ...ordinary, ...position };
    return {
      ...{ time: new Date(timeMs).toISOString().replace('Z', ''), ...others, nic: 8, rcM: 186, frameOffset, frameIndex: 0 },
      ...{ latitudeMicrodeg: scaled(lat, 1e6), longitudeMicrodeg: scaled(lon, 1e6), baroRateFpm: rateFpm },
      ...{ groundSpeedDeciKt: scaled(speedKt, 10), trackCentideg: scaled(trackDeg, 100) },
    };
  });
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await client.insert({ table: 'positions', columns: Object.keys(rows[0]!), format: 'JSONEachRow', body, token });
}
