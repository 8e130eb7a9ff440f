// The records of feeders that a tick writes: counts of the receiver table, and what the rows of feeders know of the last minute.
import type { ReceiverNow } from './feeder-rows.ts';
import type { FeederTick } from './fold-tick.ts';
import { coverageCentre } from './receiver-coverage.ts';
import { R_CLEAN, R_CLEAN_HEARD, R_CLEAN_SQUARES, R_CORROBORATED, RECEIVER_NUMBERS, type ReceiverTable } from './receivers.ts';

const NONE: readonly FeederTick[] = [];

/** Ends the tick for the rows of feeders; returns the records that are due. `beforeMs` is the tick before. */
export function feedersOfTick(receivers: ReceiverTable, beforeMs: number, tickMs: number, timeBaseMs: number): readonly FeederTick[] {
  const { feeders } = receivers;
  if (tickMs < feeders.openMs) return NONE;
  const cleanOf = (number: number): number => receivers.numbers[number * RECEIVER_NUMBERS + R_CLEAN]!;
  const nowOf = (number: number): ReceiverNow => {
    const { frames, positions, disagreements, cleanDf17: clean } = receivers.countsOf(number, timeBaseMs);
    const row = receivers.numbers.subarray(number * RECEIVER_NUMBERS, (number + 1) * RECEIVER_NUMBERS);
    return {
      ...{ frames, positions, disagreements, clean, corroborated: row[R_CORROBORATED]! },
      ...{ cleanMs: timeBaseMs + row[R_CLEAN_HEARD]!, cleanSquares: row[R_CLEAN_SQUARES]! },
      centre: coverageCentre(receivers, number),
    };
  };
  const due = feeders.closeTick(beforeMs, tickMs, { cleanOf, nowOf });
  return due.map((row) => {
    const { id, ...counts } = receivers.countsOf(feeders.receivers[row - 1]!, timeBaseMs);
    return { id, record: { timeMs: tickMs, ...counts, ...feeders.recordOf(row) } };
  });
}
