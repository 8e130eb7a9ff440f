// Restores the signal history after a restart from the newest minutes of the aircraft topic, which keeps every state for an hour: the states of
// each tick, its listed aircraft, their levels. The same numbers as the live view had. It begins at the first sample that the history lacks.
import { setTimeout as sleep } from 'node:timers/promises';
import { sourceKinds } from '../../schemas/aircraft-fields.ts';
import { limits } from '../../schemas/limits/index.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import { cellNames, KEY_CELL, SEEN_TIME, StateReader, TICK_TIME } from '../aircraft/state-reader.ts';
import type { EventLog, RecordBatch } from '../log/event-log.ts';
import { newestRecord } from '../log/group-offset.ts';
import { signalStatistics } from './signal.ts';
import { SIGNAL_INTERVAL_MS, type SignalHistory, type SignalSample, startOf } from './signal-history.ts';
import { byType } from './snapshot.ts';

/** Aircraft that are listed at the first sample have a state in this time before it. */
const BEFORE_MS = 2 * limits.listedMsMax;
/** The thread is free for this share of the time: live requests go first. */
const FREE_SHARE = 0.5;
const TICK_MS = 1000;
const FIRST_ROWS = 1024;
/** The last field that is needed, in the order of the state. */
const LAST_FIELD = 'positionValid';
const MESSAGES_CELL = cellNames.indexOf('messages');
const RSSI_CELL = cellNames.indexOf('rssiDeciDbfs');
const VALID_CELL = cellNames.indexOf('positionValid');
const SOURCE_CELL = cellNames.indexOf('source');

export interface SignalRestore {
  readonly log: EventLog;
  readonly codecs: { readonly AircraftState: { bodyStart(value: Uint8Array): number } };
  /** Final samples of the five minutes up to `endMs` that are known already: none without it. */
  readonly stored?: ((endMs: number) => Promise<readonly SignalSample[]>) | undefined;
  readonly signal: AbortSignal;
}

/** Reads the levels before the present end of the log into the history; ends early at the signal. Errors: those of the log. */
export async function restoreSignal(history: SignalHistory, { log, codecs, stored, signal }: SignalRestore): Promise<void> {
  const numbers = Array.from({ length: log.partitions('aircraft') }, (_, partition) => partition);
  const newest = await Promise.all(numbers.map((partition) => newestRecord(log, 'progress', partition)));
  const endMs = Math.max(...newest.map((record) => record?.timestampMs ?? Number.NEGATIVE_INFINITY));
  if (endMs === Number.NEGATIVE_INFINITY) return;
  for (const { timeMs, counts, ...levels } of (await stored?.(endMs)) ?? [])
    if (!history.has(timeMs)) history.restore(timeMs, levels, counts);
  const firstMs = await firstMissing(history, log, endMs);
  if (firstMs > endMs) return;
  const levels = new Levels();
  const states = numbers.map((partition) => new PartitionStates(levels, codecs, log, partition));
  try {
    await Promise.all(states.map((each) => each.open(firstMs - BEFORE_MS, signal)));
    for (let tickMs = firstMs; tickMs <= endMs && !signal.aborted; tickMs += TICK_MS) {
      let read = 0;
      for (const each of states) read += await each.takeUntil(tickMs, signal);
      // No states, no tick: the service did not run.
      if (read === 0 || history.has(tickMs)) continue;
      const { signal: statistics, counts } = levels.at(tickMs);
      history.restore(tickMs, statistics, counts);
    }
  } finally {
    for (const each of states) await each.close();
  }
}

/** Start of the first 2 s, of the five minutes up to `endMs`, that have states and no sample; after `endMs` if there are none. */
async function firstMissing(history: SignalHistory, log: EventLog, endMs: number): Promise<number> {
  let ms = startOf(endMs) - limits.signalHistoryMs;
  while (ms <= endMs) {
    if (history.has(ms)) ms += SIGNAL_INTERVAL_MS;
    else {
      const stateMs = await firstStateMs(log, ms);
      if (stateMs < ms + SIGNAL_INTERVAL_MS) return ms;
      ms = startOf(stateMs);
    }
  }
  return ms;
}

/** Time of the first state at or after `ms`; infinite without one. */
async function firstStateMs(log: EventLog, ms: number): Promise<number> {
  let firstMs = Number.POSITIVE_INFINITY;
  for (let partition = 0; partition < log.partitions('aircraft'); partition += 1) {
    const from = await log.offsetAt('aircraft', partition, ms);
    const { next } = await log.bounds('aircraft', partition);
    for await (const { records } of log.read({ topic: 'aircraft', partition, from, to: next })) {
      firstMs = Math.min(firstMs, records[0]!.timestampMs);
      break;
    }
  }
  return firstMs;
}

/** The newest values of each aircraft that decide about its level and its counts. */
class Levels {
  private readonly rowByKey = new Map<number, number>();
  private rssiDeciDbfs = new Int32Array(FIRST_ROWS);
  private messages = new Int32Array(FIRST_ROWS);
  private positionValid = new Uint8Array(FIRST_ROWS);
  private source = new Uint8Array(FIRST_ROWS);
  private seenMs = new Float64Array(FIRST_ROWS);
  private rows = new Int32Array(FIRST_ROWS);

  note({ cells, times }: StateReader): void {
    const key = cells[KEY_CELL]!;
    let row = this.rowByKey.get(key);
    if (row === undefined) {
      row = this.rowByKey.size;
      if (row === this.seenMs.length) this.grow();
      this.rowByKey.set(key, row);
    }
    this.rssiDeciDbfs[row] = cells[RSSI_CELL]!;
    this.messages[row] = cells[MESSAGES_CELL]!;
    this.positionValid[row] = cells[VALID_CELL]!;
    this.source[row] = cells[SOURCE_CELL]!;
    this.seenMs[row] = times[SEEN_TIME]!;
  }

  /** The aircraft is forgotten: its row stays, unlisted. */
  remove(hex: string): void {
    const row = this.rowByKey.get(hexKey(hex));
    if (row === undefined) return;
    this.messages[row] = 0;
    this.positionValid[row] = 0;
  }

  /** Statistics of the aircraft that are listed at a time. */
  at(nowMs: number) {
    let count = 0;
    let withPosition = 0;
    const bySource = new Int32Array(sourceKinds.length);
    for (let row = 0; row < this.rowByKey.size; row += 1) {
      if (nowMs - this.seenMs[row]! > limits.listedMsMax || (this.positionValid[row] !== 1 && this.messages[row]! < 2)) continue;
      this.rows[count] = row;
      count += 1;
      withPosition += this.positionValid[row]!;
      bySource[this.source[row]!]! += 1;
    }
    const counts = { total: count, withPosition, messagesPerSecond: null, sources: byType(bySource) };
    return { signal: signalStatistics(this.rssiDeciDbfs, this.rows, count), counts };
  }

  private grow(): void {
    const capacity = 2 * this.seenMs.length;
    this.rssiDeciDbfs = grown(this.rssiDeciDbfs, new Int32Array(capacity));
    this.messages = grown(this.messages, new Int32Array(capacity));
    this.positionValid = grown(this.positionValid, new Uint8Array(capacity));
    this.source = grown(this.source, new Uint8Array(capacity));
    this.seenMs = grown(this.seenMs, new Float64Array(capacity));
    this.rows = new Int32Array(capacity);
  }
}

/** The states of one partition, tick by tick. */
class PartitionStates {
  private readonly levels: Levels;
  private readonly codecs: SignalRestore['codecs'];
  private readonly log: EventLog;
  private readonly partition: number;
  private readonly reader = new StateReader(LAST_FIELD);
  private batches: AsyncIterator<RecordBatch> | null = null;
  private batch: RecordBatch | null = null;
  private next = 0;
  private startedMs = 0;

  constructor(levels: Levels, codecs: SignalRestore['codecs'], log: EventLog, partition: number) {
    this.levels = levels;
    this.codecs = codecs;
    this.log = log;
    this.partition = partition;
  }

  async open(fromMs: number, signal: AbortSignal): Promise<void> {
    const { log, partition } = this;
    const from = await log.offsetAt('aircraft', partition, fromMs);
    const { next } = await log.bounds('aircraft', partition);
    this.batches = log.read({ topic: 'aircraft', partition, from, to: next, signal })[Symbol.asyncIterator]();
    await this.nextBatch(signal);
  }

  /** Takes the states of all ticks up to `tickMs`; returns how many. */
  async takeUntil(tickMs: number, signal: AbortSignal): Promise<number> {
    let read = 0;
    while (this.batch !== null) {
      const { records } = this.batch;
      for (; this.next < records.length; this.next += 1, read += 1) if (!this.apply(records[this.next]!, tickMs)) return read;
      await this.nextBatch(signal);
    }
    return read;
  }

  async close(): Promise<void> {
    await this.batches?.return?.();
  }

  /** False for a state of a later tick. A value that cannot be read here, of another version, is left out. */
  private apply({ key, value, timestampMs }: RecordBatch['records'][number], tickMs: number): boolean {
    if (value === null) {
      if (timestampMs > tickMs) return false;
      if (key !== null) this.levels.remove(key);
      return true;
    }
    const body = this.codecs.AircraftState.bodyStart(value);
    if (body < 0 || !this.reader.read(value, body)) return true;
    if (this.reader.times[TICK_TIME]! > tickMs) return false;
    this.levels.note(this.reader);
    return true;
  }

  private async nextBatch(signal: AbortSignal): Promise<void> {
    if (this.batch !== null) {
      const tookMs = performance.now() - this.startedMs;
      await sleep((tookMs * FREE_SHARE) / (1 - FREE_SHARE), undefined, { signal }).catch(() => {});
    }
    this.startedMs = performance.now();
    const { done, value } = await this.batches!.next();
    this.batch = done === true ? null : (value as RecordBatch);
    this.next = 0;
  }
}

function grown<Column extends Int32Array | Float64Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
