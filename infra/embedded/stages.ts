// The stages' threads: each folds its share of the partitions and follows their flights. Their statistics are added, as those of one thread.
import { programFile } from '../../pipeline/runtime/package-root.ts';
import type { StagesStats, StagesThreadData } from './stages-thread.ts';

const stagesThreadFile = programFile('infra/embedded/stages-thread');

/** Numbers that every thread has for itself: the greatest counts. */
const GREATEST: ReadonlySet<string> = new Set(['plans', 'plansDropped', 'lastRestoreMs']);

type Start<Thread> = (name: string, file: URL, data: StagesThreadData, onStats: (stats: StagesStats) => void) => Promise<Thread>;

/** Starts the threads, all at once. `onStats` gets their statistics, added. Rejects with the first failure when all have started or failed. */
export async function startStages<Thread extends { readonly failed: Promise<never> }>(
  threads: number,
  data: Omit<StagesThreadData, 'share'>,
  start: Start<Thread>,
  onStats: (stats: StagesStats) => void,
): Promise<{ readonly failed: Promise<never> }> {
  const newest = new Map<number, StagesStats>();
  const starts = Array.from({ length: threads }, (_, index) =>
    start(`stages-${index}`, stagesThreadFile, { ...data, share: { index, threads } }, (stats) => {
      newest.set(index, stats);
      onStats(addedStats([...newest.values()]) as StagesStats);
    }),
  );
  await Promise.allSettled(starts);
  const started = await Promise.all(starts);
  return { failed: Promise.race(started.map(({ failed }) => failed)) };
}

/** Adds numbers, also those of lists, and joins lists of others. Of anything else, the first that is not null. */
export function addedStats(values: readonly unknown[], name = ''): unknown {
  const [first] = values;
  if (typeof first === 'number') {
    const numbers = values as readonly number[];
    return GREATEST.has(name) ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
  }
  if (Array.isArray(first)) {
    const lists = values as readonly unknown[][];
    return typeof first[0] === 'number' ? first.map((_, i) => addedStats(lists.map((list) => list[i]))) : lists.flat();
  }
  if (typeof first !== 'object' || first === null) return values.find((value) => value !== null) ?? null;
  const objects = values as readonly Readonly<Record<string, unknown>>[];
  const valuesOf = (key: string): unknown[] => objects.map((object) => object[key]);
  return Object.fromEntries(Object.keys(first).map((key) => [key, addedStats(valuesOf(key), key)]));
}
