// Our side of `squitter verify`: the fold over the same frames, and the values of each aircraft in the last seconds with the frame that set
// each. A comparison looks back into this history, so it needs no copy of the fold per instant.
import type { AircraftState } from '../../../schemas/avro/aircraft-state.ts';
import { rejectReasons } from '../../../schemas/avro/fold-progress.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { aircraftObject } from '../../aircraft/plain.ts';
import { ABSENT, KIND_AIRBORNE_POSITION, KIND_COMM_B, KIND_EMERGENCY, KIND_SURVEILLANCE, type Message } from '../../decode/message.ts';
import { createFrameOutcome } from '../../fold/frame-outcome.ts';
import { type FoldTick, PartitionFold } from '../../fold/partition-fold.ts';
import { fieldRules, type Value, windValue } from './fields.ts';
import { advisoryValue, listValue, RSSI_UNKNOWN, SHOWN } from './theirs.ts';

/** Interval at which values expire: finer than any compared time. */
const TICK_MS = 100;
/** After a longer silence every value has expired, and one step skips the rest. */
const SILENCE_MS = 600_000;

/** Other programs show a value that ours has replaced or refused until it is too old. */
const LIFETIME_MS = 70_000;

/** Impossible positions are remembered for so long: readsb ignores their receiver for 12 s (receiver.c). */
const IMPOSSIBLE_MS = 14_000;

/** Fields of Comm-B registers, which other programs take less often than ours. */
export const commBFields: ReadonlySet<string> = new Set(
  (
    'flight gs ias tas mach track track_rate roll mag_heading true_heading baro_rate geom_rate nav_qnh nav_altitude_mcp nav_altitude_fms ' +
    'nav_modes wind oat tat'
  ).split(' '),
);

const ruleNames = fieldRules.map(({ name }) => name);

export interface OurFrame {
  readonly row: number;
  readonly receiver: number;
  readonly hex: string;
}

export interface Entry {
  readonly timeMs: number;
  /** undefined: unknown or expired. */
  readonly value: Value | undefined;
  /** The frame that set it; null when it expired. */
  readonly frame: OurFrame | null;
}

/** One value of one aircraft over the last seconds. */
export class Timeline {
  entries: Entry[] = [];
  /** The difference in the last comparison: a difference that stays is one case. */
  caseKey = '';
  /** The values of a difference that stands, and its reason. */
  standing: { readonly values: string; readonly reason: string | null } | null = null;
  /** True once a value was known. */
  everKnown = false;
  latest: Value | undefined;
  /** The last time of a difference with a reason. */
  explainedMs = Number.NEGATIVE_INFINITY;

  add(entry: Entry, keepFromMs: number): void {
    this.latest = entry.value;
    if (entry.value !== undefined) this.everKnown = true;
    const { entries } = this;
    entries.push(entry);
    // Keep the entry that was valid at keepFromMs.
    let old = 0;
    while (old + 1 < entries.length && entries[old + 1]!.timeMs <= keepFromMs) old += 1;
    old = Math.max(old, entries.length - limits.verifyHistoryMax);
    if (old > 0) entries.splice(0, old);
  }

  /** The entry valid at an instant. */
  at(timeMs: number): Entry | undefined {
    return this.entries.findLast((entry) => entry.timeMs <= timeMs);
  }

  /** All entries valid at some instant of a span, `undefined` among them when nothing was known before the first entry. */
  *within(fromMs: number, toMs: number): Iterable<Entry | undefined> {
    const { entries } = this;
    let i = entries.length - 1;
    for (; i >= 0; i -= 1) {
      const entry = entries[i]!;
      if (entry.timeMs > toMs) continue;
      yield entry;
      if (entry.timeMs <= fromMs) return;
    }
    yield undefined;
  }
}

export interface OurPosition {
  readonly timeMs: number;
  readonly lat: number;
  readonly lon: number;
  readonly frame: OurFrame;
  /** Compared with one of theirs. */
  matched: boolean;
}

export class Tracker {
  readonly hex: string;
  readonly timelines = new Map<string, Timeline>();
  /** The same timelines by rule number. */
  readonly byRule: (Timeline | undefined)[] = fieldRules.map(() => undefined);
  readonly positions: OurPosition[] = [];
  readonly firstMs: number;
  messages = 0;
  /** Slot in the fold, and the last time its values were read. */
  slot = -1;
  notedMs = Number.NEGATIVE_INFINITY;
  /** Time of its first accepted position; null before it. */
  positionsSinceMs: number | null = null;
  /** Recent positions that were resolved and not accepted. */
  readonly refused: OurPosition[] = [];
  /** Frames without effect because their position is impossible or repeated. */
  undone = 0;
  /** Squawks and barometric altitudes in frames, accepted or not. */
  readonly squawksHeard = new Timeline();
  readonly altitudesHeard = new Timeline();
  /** In one of their responses; in their first one, before we heard anything. */
  inTheirs = false;
  theirsBeforeUs = false;
  /** Their position in the last response: the same position is compared once. */
  theirPositionKey = '';

  constructor(hex: string, firstMs: number) {
    this.hex = hex;
    this.firstMs = firstMs;
  }

  timeline(name: string): Timeline {
    let timeline = this.timelines.get(name);
    if (timeline === undefined) {
      timeline = new Timeline();
      this.timelines.set(name, timeline);
      this.byRule[ruleNames.indexOf(name)] = timeline;
    }
    return timeline;
  }
}

export interface OurSideOptions {
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  /** Called when a position leaves the history. */
  readonly onPositionGone: (tracker: Tracker, position: OurPosition) => void;
  /** Called when the fold forgets an aircraft. */
  readonly onGone: (tracker: Tracker) => void;
}

export class OurSide {
  readonly trackers = new Map<string, Tracker>();
  /** Impossible positions of the last seconds, with their receivers. */
  readonly impossible: { readonly timeMs: number; readonly receiver: number }[] = [];
  frames = 0;
  accepted = 0;
  positions = 0;
  /** Event time reached, ms. */
  clockMs = Number.NaN;
  /** How far back a comparison may look. */
  keepMs: number;
  private readonly options: OurSideOptions;
  private readonly fold: PartitionFold;
  private readonly outcome = createFrameOutcome();
  /** Aircraft with a frame in the last tick. */
  private readonly heardLately: Tracker[] = [];

  constructor(options: OurSideOptions, keepMs: number) {
    this.options = options;
    this.keepMs = keepMs;
    this.fold = new PartitionFold({ tickMs: TICK_MS, receiver: options.receiver });
  }

  /** Folds one frame at its event time; `receiver` is its number in the source. */
  frame(frame: ReceivedFrame, row: number, receiver = frame.receiver): void {
    const { fold, outcome } = this;
    const { bytes, at, byteLength, timeUs } = frame;
    this.advance(timeUs / 1000);
    fold.advance(timeUs, null);
    this.frames += 1;
    fold.applyFrame(frame, fold.receiverNumber(`receiver-${receiver}`), outcome);
    if (outcome.accepted) this.accepted += 1;
    else if (outcome.slot < 0) return;
    const source: OurFrame = { row, receiver, hex: Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex') };
    const nowMs = Math.floor(timeUs / 1000);
    const state = fold.state(outcome.slot, nowMs);
    const tracker = this.tracker(state.hex, nowMs);
    tracker.messages = state.messages;
    if (!outcome.accepted && outcome.positionResolved) tracker.undone += 1;
    if (rejectReasons[outcome.reject] === 'position_implausible') {
      takeOld(this.impossible, nowMs - IMPOSSIBLE_MS);
      this.impossible.push({ timeMs: nowMs, receiver });
    }
    tracker.slot = outcome.slot;
    this.hear(tracker, outcome.message, nowMs);
    this.note(tracker, state, nowMs, source);
    if (outcome.positionResolved) this.addPosition(tracker, nowMs, source);
  }

  private hear(tracker: Tracker, { kind, surveillance, emergency, position }: Message, timeMs: number): void {
    const isReply = kind === KIND_SURVEILLANCE || kind === KIND_COMM_B;
    const squawk = isReply ? surveillance.squawk : kind === KIND_EMERGENCY ? emergency.squawk : ABSENT;
    const altitude = isReply ? surveillance.altitudeBaroFt : kind === KIND_AIRBORNE_POSITION ? position.altitudeBaroFt : ABSENT;
    const keepFromMs = timeMs - this.keepMs;
    if (squawk !== ABSENT) tracker.squawksHeard.add({ timeMs, value: squawk, frame: null }, keepFromMs);
    if (altitude !== ABSENT) tracker.altitudesHeard.add({ timeMs, value: altitude, frame: null }, keepFromMs);
  }

  private addPosition(tracker: Tracker, timeMs: number, frame: OurFrame): void {
    const { outcome } = this;
    const position = { timeMs, lat: outcome.latitudeMicrodeg / 1e6, lon: outcome.longitudeMicrodeg / 1e6, frame, matched: false };
    if (!outcome.positionAccepted) {
      tracker.refused.push(position);
      takeOld(tracker.refused, timeMs - LIFETIME_MS);
      return;
    }
    this.positions += 1;
    tracker.positionsSinceMs ??= timeMs;
    tracker.positions.push(position);
    this.dropPositions(tracker, timeMs - this.keepMs);
  }

  /** Advances event time tick by tick, so that values expire on time. */
  advance(nowMs: number): void {
    if (nowMs <= this.clockMs) return;
    const from = Number.isNaN(this.clockMs) ? nowMs : Math.max(this.clockMs, nowMs - SILENCE_MS);
    for (let tickMs = (Math.floor(from / TICK_MS) + 1) * TICK_MS; tickMs <= nowMs; tickMs += TICK_MS) {
      this.fold.advance(tickMs * 1000, (tick) => this.tick(tick));
    }
    this.clockMs = nowMs;
  }

  /** Records expired values. An aircraft whose values a frame has just recorded waits for a tick without a frame. */
  private tick({ tickMs, aircraft, gone }: FoldTick): void {
    for (const tracker of this.heardLately.splice(0))
      if (tracker.notedMs <= tickMs - TICK_MS) this.note(tracker, this.fold.state(tracker.slot, tickMs), tickMs, null);
    for (const state of aircraft.build()) {
      const tracker = this.tracker(state.hex, tickMs);
      if (tracker.notedMs > tickMs - TICK_MS) this.heardLately.push(tracker);
      else this.note(tracker, state, tickMs, null);
    }
    for (const hex of gone) this.forget(hex);
  }

  /** Removes every remaining aircraft and position from the history. */
  end(): void {
    for (const hex of [...this.trackers.keys()]) this.forget(hex);
  }

  private tracker(hex: string, nowMs: number): Tracker {
    let tracker = this.trackers.get(hex);
    if (tracker === undefined) {
      tracker = new Tracker(hex, nowMs);
      this.trackers.set(hex, tracker);
    }
    return tracker;
  }

  private note(tracker: Tracker, state: AircraftState, nowMs: number, frame: OurFrame | null): void {
    const object = aircraftObject(state, nowMs, 'readsb');
    tracker.notedMs = nowMs;
    for (let rule = 0; rule < ruleNames.length; rule += 1) {
      const name = ruleNames[rule]!;
      const value = ourValue(name, object, state);
      if (tracker.byRule[rule]?.latest === value) continue;
      const keepMs = commBFields.has(name) ? Math.max(this.keepMs, LIFETIME_MS) : this.keepMs;
      tracker.timeline(name).add({ timeMs: nowMs, value, frame }, nowMs - keepMs);
    }
  }

  private dropPositions(tracker: Tracker, beforeMs: number): void {
    for (const position of takeOld(tracker.positions, beforeMs)) this.options.onPositionGone(tracker, position);
  }

  private forget(hex: string): void {
    const tracker = this.trackers.get(hex);
    if (tracker === undefined) return;
    this.dropPositions(tracker, Number.POSITIVE_INFINITY);
    this.options.onGone(tracker);
    this.trackers.delete(hex);
  }
}

/** Removes and returns the positions before an instant, and those over the limit, from a list in time order. */
function takeOld<T extends { readonly timeMs: number }>(positions: T[], beforeMs: number): T[] {
  let old = 0;
  while (old < positions.length && (positions[old]!.timeMs < beforeMs || positions.length - old > limits.verifyHistoryMax)) old += 1;
  return old === 0 ? [] : positions.splice(0, old);
}

function ourValue(name: string, object: Readonly<Record<string, unknown>>, state: AircraftState): Value | undefined {
  if (name === 'seen') return state.seenMs;
  if (name === 'seen_pos') return state.positionValid && state.positionMs !== null ? state.positionMs : undefined;
  if (name === 'position') return object['lat'] === undefined ? undefined : SHOWN;
  if (name === 'gpsOkBefore') return state.gpsOkMs ?? undefined;
  if (name === 'wind') return windValue(object['wd'], object['ws']);
  const value = object[name];
  if (value === undefined) return undefined;
  if (name === 'lastPosition') return SHOWN;
  if (name === 'acas_ra') return advisoryValue(value);
  if (Array.isArray(value)) return listValue(value as string[]);
  if (name === 'rssi') return (value as number) > RSSI_UNKNOWN ? (value as number) : undefined;
  return typeof value === 'string' ? value.trimEnd() : (value as number | undefined);
}
