// Entry of the thread that shows the past: starts the threads that fold it, makes their states into a snapshot, and gives lists of it.
import { availableParallelism } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type MomentCounts, Moments, type PastFolder } from '../../pipeline/past/moments.ts';
import type { PartitionSky } from '../../pipeline/past/partition-past.ts';
import { Sky } from '../../pipeline/past/sky.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { CalledThread, serveCalls, yieldToOthers } from '../../pipeline/runtime/thread-calls.ts';
import { EncodedBodies } from '../../pipeline/view/encodings.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { PastApp, type RefusedList } from '../../query-api/http/past-app.ts';
import { storedStates } from '../../query-api/queries/history/stored-sky.ts';
import type { FlightAt } from '../../query-api/queries/moment-flights.ts';
import type { PastList } from '../../query-api/queries/past.ts';
import { readModel } from '../../query-api/queries/read-model.ts';
import { simulatedTypes, withSimulatedTypes } from '../services/simulated-facts.ts';
import type { FoldRequest, FoldResponse } from './fold-thread.ts';
import { openSource, type PastSource } from './source.ts';

export interface SkyThreadData {
  readonly source: PastSource;
  /** Partitions of the log's frames: the threads that fold start before the log is open. */
  readonly partitions: number;
  readonly referenceFolder: string | null;
  readonly simulatedAircraft: number;
}

export interface SkyRequest {
  readonly atMs: number;
  readonly url: string;
  /** 0 once the client has gone: a response whose turn has not come is not made. */
  readonly wanted: Wanted;
  /** Stored positions of the moment (query-api/queries/history/stored-sky.ts); null when it is folded. */
  readonly rows: Uint8Array<ArrayBuffer> | null;
  /** Flights of the moment, for an airport's board. */
  readonly flights: readonly FlightAt[];
}

export type Wanted = Int32Array<SharedArrayBuffer>;

export interface SkyResponse {
  readonly list: (Omit<PastList, 'body'> & { readonly body: Uint8Array<ArrayBuffer> }) | RefusedList;
  readonly counts: MomentCounts;
}

yieldToOthers();
const { source, partitions, referenceFolder, simulatedAircraft } = workerData as SkyThreadData;
// Threads take seconds to load their code on a busy machine, and the reference data as long: both load at the same time, before the log is open, so that
// this thread may still be terminated. One thread for each processor folds, at most one for each partition.
const folds = Array.from({ length: Math.min(partitions, availableParallelism()) }, (_, i) => startFold(i));
const { reference, close: closeReference } = await openReference({ folder: referenceFolder, clock: Date.now });
const facts = withSimulatedTypes(reference, await simulatedTypes(simulatedAircraft), () => true);

/** A thread that folds partitions. It opens the log with its first call. */
function startFold(number: number): CalledThread<FoldRequest, FoldResponse> {
  return new CalledThread(`past-fold-${number}`, programFile('infra/past/fold-thread'), source);
}

/** A thread has every n-th partition. */
const folder: PastFolder = {
  async at(fold, atMs) {
    const calls = Array.from({ length: partitions }, (_, partition) =>
      folds[partition % folds.length]!.call({ folds: fold, partition, atMs }),
    );
    // All of them end before the next moment begins.
    await Promise.allSettled(calls);
    return (await Promise.all(calls)) as PartitionSky[];
  },
  drop(fold) {
    for (const thread of folds) thread.call({ folds: fold, atMs: null }).catch(() => {});
  },
};

serveCalls<SkyRequest, SkyResponse>(async () => {
  const { log, codecs } = await openSource(source);
  const sky = new Sky(codecs.AircraftState, facts, Date.now);
  const moments = new Moments(folder, sky);
  const view: LiveView = {
    current: () => sky.current,
    onSnapshot: () => () => {},
    isReady: () => true,
    isKnown: () => false,
    receivers: new MeasuredReceivers(),
    bodies: new EncodedBodies(new Map(), () => 0),
    compressors: new Map(),
  };
  // Ages count from the moment itself: no aircraft is too old to be shown.
  const model = readModel({ view, reference, clock: () => sky.current?.times.nowMs ?? 0, steadyMs: () => 0 });
  const app = new PastApp(model);
  const storedApp = new PastApp(model, true);
  return {
    async handle({ atMs, url, wanted, rows, flights }) {
      const isWanted = (): boolean => Atomics.load(wanted, 0) === 1;
      const list = await (rows === null
        ? moments.show(atMs, { isWanted, use: () => app.list(url, flights) })
        : moments.showStates(atMs, storedStates(rows, atMs), { isWanted, use: () => storedApp.list(url, flights) }));
      return { list: 'body' in list ? { ...list, body: new Uint8Array(list.body) } : list, counts: moments.counts };
    },
    transferOf: ({ list }) => ('body' in list ? [list.body.buffer] : []),
    async close() {
      await Promise.all(folds.map((thread) => thread.close()));
      await app.close();
      await storedApp.close();
      await closeReference();
      await log.close();
    },
  };
});
