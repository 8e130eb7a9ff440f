// The records of feeders that a tick writes: counts of the receiver table, and what the rows of feeders know of the last minute.
import type { FeederTick } from './fold-tick.ts';
import { coverageCentre } from './receiver-coverage.ts';
import type { ReceiverTable } from './receivers.ts';

/** Ends the tick for the rows of feeders; returns the records that are due. `beforeMs` is the tick before. */
export function feedersOfTick(receivers: ReceiverTable, beforeMs: number, tickMs: number, timeBaseMs: number): FeederTick[] {
  const { feeders } = receivers;
  const due = feeders.closeTick(beforeMs, tickMs, timeBaseMs, (number) => {
    const { frames, positions, disagreements } = receivers.countsOf(number, timeBaseMs);
    return { frames, positions, disagreements, centre: coverageCentre(receivers, number) };
  });
  return due.map((row) => {
    const { id, ...counts } = receivers.countsOf(feeders.receivers[row - 1]!, timeBaseMs);
    return { id, record: { timeMs: tickMs, ...counts, ...feeders.recordOf(row) } };
  });
}
