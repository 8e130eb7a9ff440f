// Reference of the push benchmarks: `ws` as its documentation shows a broadcast, to all clients, or filtered for each of them.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** `stringify`: JSON per client. `shared`: one buffer for all. `filtered`: JSON per client of the aircraft that its filter accepts. */
export type PlainMode = 'stringify' | 'shared' | 'filtered';

type Plane = Readonly<Record<string, unknown>> & { readonly hex: string };
type Accepts = (plane: Plane) => boolean;

/** A delta of the hub. */
export interface WorldDelta {
  readonly seq: number;
  readonly new: readonly Plane[];
  readonly update: readonly Plane[];
  readonly remove: readonly string[];
}

const NM_PER_DEG = 60;

export class PlainBroadcast {
  readonly name: string;
  readonly port: number;
  private readonly server: WebSocketServer;
  private readonly mode: PlainMode;
  private readonly planes = new Map<string, Plane>();
  private readonly filters = new Map<WebSocket, Accepts>();

  static async open(mode: PlainMode): Promise<PlainBroadcast> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new PlainBroadcast(mode, server);
  }

  private constructor(mode: PlainMode, server: WebSocketServer) {
    this.name = `plain ws, ${mode}`;
    this.mode = mode;
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client, { url }) => this.filters.set(client, filterOf(new URL(url ?? '', 'ws://bench').searchParams)));
  }

  broadcast(delta: WorldDelta): void {
    if (this.mode === 'filtered') {
      this.broadcastFiltered(delta);
      return;
    }
    const shared = Buffer.from(JSON.stringify(delta));
    for (const client of this.server.clients) {
      if (client.readyState !== WebSocket.OPEN) continue;
      if (this.mode === 'shared') client.send(shared, { binary: false });
      else client.send(JSON.stringify(delta));
    }
  }

  private broadcastFiltered({ seq, new: added, update, remove }: WorldDelta): void {
    for (const plane of [...added, ...update]) this.planes.set(plane.hex, { ...this.planes.get(plane.hex), ...plane });
    for (const hex of remove) this.planes.delete(hex);
    const changed = update.map((plane) => [plane, this.planes.get(plane.hex)!] as const);
    for (const client of this.server.clients) {
      if (client.readyState !== WebSocket.OPEN) continue;
      const accepts = this.filters.get(client)!;
      const found = changed.filter(([, plane]) => accepts(plane)).map(([sent]) => sent);
      client.send(JSON.stringify({ type: 'delta', seq, new: added.filter(accepts), update: found, remove }));
    }
  }
}

/** The filters of the benchmarks. */
function filterOf(query: URLSearchParams): Accepts {
  const numbers = (name: string): number[] | null => query.get(name)?.split(',').map(Number) ?? null;
  const [hexes, callsign] = [query.get('hex')?.split(','), query.get('callsign')];
  const zone = numbers('zones');
  const box = numbers('bbox') ?? (zone && [zone[0]!, zone[1]!, zone[0]! + 10, zone[1]! + 10]);
  const [lat, lon, radiusNm, altitude] = ['lat', 'lon', 'radius_nm', 'min_altitude'].map((name) => Number(query.get(name) ?? Number.NaN));
  return (plane) => {
    const [planeLat, planeLon] = [plane['lat'] as number, plane['lon'] as number];
    if (hexes !== undefined && !hexes.includes(plane.hex)) return false;
    if (callsign && !String(plane['flight'] ?? '').startsWith(callsign)) return false;
    if (box !== null && !(planeLat >= box[0]! && planeLat <= box[2]! && planeLon >= box[1]! && planeLon <= box[3]!)) return false;
    const distanceNm = Math.hypot(planeLat - lat!, (planeLon - lon!) * Math.cos((lat! * Math.PI) / 180)) * NM_PER_DEG;
    if (radiusNm! > 0 && !(distanceNm < radiusNm!)) return false;
    return !(altitude! >= 0) || (plane['alt_baro'] as number) >= altitude!;
  };
}
