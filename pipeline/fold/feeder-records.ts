// The records of feeders that a tick writes: counts of the receiver table, and what the rows of feeders know of the last minute.
import type { FeederTick } from './fold-tick.ts';
import { coverageCentre } from './receiver-coverage.ts';
import {
  R_CLEAN,
  R_CLEAN_HEARD,
  R_CLEAN_SQUARES,
  R_CORROBORATED,
  R_DISAGREEMENTS,
  R_DUPLICATES,
  R_MESSAGES,
  R_POSITIONS,
  R_REFUSED,
  RECEIVER_NUMBERS,
  type ReceiverTable,
} from './receivers.ts';

const NONE: readonly FeederTick[] = [];

/** Ends the tick for the rows of feeders; returns the records that are due. `beforeMs` is the tick before. */
export function feedersOfTick(receivers: ReceiverTable, beforeMs: number, tickMs: number, timeBaseMs: number): readonly FeederTick[] {
  const { feeders } = receivers;
  feeders.takeNotes();
  if (tickMs < feeders.openMs) return NONE;
  const due = feeders.closeTick(
    beforeMs,
    tickMs,
    (number) => {
      const { numbers } = receivers;
      const at = number * RECEIVER_NUMBERS;
      return {
        frames: numbers[at + R_MESSAGES]! + numbers[at + R_DUPLICATES]! + numbers[at + R_REFUSED]!,
        positions: numbers[at + R_POSITIONS]!,
        corroborated: numbers[at + R_CORROBORATED]!,
        disagreements: numbers[at + R_DISAGREEMENTS]!,
        clean: numbers[at + R_CLEAN]!,
        cleanMs: timeBaseMs + numbers[at + R_CLEAN_HEARD]!,
        cleanSquares: numbers[at + R_CLEAN_SQUARES]!,
      };
    },
    (number) => coverageCentre(receivers, number),
  );
  return due.map((row) => {
    const { id, ...counts } = receivers.countsOf(feeders.receivers[row - 1]!, timeBaseMs);
    return { id, record: { timeMs: tickMs, ...counts, ...feeders.recordOf(row) } };
  });
}
