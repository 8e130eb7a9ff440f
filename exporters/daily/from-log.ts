// The rows of a day from the log alone: topics of positions and of ended flights.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import type { OffsetRange } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import type { DayBounds, DaySource, FlightRow, PositionBlock, SpillTarget, SpillWatch } from './day-source.ts';

/** Rows of a block: large enough that a call costs nothing, small enough for memory. */
const BLOCK_ROWS = 16_384;
const NON_ICAO = 1 << 24;

export interface LogSourceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Ended flights of these records only: those that a published day was made from. Without it all that there are. */
  readonly flightsEnded?: readonly OffsetRange[];
}

/** Error: `export.day_expired` if records of the day are deleted. */
export function logSource(options: LogSourceOptions): DaySource {
  return {
    name: 'the log',
    async fill(bounds, target, watch) {
      const { log } = options;
      const partitions = log.partitions('positions');
      let rows = 0;
      for (let partition = 0; partition < partitions; partition += 1) {
        await fillPositions(options, partition, bounds, target, {
          signal: watch.signal,
          onProgress: (done, total, more) => watch.onProgress(partition + (total === 0 ? 1 : done / total), partitions, rows + more),
        }).then((more) => {
          rows += more;
        });
        await fillFlights(options, partition, bounds, target, watch);
      }
    },
  };
}

async function fillPositions(
  { log, codecs }: LogSourceOptions,
  partition: number,
  { day, startMs, endMs }: DayBounds,
  target: SpillTarget,
  { signal, onProgress }: SpillWatch,
): Promise<number> {
  const topic = 'positions';
  const fromMs = startMs - historyLimits.exportSlackMs;
  const first = await log.offsetAt(topic, partition, fromMs);
  const next = await log.offsetAt(topic, partition, endMs + historyLimits.exportSlackMs);
  await checkKept(log, partition, first, fromMs, day);
  const block = new BlockBuilder(partition, target);
  if (next > first)
    for await (const { records, nextOffset } of log.read({ topic, partition, from: first, to: next, signal })) {
      for (const { value } of records) {
        if (value === null) continue;
        for (const row of codecs.PositionBatch.decode(value).rows)
          if (row.timeUs >= startMs * 1000 && row.timeUs < endMs * 1000) block.add(row);
      }
      onProgress(nextOffset - first, next - first, block.rows);
    }
  signal.throwIfAborted();
  block.flush();
  return block.rows;
}

/** A day is complete in the log if a record before it is kept, or none was ever deleted. */
async function checkKept(log: EventLog, partition: number, first: number, fromMs: number, day: string): Promise<void> {
  const { earliest, next } = await log.bounds('positions', partition);
  if (earliest === 0 || first > earliest) return;
  if (next === earliest || first === earliest)
    throw new SquitterError('export.day_expired', { day, partition, time: new Date(fromMs).toISOString() });
}

async function fillFlights(
  { log, codecs, flightsEnded }: LogSourceOptions,
  partition: number,
  { startMs, endMs }: DayBounds,
  target: SpillTarget,
  { signal }: SpillWatch,
): Promise<void> {
  const topic = 'flightsEnded';
  const to = flightsEnded === undefined ? 'end' : (flightsEnded.find((range) => range.partition === partition)?.next ?? 0);
  const { earliest } = await log.bounds(topic, partition);
  if (to !== 'end' && to <= earliest) return;
  const rows: FlightRow[] = [];
  for await (const { records } of log.read({ topic, partition, from: 'earliest', to, signal })) {
    for (const { value, offset } of records) {
      if (value === null) continue;
      const { hex, aircraftOffset, ...flight } = codecs.EndedFlight.decode(value);
      const overlaps =
        (flight.lastSeenMs >= startMs && flight.firstSeenMs < endMs) || (flight.endedMs >= startMs && flight.endedMs < endMs);
      if (overlaps) rows.push({ ...flight, icao24: icao24Of(hex), partition, recordOffset: offset });
    }
  }
  signal.throwIfAborted();
  target.flights(rows);
}

/** `~` before the digits is bit 24. */
function icao24Of(hex: string): number {
  return hex.startsWith('~') ? Number.parseInt(hex.slice(1), 16) | NON_ICAO : Number.parseInt(hex, 16);
}

class BlockBuilder {
  rows = 0;
  private readonly partition: number;
  private readonly target: SpillTarget;
  private block = emptyBlock();

  constructor(partition: number, target: SpillTarget) {
    this.partition = partition;
    this.target = target;
  }

  add(row: PositionRow): void {
    const { block } = this;
    block.timeUs.push(row.timeUs);
    block.icao24.push(icao24Of(row.hex));
    block.latitudeMicrodeg.push(row.latitudeMicrodeg);
    block.longitudeMicrodeg.push(row.longitudeMicrodeg);
    block.onGround.push(row.onGround);
    block.altitudeBaroFt.push(row.altitudeBaroFt);
    block.altitudeGeomFt.push(row.altitudeGeomFt);
    block.groundSpeedDeciKt.push(row.groundSpeedDeciKt);
    block.trackCentideg.push(row.trackCentideg);
    block.baroRateFpm.push(row.baroRateFpm);
    block.source.push(row.source);
    block.nic.push(row.nic);
    block.rcM.push(row.rcM);
    block.partition.push(this.partition);
    block.frameOffset.push(row.frameOffset);
    block.frameIndex.push(row.frameIndex);
    block.callsign.push(row.callsign);
    block.squawk.push(row.squawk);
    block.rssiDeciDbfs.push(row.rssiDeciDbfs);
    this.rows += 1;
    if (block.timeUs.length === BLOCK_ROWS) this.flush();
  }

  flush(): void {
    if (this.block.timeUs.length > 0) this.target.positions(this.block);
    this.block = emptyBlock();
  }
}

function emptyBlock(): PositionBlock {
  return {
    ...{ timeUs: [], icao24: [], latitudeMicrodeg: [], longitudeMicrodeg: [], onGround: [], altitudeBaroFt: [], altitudeGeomFt: [] },
    ...{
      groundSpeedDeciKt: [],
      trackCentideg: [],
      baroRateFpm: [],
      source: [],
      nic: [],
      rcM: [],
      partition: [],
      frameOffset: [],
      frameIndex: [],
    },
    ...{ callsign: [], squawk: [], rssiDeciDbfs: [] },
  };
}
