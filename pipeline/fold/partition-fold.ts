// The fold of one partition: from frames to aircraft states, accepted positions and ticks. Pure: the only time is that of the frames,
// and how frames are cut into records never changes a result.
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { type FoldProgress, rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import {
  FLAG_LONG,
  FLAG_MLAT,
  FLAG_REPAIRED_SHIFT,
  PACKED_DATA,
  PACKED_FLAGS,
  PACKED_FRAME_BYTES,
  PACKED_SIGNAL,
  packedReceiver,
  packedTimeUs,
} from '../../schemas/packed-frame.ts';
import { decodeFrame } from '../decode/decode.ts';
import { REJECT_NONE } from '../decode/message.ts';
import { repairInto } from '../decode/repair.ts';
import { SOURCE_ADSB } from './accept.ts';
import {
  admit,
  announcesAddress,
  confirmsAddress,
  mayBeDamaged,
  REASON_BITS_REPAIRED,
  REASON_DUPLICATE,
  reasonOfReject,
  reasonOfVerdict,
} from './address-filter.ts';
import { Aircraft } from './aircraft.ts';
import { AircraftTable } from './aircraft-table.ts';
import { type CurrentFrame, createCurrentFrame, type FoldedFrame } from './current-frame.ts';
import { fingerprint, isDuplicate, RECENT_TIME_SPAN_MS, rememberFrame } from './duplicates.ts';
import { takeChanged } from './emission.ts';
import { feedersOfTick } from './feeder-records.ts';
import type { FoldTick, TickHandler } from './fold-tick.ts';
import { createFrameOutcome, type FrameOutcome, setPosition } from './frame-outcome.ts';
import { B_DIRTY, B_TRANSPONDER, NEVER, STRIDE_BYTES } from './layout.ts';
import { foldDuplicate, foldMessage } from './message.ts';
import { PLAUSIBLE } from './plausibility.ts';
import { PositionOutcome } from './position.ts';
import { PositionRows } from './position-rows.ts';
import { coverageDue } from './receiver-coverage.ts';
import { R_POSITIONS, ReceiverTable, toMicrodegrees } from './receivers.ts';
import { foldSignal } from './signal.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import { classify } from './source.ts';
import { stateOf } from './state-writer.ts';
import { eachEmitted, TickStates } from './tick-states.ts';
import { TOUCH_FRAMES, touchAhead } from './touch-ahead.ts';
import { FOLD_VERSION } from './version.ts';

export interface FoldOptions {
  /** Length of a tick, ms. */
  readonly tickMs: number;
  /** Coordinates of the receivers, degrees: reference for single and surface positions while the aircraft's own position is unknown. Null: learnt, roughly. */
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

export type { FoldTick, TickHandler };

/** Times of records are 31 bits of ms; the base moves before they overflow. */
const REBASE_AFTER_MS = 0x2000_0000;
/** Clock of a fold without any event. */
const NO_TIME = -1;

export class PartitionFold {
  private readonly options: FoldOptions;
  private table = new AircraftTable();
  private rows = new PositionRows();
  private readonly states = new TickStates(this.table);
  private receivers: ReceiverTable;
  /** Numbers of the current batch's receivers, 0 where not looked up yet. */
  private batchNumbers = new Uint16Array(64);
  private readonly aircraft = new Aircraft(this.table);
  private readonly position = new PositionOutcome();
  private readonly outcome = createFrameOutcome();
  private readonly frame = createCurrentFrame();
  /** The same frame with its one wrong bit repaired. */
  private readonly repaired = createCurrentFrame();

  /** Zero of record times, ms since the Unix epoch. */
  private timeBaseMs = 0;
  /** Current event time, ms; NO_TIME before the first event. */
  private clockMs = NO_TIME;
  /** Event time of the current frame, µs. A field, like all times since 1970: as an argument such a number would be boxed once per frame. */
  private eventUs = 0;
  /** First instant after that millisecond: most frames are before it, and need no division. */
  private clockEndUs = 0;
  /** The clock as in aircraft records: ms since the time base. */
  private clockNow = 0;
  /** The tick that closes next. */
  private nextTickMs = 0;
  private frames = 0;
  private messages = 0;
  private positions = 0;
  private recordOffset = 0;
  private readonly rejected = new Float64Array(rejectReasons.length);

  constructor(options: FoldOptions) {
    this.options = options;
    this.receivers = new ReceiverTable(toMicrodegrees(options.receiver));
  }

  /**
   * Folds one record of the frames topic. Each tick that its times pass is closed before the frame that passes it.
   * `onTick` null is silent replay: the same state, no output.
   */
  apply(batch: FrameBatch, recordOffset: number, onTick: TickHandler | null): void {
    this.recordOffset = recordOffset;
    const { frames, baseTimeUs } = batch;
    // A record that announces more frames than it contains is folded as far as it goes.
    const count = Math.min(batch.count, Math.floor(frames.length / PACKED_FRAME_BYTES));
    if (count <= 0) {
      this.advance(baseTimeUs, onTick);
      return;
    }
    if (batch.receivers.length > this.batchNumbers.length) this.batchNumbers = new Uint16Array(2 * batch.receivers.length);
    else this.batchNumbers.fill(0, 0, batch.receivers.length);
    const { frame, outcome, rows, receivers } = this;
    frame.bytes = frames;
    rows.baseTimeUs = baseTimeUs;
    for (let index = 0, at = 0; index < count; index += 1, at += PACKED_FRAME_BYTES) {
      if (index % TOUCH_FRAMES === 0) touchAhead(this.table, frames, at, count - index);
      const receiver = this.batchReceiver(batch, packedReceiver(frames, at));
      const sinceBaseUs = packedTimeUs(frames, at) - 1000 * receivers.lateMs(receiver);
      this.eventUs = baseTimeUs + sinceBaseUs;
      if (this.eventUs >= this.clockEndUs) this.advanceToEvent(onTick);
      const flags = frames[at + PACKED_FLAGS]!;
      frame.at = at + PACKED_DATA;
      frame.byteLength = flags & FLAG_LONG ? 14 : 7;
      frame.now = this.eventNow();
      frame.signal = frames[at + PACKED_SIGNAL]!;
      frame.flags = flags;
      frame.receiver = receiver;
      this.foldFrame(frame, outcome);
      if (!outcome.positionAccepted) continue;
      this.positions += 1;
      receivers.count(receiver, R_POSITIONS);
      if (this.aircraft.source === SOURCE_ADSB && outcome.message.position.odd)
        receivers.feeders.notePosition(receiver, outcome.slot, outcome.latitudeMicrodeg, outcome.longitudeMicrodeg);
      rows.add(this.aircraft, sinceBaseUs, recordOffset, index);
    }
  }

  /** Folds one frame without advancing the clock. `receiver`: from `receiverNumber`, 0 for none. */
  applyFrame(received: FoldedFrame, receiver: number, outcome: FrameOutcome): void {
    this.eventUs = this.datedUs(received.timeUs, receiver);
    if (this.clockMs === NO_TIME) this.advance(this.eventUs, null);
    const { frame } = this;
    frame.bytes = received.bytes;
    frame.at = received.at;
    frame.byteLength = received.byteLength;
    frame.now = this.eventNow();
    frame.signal = received.signal;
    frame.flags = received.flags;
    frame.receiver = receiver;
    this.foldFrame(frame, outcome);
  }

  private foldFrame(frame: CurrentFrame, outcome: FrameOutcome): void {
    const { bytes, at, byteLength, now, receiver } = frame;
    const { message } = outcome;
    this.frames += 1;
    outcome.slot = -1;
    outcome.repaired = false;
    outcome.positionResolved = false;
    outcome.positionAccepted = false;
    decodeFrame(bytes, at, byteLength, message);
    if (message.reject === REJECT_NONE && message.df === 17) this.receivers.countClean(frame);
    let reject = message.reject === REJECT_NONE ? this.fold(frame, outcome) : reasonOfReject(message);
    if (reject >= 0 && mayBeDamaged(reject, message, byteLength)) reject = this.foldRepaired(frame, outcome, reject);
    outcome.accepted = reject < 0;
    outcome.reject = reject;
    if (reject < 0) this.messages += 1;
    else this.rejected[reject]! += 1;
    this.receivers.countFrame(receiver, now, reject);
  }

  /** Repairs the one wrong bit of a refused frame and folds it, if its aircraft is known. Returns the reason for a refusal, or −1. */
  private foldRepaired(frame: CurrentFrame, outcome: FrameOutcome, reject: number): number {
    const { message, repairedFrame } = outcome;
    const { bytes, at, byteLength } = frame;
    if (!repairInto(bytes, at, byteLength, repairedFrame)) return reject;
    decodeFrame(repairedFrame, 0, byteLength, message);
    const again = message.reject === REJECT_NONE ? this.fold(this.repairedOf(frame, repairedFrame), outcome) : reject;
    outcome.repaired = again !== REASON_BITS_REPAIRED;
    // Without a known aircraft the frame is shown as received.
    if (!outcome.repaired) decodeFrame(bytes, at, byteLength, message);
    return again;
  }

  private repairedOf({ byteLength, now, signal, flags, receiver }: CurrentFrame, bytes: Uint8Array): CurrentFrame {
    const { repaired } = this;
    repaired.bytes = bytes;
    repaired.byteLength = byteLength;
    repaired.now = now;
    repaired.signal = signal;
    repaired.flags = flags | (1 << FLAG_REPAIRED_SHIFT);
    repaired.receiver = receiver;
    return repaired;
  }

  /** Advances event time and closes the last tick that it passes. A time in the past changes nothing. */
  advance(timeUs: number, onTick: TickHandler | null): void {
    if (timeUs < this.clockEndUs) return;
    this.eventUs = timeUs;
    this.advanceToEvent(onTick);
  }

  private advanceToEvent(onTick: TickHandler | null): void {
    const timeMs = Math.floor(this.eventUs / 1000);
    if (this.clockMs === NO_TIME) {
      this.setTimeBase(timeMs);
      this.nextTickMs = this.tickAt(timeMs) + this.options.tickMs;
    }
    this.clockMs = timeMs;
    this.clockEndUs = 1000 * (timeMs + 1);
    if (timeMs - this.timeBaseMs > REBASE_AFTER_MS) this.rebase();
    this.clockNow = (timeMs - this.timeBaseMs) | 0;
    if (timeMs >= this.nextTickMs) this.closeDueTick(onTick);
  }

  /** Separate, so that the time of the tick is boxed once per tick, not once per millisecond. */
  private closeDueTick(onTick: TickHandler | null): void {
    this.closeTick(this.tickAt(this.clockMs), onTick);
  }

  /** Removes aircraft that are due, passes on what changed, and begins the next tick. `advance` calls it. */
  closeTick(tickMs: number, onTick: TickHandler | null): void {
    const { table, aircraft, states } = this;
    states.begin(table, tickMs, this.timeBaseMs);
    aircraft.now = (tickMs - this.timeBaseMs) | 0;
    const gone = takeChanged(table, aircraft, states);
    const beforeMs = this.nextTickMs - this.options.tickMs;
    const coverage = onTick && coverageDue(this.receivers, beforeMs, tickMs, this.timeBaseMs);
    const feeders = feedersOfTick(this.receivers, beforeMs, tickMs, this.timeBaseMs);
    this.nextTickMs = tickMs + this.options.tickMs;
    onTick?.({ tickMs, positions: this.rows, aircraft: states, gone, feeders, progress: this.progress(tickMs, coverage) });
    this.rows.clear();
  }

  /** Number of a receiver id for `applyFrame`, assigned on first use; 0 when there are too many. */
  receiverNumber(id: string): number {
    return this.receivers.numberOf(id);
  }

  /** Event time of a frame with the stamp `timeUs` of a receiver. */
  datedUs(timeUs: number, receiver: number): number {
    return timeUs - 1000 * this.receivers.lateMs(receiver);
  }

  /** Unconfirmed aircraft displaced in the full table since the process began; receivers dated back; feeders contradicted in the last minute. */
  observed() {
    return { displaced: this.table.newcomers.displacedTotal, ...this.receivers.observed() };
  }

  /** State of the aircraft in a slot at `nowMs` (Unix). */
  state(slot: number, nowMs: number): AircraftState {
    this.aircraft.turnTo(this.table, slot);
    this.aircraft.now = (nowMs - this.timeBaseMs) | 0;
    return stateOf(this.aircraft);
  }

  /** Slots of all aircraft in memory. */
  *liveSlots(): Iterable<number> {
    for (let slot = 0; slot < this.table.highWater; slot += 1) if (this.table.isLive(slot)) yield slot;
  }

  progress(tickMs: number, reaches: FoldProgress['reaches'] = null): Omit<FoldProgress, 'partition'> {
    const { recordOffset: frameOffset, frames, messages, positions, rows, table } = this;
    const counts = { frames, messages, positions, positionsDropped: rows.dropped, aircraft: table.count, rejected: [...this.rejected] };
    return { tickMs, frameOffset, ...counts, reaches, foldVersion: FOLD_VERSION };
  }

  /** All aircraft are emitted at the next tick, as where another version stopped. Returns the tick before it, ms. */
  emitAllNext(): number {
    for (const slot of this.liveSlots()) this.table.bytes[slot * STRIDE_BYTES + B_DIRTY] = 1;
    return Math.max(0, this.nextTickMs - this.options.tickMs);
  }

  /** The whole state. `restore` gives a fold that continues exactly like this one. */
  snapshot(): Uint8Array {
    const { timeBaseMs, clockMs, nextTickMs, frames, messages, positions, recordOffset, table, receivers, rows } = this;
    const scalars = [timeBaseMs, clockMs, nextTickMs, frames, messages, positions, recordOffset, rows.dropped, ...this.rejected];
    return writeSnapshot({ scalars, receivers, table, rows });
  }

  /** Error: `snapshot.unreadable`. Options must equal those of the fold that made the snapshot. */
  static restore(bytes: Uint8Array, options: FoldOptions): PartitionFold {
    const { scalars, receivers, table, rows } = readSnapshot(bytes, toMicrodegrees(options.receiver));
    const fold = new PartitionFold(options);
    const [timeBaseMs, clockMs, nextTickMs, frames, messages, positions, recordOffset, dropped, ...rejected] = scalars;
    fold.setTimeBase(timeBaseMs!);
    fold.clockMs = clockMs!;
    fold.clockEndUs = 1000 * (clockMs! + 1);
    fold.clockNow = (clockMs! - timeBaseMs!) | 0;
    fold.nextTickMs = nextTickMs!;
    fold.frames = frames!;
    fold.messages = messages!;
    fold.positions = positions!;
    fold.recordOffset = recordOffset!;
    fold.rejected.set(rejected);
    fold.table = table;
    fold.rows = rows;
    fold.rows.dropped = dropped!;
    fold.receivers = receivers;
    return fold;
  }

  /** Passes on the states as readers of the aircraft topic have them, one in each call. */
  eachEmitted(onState: (states: TickStates) => void): void {
    eachEmitted(this.table, this.timeBaseMs, onState);
  }

  /** `eventUs` as in records: ms since the time base. Late frames, and in `applyFrame` newer ones, need a division. */
  private eventNow(): number {
    if (this.eventUs >= this.clockEndUs - 1000 && this.eventUs < this.clockEndUs) return this.clockNow;
    return Math.min(-NEVER - 1, Math.max(NEVER + 1, Math.floor(this.eventUs / 1000) - this.timeBaseMs)) | 0;
  }

  /** All rules between decoding and counting. Returns the reason for a rejection, or −1. */
  private fold(frame: CurrentFrame, outcome: FrameOutcome): number {
    const { bytes, at, byteLength, now, signal, flags, receiver } = frame;
    const { table, aircraft, position, receivers } = this;
    const { message } = outcome;
    const repairedBits = (flags >> FLAG_REPAIRED_SHIFT) & 3;
    const slot = admit(table, message, confirmsAddress(message, repairedBits), now);
    if (slot < 0) return -1 - slot;
    outcome.slot = slot;
    aircraft.turnTo(table, slot);
    aircraft.now = now;
    aircraft.receiver = receiver;
    // A repaired frame of a known aircraft also shows that it exists.
    aircraft.confirmed = announcesAddress(message);
    aircraft.intact = repairedBits === 0;
    if (aircraft.confirmed && message.df !== 18) aircraft.bytes[aircraft.byte + B_TRANSPONDER] = 1;
    const multilaterated = (flags & FLAG_MLAT) !== 0;
    const print = fingerprint(bytes, at, byteLength);
    // A single receiver has no duplicates.
    if (!receivers.several) rememberFrame(aircraft, message, print, 0);
    else if (isDuplicate(aircraft, message, print, multilaterated, receivers)) {
      foldDuplicate(aircraft, message, receivers);
      return REASON_DUPLICATE;
    }
    classify(message, multilaterated, aircraft);
    position.resolved = false;
    position.accepted = false;
    position.verdict = PLAUSIBLE;
    foldMessage(aircraft, message, receivers, position);
    // A multilaterated frame is made by a server: its level is not that of a receiver.
    if (position.verdict === PLAUSIBLE) foldSignal(aircraft, multilaterated ? 0 : signal);
    if (position.resolved) setPosition(outcome, position);
    return reasonOfVerdict(position.verdict);
  }

  private tickAt(timeMs: number): number {
    return Math.floor(timeMs / this.options.tickMs) * this.options.tickMs;
  }

  private rebase(): void {
    const sinceMs = this.clockMs - this.timeBaseMs;
    const byMs = sinceMs - (sinceMs % RECENT_TIME_SPAN_MS);
    this.table.shiftTimes(byMs);
    this.receivers.shiftTimes(byMs);
    this.setTimeBase(this.timeBaseMs + byMs);
  }

  private setTimeBase(timeMs: number): void {
    this.timeBaseMs = timeMs;
    this.aircraft.timeBaseMs = timeMs;
  }

  /** Receivers get numbers when their first frame is folded, so that numbers do not depend on how batches are cut. */
  private batchReceiver(batch: FrameBatch, index: number): number {
    if (index >= batch.receivers.length) return 0;
    const known = this.batchNumbers[index]!;
    if (known !== 0) return known;
    const number = this.receiverNumber(batch.receivers[index]!);
    this.batchNumbers[index] = number;
    return number;
  }
}
