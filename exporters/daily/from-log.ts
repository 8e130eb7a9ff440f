// The rows of a day from the log alone: those that the sink makes of the topics of positions and of ended flights.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { flightProjection } from '../../pipeline/project/flight-projection.ts';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { readBlocks } from '../../pipeline/project/native-reader.ts';
import { positionProjection } from '../../pipeline/project/position-projection.ts';
import type { Projection } from '../../pipeline/project/projection.ts';
import type { DailyKind, OffsetRange } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import type { DaySource, SpillTarget, SpillWatch } from './day-source.ts';

/** Rows of a block: large enough that a call costs nothing, small enough for memory. */
const BLOCK_ROWS = 16_384;

export interface LogSourceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Ended flights of these records only: those that a published day was made from. Without it all that there are. */
  readonly flightsEnded?: readonly OffsetRange[];
}

/** Errors: `export.day_expired` if records of the day are deleted, `schema.malformed_value`, those of the log. */
export function logSource({ log, codecs, flightsEnded }: LogSourceOptions): DaySource {
  return {
    name: 'the log',
    async fill({ day, startMs, endMs }, target, { signal, onProgress }) {
      const partitions = log.partitions('positions');
      const fromMs = startMs - limits.exportSlackMs;
      let rows = 0;
      for (let partition = 0; partition < partitions; partition += 1) {
        const from = await log.offsetAt('positions', partition, fromMs);
        const to = await log.offsetAt('positions', partition, endMs + limits.exportSlackMs);
        await checkKept(log, partition, from, fromMs, day);
        const watch: SpillWatch = {
          signal,
          onProgress: (done, total, more) => onProgress(partition + done / total, partitions, rows + more),
        };
        rows += await fill('positions', positionProjection(codecs.PositionBatch), { log, partition, from, to }, target, watch);
        onProgress(partition + 1, partitions, rows);
        // A flight that overlaps the day has ended on it or later.
        const ended = await log.offsetAt('flightsEnded', partition, fromMs);
        const { next } = await log.bounds('flightsEnded', partition);
        const end = flightsEnded === undefined ? next : (flightsEnded.find((range) => range.partition === partition)?.next ?? 0);
        await fill('flights', flightProjection(codecs.EndedFlight), { log, partition, from: ended, to: end }, target, {
          signal,
          onProgress: () => {},
        });
      }
    },
  };
}

interface Range {
  readonly log: EventLog;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the number of rows. */
async function fill(
  kind: DailyKind,
  projection: Projection,
  { log, partition, from, to }: Range,
  target: SpillTarget,
  { signal, onProgress }: SpillWatch,
): Promise<number> {
  const { topic } = projection;
  const block = new NativeBlock(projection.columns);
  let rows = 0;
  const flush = (): void => {
    for (const { columns } of readBlocks(Buffer.concat(block.pieces())))
      target.add(
        kind,
        columns.map(({ values }) => values),
      );
    rows += block.rows;
    block.clear();
  };
  if (from < to)
    for await (const { records, nextOffset } of log.read({ topic, partition, from, to, signal })) {
      for (const record of records) {
        if (record.value !== null && !projection.add(block, partition, record))
          throw new SquitterError('schema.malformed_value', { subject: topics[topic].name, detail: `offset ${record.offset}` });
        if (block.rows >= BLOCK_ROWS) flush();
      }
      onProgress(nextOffset - from, to - from, rows + block.rows);
    }
  signal.throwIfAborted();
  flush();
  return rows;
}

/** A day is complete in the log if a record before it is kept, or none was ever deleted. */
async function checkKept(log: EventLog, partition: number, first: number, fromMs: number, day: string): Promise<void> {
  const { earliest, next } = await log.bounds('positions', partition);
  if (earliest === 0 || first > earliest) return;
  if (next === earliest || first === earliest)
    throw new SquitterError('export.day_expired', { day, partition, time: new Date(fromMs).toISOString() });
}
