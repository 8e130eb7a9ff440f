// Entry of the thread that shows the past: starts the threads that fold it, makes their states into a snapshot, and gives lists of it.
import { availableParallelism } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type MomentCounts, Moments, type PastFolder } from '../../pipeline/past/moments.ts';
import type { PartitionSky } from '../../pipeline/past/partition-past.ts';
import { Sky } from '../../pipeline/past/sky.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { CalledThread, serveCalls, yieldToOthers } from '../../pipeline/runtime/thread-calls.ts';
import { fleetTypes } from '../../pipeline/simulate/fleet-types.ts';
import { fleetOf } from '../../pipeline/simulate/traffic.ts';
import { EncodedBodies } from '../../pipeline/view/encodings.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { PastApp, type RefusedList } from '../../query-api/http/past-app.ts';
import { storedStates } from '../../query-api/queries/history/stored-sky.ts';
import type { PastList } from '../../query-api/queries/past.ts';
import { readModel } from '../../query-api/queries/read-model.ts';
import { withSimulatedTypes } from '../embedded/simulated-facts.ts';
import { SIMULATION_SEED } from '../services/simulation-start.ts';
import type { FoldRequest, FoldResponse } from './fold-thread.ts';
import { openSource, type PastSource } from './source.ts';

export interface SkyThreadData {
  readonly source: PastSource;
  readonly referenceFolder: string | null;
  readonly simulatedAircraft: number;
}

export interface SkyRequest {
  readonly atMs: number;
  readonly url: string;
  /** 0 once nobody waits for the response: it is not made then, if its turn has not come. */
  readonly wanted: Wanted;
  /** Stored positions of the moment (query-api/queries/history/stored-sky.ts); null when it is folded. */
  readonly rows: Uint8Array<ArrayBuffer> | null;
}

export type Wanted = Int32Array<SharedArrayBuffer>;

export interface SkyResponse {
  readonly list: (Omit<PastList, 'body'> & { readonly body: Uint8Array<ArrayBuffer> }) | RefusedList;
  readonly counts: MomentCounts;
}

const foldThreadFile = new URL('./fold-thread.js', import.meta.url);

yieldToOthers();
const { source, referenceFolder, simulatedAircraft } = workerData as SkyThreadData;
// Before the log: until that is open, the thread may be terminated.
const { reference, close: closeReference } = await openReference({ folder: referenceFolder, clock: Date.now });
const types =
  simulatedAircraft === 0 ? new Map<number, string>() : fleetTypes(fleetOf({ aircraft: simulatedAircraft, seed: SIMULATION_SEED }));
const facts = withSimulatedTypes(reference, types, () => true);

serveCalls<SkyRequest, SkyResponse>(async () => {
  const { log, codecs } = await openSource(source);
  const partitions = log.partitions('frames');
  const threads = Array.from(
    { length: Math.min(partitions, availableParallelism()) },
    (_, i) => new CalledThread<FoldRequest, FoldResponse>(`past-fold-${i}`, foldThreadFile, source),
  );
  const sky = new Sky(codecs.AircraftState, facts, Date.now);
  const moments = new Moments(folderOf(threads, partitions), sky);
  const view: LiveView = {
    current: () => sky.current,
    onSnapshot: () => () => {},
    isReady: () => true,
    isKnown: () => false,
    receivers: new MeasuredReceivers(),
    bodies: new EncodedBodies(new Map(), () => 0),
    compressors: new Map(),
  };
  // The sky is as old as itself: nothing of it is too old to be shown.
  const model = readModel({ view, reference, clock: () => sky.current?.times.nowMs ?? 0, steadyMs: () => 0 });
  const app = new PastApp(model);
  const storedApp = new PastApp(model, true);
  return {
    async handle({ atMs, url, wanted, rows }) {
      const isWanted = (): boolean => Atomics.load(wanted, 0) === 1;
      const list = await (rows === null
        ? moments.show(atMs, { isWanted, use: () => app.list(url) })
        : moments.showStates(atMs, storedStates(rows, atMs), { isWanted, use: () => storedApp.list(url) }));
      return { list: 'body' in list ? { ...list, body: new Uint8Array(list.body) } : list, counts: moments.counts };
    },
    transferOf: ({ list }) => ('body' in list ? [list.body.buffer] : []),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
      await app.close();
      await storedApp.close();
      await closeReference();
      await log.close();
    },
  };
});

/** Each partition has its thread; a thread has every n-th. */
function folderOf(threads: readonly CalledThread<FoldRequest, FoldResponse>[], partitions: number): PastFolder {
  const threadOf = (partition: number): CalledThread<FoldRequest, FoldResponse> => threads[partition % threads.length]!;
  return {
    async at(folds, atMs) {
      const calls = Array.from({ length: partitions }, (_, partition) => threadOf(partition).call({ folds, partition, atMs }));
      // All of them end before the next moment begins.
      await Promise.allSettled(calls);
      return (await Promise.all(calls)) as PartitionSky[];
    },
    drop(folds) {
      for (const thread of threads) thread.call({ folds, atMs: null }).catch(() => {});
    },
  };
}
