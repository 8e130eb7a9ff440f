// Whether the folds have come to the end of the frames. The lag that a fold shows cannot tell: it is measured once a second, and what came since
// is not in it. How far a fold has come only grows.
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import type { Sample } from './metrics-page.ts';

/** Where the frames of each partition end now; nothing may append to them any more. */
export async function frameEnds(log: EventLog): Promise<number[]> {
  const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => partition);
  return Promise.all(partitions.map(async (partition) => (await log.bounds('frames', partition)).next));
}

/** True where each partition has one fold, which has folded it to its end; `samples` are those of all folds. */
export function isFolded(samples: readonly Sample[], ends: readonly number[]): boolean {
  const places = samples.filter(({ name }) => name === 'squitter_fold_next_offset');
  return (
    places.length === ends.length &&
    ends.every((end, i) => places.some(({ labels, value }) => labels['partition'] === String(i) && value >= end))
  );
}
