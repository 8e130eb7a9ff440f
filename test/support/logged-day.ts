// Positions and ended flights of a day in a real log of a data folder, as the stages write them.
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { FOLD_GROUP } from '../../pipeline/fold/worker.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import type { HandFlight, HandPosition } from './hand-day.ts';

const BATCH_ROWS = 500;
const BATCH_US = 60e6;

/** Appends them in the order given; rows say their partition. The stages have committed everything, and the frames end after `untilMs`. */
export async function writeLog(
  dataDir: string,
  positions: readonly HandPosition[],
  flights: readonly HandFlight[],
  untilMs: number,
): Promise<void> {
  const { log, codecs } = await openData(dataDir, 'write');
  for (let partition = 0; partition < log.partitions('positions'); partition += 1) {
    const rows = positions.filter((row) => row.partition === partition);
    for (const some of batches(rows)) {
      const tickMs = Math.ceil(some.at(-1)!.timeUs / 1e6) * 1000;
      const value = codecs.PositionBatch.encode({
        tickMs,
        rows: some.map(({ icao24, partition: _, ...row }) => ({ ...row, hex: keyHex(icao24) })),
      });
      await log.append('positions', partition, [{ key: null, value, timestampMs: tickMs }]);
    }
    for (const { icao24, partition: at, recordOffset: _, ...flight } of flights) {
      if (at !== partition) continue;
      const value = codecs.EndedFlight.encode({ ...flight, hex: keyHex(icao24) } as never);
      await log.append('flightsEnded', partition, [{ key: keyHex(icao24), value, timestampMs: flight.endedMs }]);
    }
    const frames = await log.append('frames', partition, [
      {
        key: null,
        value: codecs.FrameBatch.encode({ baseTimeUs: untilMs * 1000, receivers: [], count: 0, frames: Buffer.alloc(0) }),
        timestampMs: untilMs,
      },
    ]);
    const fromOffset = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    await log.commit({ group: FOLD_GROUP, topic: 'frames', partition, fromOffset, nextOffset: frames + 1, outputs: [] });
  }
  await log.close();
}

/** A batch is of a short time, as a tick is. */
function batches(rows: readonly HandPosition[]): HandPosition[][] {
  const made: HandPosition[][] = [];
  for (const row of rows) {
    const last = made.at(-1);
    if (last === undefined || last.length === BATCH_ROWS || row.timeUs > last[0]!.timeUs + BATCH_US) made.push([row]);
    else last.push(row);
  }
  return made;
}
