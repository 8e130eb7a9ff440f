// Entry of the thread that shows the past: starts the threads that fold it, and gives lists of what they fold.
import { availableParallelism } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type MomentCounts, Moments, type PastFolder } from '../../pipeline/past/moments.ts';
import type { PartitionSky } from '../../pipeline/past/partition-past.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { CalledThread, serveCalls, yieldToOthers } from '../../pipeline/runtime/thread-calls.ts';
import type { RefusedList } from '../../query-api/http/past-app.ts';
import type { FlightAt } from '../../query-api/queries/moment-flights.ts';
import type { PastList } from '../../query-api/queries/past.ts';
import type { FoldRequest, FoldResponse } from './fold-thread.ts';
import type { openLists } from './sky-lists.ts';
import type { SkyThreadData } from './source.ts';

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
const data = workerData as SkyThreadData;
const { source, partitions } = data;
// They load their code while this thread loads its own, and may be terminated until the log is open. One processor is left to V8's compiler: on two of them,
// two threads compile the same twice, and the first moment takes a third more of the processors.
const folds = Array.from({ length: Math.min(partitions, Math.max(1, availableParallelism() - 1)) }, (_, i) => startFold(i));

/** A thread that folds partitions. It opens the log with its first call. */
function startFold(number: number): CalledThread<FoldRequest, FoldResponse> {
  return new CalledThread(`past-fold-${number}`, programFile('infra/past/fold-thread'), source);
}

/** A thread has every n-th partition. */
const folder: PastFolder = {
  at: (fold, atMs) =>
    Array.from(
      { length: partitions },
      (_, partition) => folds[partition % folds.length]!.call({ folds: fold, partition, atMs }) as Promise<PartitionSky>,
    ),
  drop(fold) {
    for (const thread of folds) thread.call({ folds: fold, atMs: null }).catch(() => {});
  },
};

serveCalls<SkyRequest, SkyResponse>(async () => {
  let opened: ReturnType<typeof openLists> | null = null;
  const lists = (): ReturnType<typeof openLists> => {
    opened ??= import('./sky-lists.ts').then((module) => module.openLists(data));
    // The next request tries again.
    opened.catch(() => (opened = null));
    return opened;
  };
  const moments = new Moments(folder, async () => (await lists()).sky);
  return {
    async handle({ atMs, url, wanted, rows, flights }) {
      const isWanted = (): boolean => Atomics.load(wanted, 0) === 1;
      const use = async (): Promise<PastList | RefusedList> => (await lists())[rows === null ? 'folded' : 'stored'].list(url, flights);
      const list = await (rows === null
        ? moments.show(atMs, { isWanted, use })
        : moments.showStates(atMs, (await lists()).storedStates(rows, atMs), { isWanted, use }));
      return { list: 'body' in list ? { ...list, body: new Uint8Array(list.body) } : list, counts: moments.counts };
    },
    transferOf: ({ list }) => ('body' in list ? [list.body.buffer] : []),
    async close() {
      await Promise.all(folds.map((thread) => thread.close()));
      if (opened !== null)
        await opened.then(
          (open) => open.close(),
          () => {},
        );
    },
  };
});
