// Checks if the folds have reached the end of the frames. Their lag cannot show that: it is measured once a second and misses later frames.
// Their next offsets only grow.
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { Sample } from './metrics-page.ts';

/** End offset of the frames of each partition. Nothing may append to them any more. */
export async function frameEnds(log: EventLog): Promise<number[]> {
  const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => partition);
  return Promise.all(partitions.map(async (partition) => (await log.bounds('frames', partition)).next));
}

/** True if each partition has one fold, which has folded it to its end. `samples` are the metrics of all folds. */
export function isFolded(samples: readonly Sample[], ends: readonly number[]): boolean {
  const offsets = samples.filter(({ name }) => name === 'squitter_fold_next_offset');
  return (
    offsets.length === ends.length &&
    ends.every((end, i) => offsets.some(({ labels, value }) => labels['partition'] === String(i) && value >= end))
  );
}
