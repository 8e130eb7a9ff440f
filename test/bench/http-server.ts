// The server side of the HTTP benchmark, forked: our query API over a view that ticks every second, or the reference.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { openCompressors } from '../../pipeline/view/compress.ts';
import { EncodedBodies } from '../../pipeline/view/encodings.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { createQueryApi } from '../../query-api/http/app.ts';
import { readModel } from '../../query-api/queries/read-model.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { leanState, locatedAircraft } from './aircraft.ts';
import { flightBlocks, routedTable } from './flights.ts';
import { createPlainApi } from './reference/plain-api.ts';

/** `lean`: aircraft without Comm-B values and flight plans. */
export type Traffic = 'rich' | 'lean';

/** Messages of this process: the port once it listens, then its CPU time so far on each request. */
export type ServerMessage = { readonly port: number } | { readonly cpuS: number };

// As the executable does.
tuneForFold();

const TICK_MS = 1000;
const clock = (): number => Date.now();

/** States as if their last message had just arrived. */
function fresh(states: readonly AircraftState[]): AircraftState[] {
  const shiftMs = clock() - Math.max(...states.map(({ seenMs }) => seenMs));
  return states.map((state) => ({ ...state, seenMs: state.seenMs + shiftMs, positionMs: state.positionMs! + shiftMs }));
}

async function ourApi(states: readonly AircraftState[]): Promise<FastifyInstance> {
  const { table, reference, flights } = await routedTable(states, clock, traffic !== 'lean');
  const builder = new SnapshotBuilder(table, clock, 'bench');
  const compressors = openCompressors();
  const bodies = new EncodedBodies(compressors, clock);
  // Every second, as live: the rebuild and the compression of requested bodies are part of the cost of serving.
  const tick = (): void => bodies.prepare(builder.build(clock(), 0));
  tick();
  setInterval(tick, TICK_MS);
  const view: LiveView = {
    current: () => builder.current,
    onSnapshot: () => () => {},
    isKnown: () => false,
    isReady: () => true,
    receivers: new MeasuredReceivers(),
    bodies,
    compressors,
  };
  return createQueryApi(readModel({ view, clock, reference, flights }), { registry: new Registry() });
}

async function plainApi(states: readonly AircraftState[]): Promise<FastifyInstance> {
  return createPlainApi(states, flightBlocks(await routedTable(states, clock, traffic !== 'lean'), clock), clock(), openCompressors());
}

const [kind, count, traffic] = process.argv.slice(2);
const located = locatedAircraft(Number(count));
const states = fresh(traffic === 'lean' ? located.map(leanState) : located);
const app = kind === 'ours' ? await ourApi(states) : await plainApi(states);
await app.listen({ host: '127.0.0.1', port: 0 });

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send!({ cpuS: (user + system) / 1e6 } satisfies ServerMessage);
});
process.on('disconnect', () => process.exit());
process.send!({ port: (app.server.address() as AddressInfo).port } satisfies ServerMessage);
