// A server of the records bench as a separate process: ours with all protocols, or the plain one. Reports its ports and CPU time.
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { tuneForFold } from '../../../pipeline/runtime/v8-flags.ts';
import { openCompressors } from '../../../pipeline/view/compress.ts';
import { EncodedBodies } from '../../../pipeline/view/encodings.ts';
import type { LiveView } from '../../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../../pipeline/view/measured-receivers.ts';
import { SnapshotBuilder } from '../../../pipeline/view/snapshot.ts';
import { unlimitedAccess } from '../../../query-api/access/access.ts';
import { createQueryApi } from '../../../query-api/http/app.ts';
import { toolProtocol } from '../../../query-api/mcp/streamable-http.ts';
import { type ReadModel, readModel } from '../../../query-api/queries/read-model.ts';
import { openGrpcServer } from '../../../query-api/rpc/grpc/server.ts';
import { recordProtocol } from '../../../query-api/rpc/http-protocol.ts';
import { nearbyAircraft } from '../../../query-api/rpc/operations.ts';
import { aircraftRecord, listRecord } from '../../../query-api/rpc/record-objects.ts';
import { AircraftWatch } from '../../../query-api/rpc/watch/aircraft-watch.ts';
import { locatedAircraft } from '../aircraft.ts';
import { routedTable } from '../flights.ts';
import { listenPlainGrpc } from '../reference/plain-grpc.ts';
import { type CallSet, callSet, NEARBY_LIMIT } from './calls.ts';

export interface ServerPorts {
  readonly grpc: number;
  /** 0 for the plain server. */
  readonly http: number;
  readonly calls: CallSet;
}
/** Messages of this process: the ports once it listens, then its CPU time so far on each request. */
export type ServerMessage = ServerPorts | { readonly cpuS: number };

// As the executable does.
tuneForFold();

const TICK_MS = 1000;
const PUSH_TICK_MS = 10_000;
const HOST = '127.0.0.1';
const START_MS = Date.now();
/** Time passes at a tenth of its pace: aircraft that send nothing do not expire while all ways are measured. */
const clock = (): number => Math.floor(START_MS + (Date.now() - START_MS) / 10);

interface Sky {
  readonly model: ReadModel;
  readonly tick: () => void;
}

async function openSky(count: number): Promise<Sky> {
  const states = locatedAircraft(count);
  const shiftMs = clock() - Math.max(...states.map(({ seenMs }) => seenMs));
  const fresh = states.map((state) => ({ ...state, seenMs: state.seenMs + shiftMs, positionMs: state.positionMs! + shiftMs }));
  const { table, reference, flights } = await routedTable(fresh, clock, true);
  const builder = new SnapshotBuilder(table, clock, 'bench');
  const compressors = openCompressors();
  const bodies = new EncodedBodies(compressors, clock);
  const view: LiveView = {
    current: () => builder.current,
    onSnapshot: () => () => {},
    isKnown: () => false,
    isReady: () => true,
    receivers: new MeasuredReceivers(),
    bodies,
    compressors,
  };
  const tick = (): void => bodies.prepare(builder.build(clock(), 0));
  tick();
  return { model: readModel({ view, clock, reference, flights }), tick };
}

/** Ports of all protocols, over a snapshot that is rebuilt every second. */
async function serveOurs({ model, tick }: Sky): Promise<Omit<ServerPorts, 'calls'>> {
  setInterval(tick, TICK_MS);
  const watch = new AircraftWatch(model, PUSH_TICK_MS);
  const onFault = (error: unknown): void => {
    throw error;
  };
  const app = createQueryApi(model, {
    registry: new Registry(),
    protocols: [
      recordProtocol({ model, watch, access: unlimitedAccess, onFault }),
      toolProtocol(model, { access: unlimitedAccess, baseUrl: '', version: '0', isTrialOpen: false, onFault }),
    ],
  });
  await app.listen({ host: HOST, port: 0 });
  const grpc = await openGrpcServer({
    ...{ host: HOST, port: 0, flag: '--grpc', model, access: unlimitedAccess, watch, whyNotReady: () => null, log: () => {} },
  });
  return { grpc: grpc.port, http: (app.server.address() as AddressInfo).port };
}

/** The same aircraft as ready objects; lists are found before. */
async function servePlain({ model }: Sky, calls: CallSet): Promise<Omit<ServerPorts, 'calls'>> {
  const snapshot = model.view.current()!;
  const aircraft = Array.from({ length: snapshot.listing.count }, (_, index) => aircraftRecord({ snapshot, index }));
  const lists = calls.circles.map((circle) => ({ circle, list: listRecord(nearbyAircraft(model, { ...circle, limit: NEARBY_LIMIT })) }));
  return { grpc: await listenPlainGrpc(HOST, aircraft, lists), http: 0 };
}

const [kind, count] = process.argv.slice(2);
const sky = await openSky(Number(count));
const calls = callSet(sky.model.view.current()!);
const ports = kind === 'ours' ? await serveOurs(sky) : await servePlain(sky, calls);

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpuS: (user + system) / 1e6 } satisfies ServerMessage);
});
process.on('disconnect', () => process.exit());
process.send!({ ...ports, calls } satisfies ServerMessage);
