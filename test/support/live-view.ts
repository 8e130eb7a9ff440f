// A live view for tests of its readers: the test supplies states, ticks and clock.

import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { AircraftFactsSource } from '../../pipeline/aircraft/facts.ts';
import { LiveTable } from '../../pipeline/aircraft/table.ts';
import { openCompressors } from '../../pipeline/view/compress.ts';
import { EncodedBodies } from '../../pipeline/view/encodings.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { type Snapshot, SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { SnapshotListeners } from '../../pipeline/view/snapshot-listeners.ts';
import { createQueryApi, type QueryApiOptions } from '../../query-api/http/app.ts';
import { type ReadModel, readModel } from '../../query-api/queries/read-model.ts';
import { type Contract, holdToContract } from './contract.ts';
import { fullState, NOW_MS } from './full-state.ts';

export interface TestView extends LiveView {
  readonly table: LiveTable;
  readonly builder: SnapshotBuilder;
  /** The view's wall clock. */
  clockMs: number;
  /** The monotonic clock minus the wall clock: lower it when the wall clock is set forward. */
  steadyOffsetMs: number;
  ready: boolean;
  /** Builds the snapshot of a tick, by default at the clock's time. */
  tick(nowMs?: number): Snapshot;
}

/** A view with `aircraft` full aircraft and, unless there are none, one snapshot. */
export async function createTestView(aircraft: number, facts?: AircraftFactsSource): Promise<TestView> {
  const compressors = openCompressors();
  const table = new LiveTable(facts);
  const clock = (): number => view.clockMs;
  const steadyMs = (): number => view.clockMs + view.steadyOffsetMs;
  const bodies = new EncodedBodies(compressors, clock);
  const builder = new SnapshotBuilder(table, clock, 'test', steadyMs);
  const listeners = new SnapshotListeners();
  const view: TestView = {
    table,
    builder,
    receivers: new MeasuredReceivers(),
    bodies,
    compressors,
    clockMs: NOW_MS + 300,
    steadyOffsetMs: 0,
    ready: true,
    current: () => builder.current,
    onSnapshot: (listener) => listeners.add(listener),
    isKnown: (key) => table.hasKey(key),
    isReady: () => view.ready,
    tick(nowMs = view.clockMs) {
      const previous = builder.current;
      previous?.retain();
      const snapshot = builder.build(nowMs, 4242);
      bodies.prepare(snapshot);
      listeners.notify(snapshot, previous);
      previous?.release();
      return snapshot;
    },
  };
  for (let i = 0; i < aircraft; i += 1) table.applyState(fullState(i));
  if (aircraft > 0) view.tick(NOW_MS);
  return view;
}

export interface TestApi {
  readonly app: FastifyInstance;
  readonly view: TestView;
  /** Every response of `app.inject` is validated against it. */
  readonly contract: Contract;
}

type ApiOptions = Partial<QueryApiOptions & ReadModel>;

/** A read model over a test view, without HTTP. */
export function testModel(view: TestView, parts: Partial<ReadModel> = {}): ReadModel {
  return readModel({ view, clock: () => view.clockMs, steadyMs: () => view.clockMs + view.steadyOffsetMs, ...parts });
}

/** The whole API over a test view. */
export async function createTestApi(aircraft: number, options: ApiOptions = {}): Promise<TestApi> {
  return createApiOver(await createTestView(aircraft, options.reference), options);
}

export async function createApiOver(view: TestView, options: ApiOptions): Promise<TestApi> {
  const app = createQueryApi(testModel(view, options), { registry: new Registry(), ...options });
  await app.ready();
  const contract = await holdToContract(app);
  return { app, view, contract };
}
