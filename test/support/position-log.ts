// A log with positions of made-up aircraft, for tests of the history: the same numbers give the same rows.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';

/** A millisecond before midnight at the end of a leap day. */
export const LEAP_DAY_END_MS = Date.UTC(2024, 1, 29, 23, 59, 59, 999);

export interface PositionsToAppend {
  readonly partition: number;
  /** Records and rows of each; a record is a tick of one second. */
  readonly records: number;
  readonly rows: number;
  /** Tick of the first record. */
  readonly startMs: number;
  /** Number of the first record, which numbers the frames. */
  readonly first?: number;
}

export function positionRow(partition: number, record: number, row: number, tickMs: number): PositionRow {
  const mixed = Math.imul(record * 7919 + row + 1, 0x9e37_79b1) >>> 0;
  const optional = (value: number, bit: number): number | null => (((mixed >>> bit) & 3) === 0 ? null : value);
  return {
    hex: `${row % 17 === 0 ? '~' : ''}${(0x40_0000 + row * 2 + partition).toString(16)}`,
    timeUs: 1000 * tickMs - 1_000_000 + (row % 1000) * 1000 + 1,
    latitudeMicrodeg: 50_000_000 + (row % 1000) * 2000 + record * 37,
    longitudeMicrodeg: -3_000_000 + (row % 700) * 3000 - record * 11,
    onGround: row % 11 === 0,
    altitudeBaroFt: optional(25 * ((row * 13) % 1600) - 1000, 3),
    altitudeGeomFt: optional(25 * ((row * 13) % 1600) - 900, 5),
    groundSpeedDeciKt: optional((row * 31) % 6000, 7),
    trackCentideg: optional((row * 517) % 36_000, 9),
    baroRateFpm: optional(64 * ((row % 60) - 30), 11),
    source: row % 4,
    nic: row % 12,
    rcM: (row * 37) % 3704,
    frameOffset: record,
    frameIndex: row % 65_536,
    callsign: (mixed >>> 13) % 5 === 0 ? null : `TST${row % 997}${record % 100 < 50 ? '' : 'A'}`,
    squawk: optional((row * 41) % 7778, 15),
    rssiDeciDbfs: optional(-(mixed % 400), 17),
  };
}

export async function appendPositions(
  { log, codecs }: { readonly log: EventLog; readonly codecs: Codecs },
  wanted: PositionsToAppend,
): Promise<void> {
  const { partition, records, rows, startMs, first = 0 } = wanted;
  const list = Array.from({ length: records }, (_, i) => {
    const tickMs = startMs + 1000 * i;
    const value = codecs.PositionBatch.encode({
      tickMs,
      rows: Array.from({ length: rows }, (_row, row) => positionRow(partition, first + i, row, tickMs)),
    });
    return { key: null, value, timestampMs: tickMs };
  });
  await log.append('positions', partition, list);
}
