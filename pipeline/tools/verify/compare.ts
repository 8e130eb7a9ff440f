// Compares the values of another program with the values of our fold at the same time.
//
// Their response carries their time t. Programs read, decode and write at their own intervals, so a response may be a little older or newer
// than its time. A value of theirs is *equal* when it is ours at t, *near* when ours had it at some time within the slack of t, and
// otherwise a difference. So a response is compared when our clock has passed t by the slack.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { EQUAL_WITHIN_M, metresBetween } from './distance.ts';
import { distanceOf, type FieldRule, isSameValue, rulesInTurn, type Value } from './fields.ts';
import { type Entry, type OurPosition, OurSide, type Timeline, type Tracker } from './ours.ts';
import { PositionComparison } from './positions.ts';
import { reasonFor } from './reasons.ts';
import { type Case, type FieldOutcome, median, VerifyTally } from './tally.ts';
import type { TheirAircraft, TheirResponse } from './theirs.ts';

export interface ComparerOptions {
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly slackMs: number;
  /** Their clock minus ours, ms; null: estimated from the first positions of both. */
  readonly offsetMs: number | null;
  /** Responses of this first period are not compared: theirs then contains values that it heard before we listened. */
  readonly settleMs: number;
  readonly fieldsIgnored: ReadonlySet<string>;
}

/** The time of a response in ours, and the start of the time in which their values may be ours. */
interface Moment {
  readonly timeMs: number;
  readonly fromMs: number;
}

/** Maximum age of the values in a response. */
const LAST_WRITTEN_MS = 2000;
/** Time after its last message for which programs list an aircraft. */
const LISTED_MS = 60_000;
/** Maximum delay of a response. */
const LATE_MS = 4000;
/** Maximum clock difference that can be estimated, and maximum time to estimate it. */
const OFFSET_SEARCH_MS = 15_000;
const OFFSET_SAMPLES = 10;

export class Comparer {
  readonly tally = new VerifyTally();
  readonly ours: OurSide;
  /** A second fold, for which all frames come from one receiver: other programs do not know receivers, or have other rules for them. */
  private readonly asOne: OurSide;
  private readonly positions: PositionComparison;
  /** Their clock minus ours, ms. */
  offsetMs: number;
  private readonly options: ComparerOptions;
  private offsetKnown: boolean;
  private readonly offsetSamples: number[] = [];
  private firstArrivalMs = Number.NaN;
  private readonly waiting: TheirResponse[] = [];
  private readonly theirHexes = new Set<string>();
  private positionByPosition = false;

  constructor(options: ComparerOptions) {
    this.options = options;
    this.offsetMs = options.offsetMs ?? 0;
    this.offsetKnown = options.offsetMs !== null;
    this.positions = new PositionComparison(this.tally, options.slackMs);
    const sideOptions = {
      receiver: options.receiver,
      onPositionGone: (tracker: Tracker, position: OurPosition) => this.positionGone(tracker, position),
      onGone: (tracker: Tracker) => this.aircraftGone(tracker),
    };
    const keepMs = 2 * options.slackMs + (this.offsetKnown ? LATE_MS : OFFSET_SEARCH_MS);
    this.ours = new OurSide(sideOptions, keepMs);
    this.asOne = new OurSide({ receiver: options.receiver, onPositionGone: () => {}, onGone: () => {} }, keepMs);
  }

  /** Folds a frame at its event time. */
  frame(frame: ReceivedFrame, row: number): void {
    this.ours.frame(frame, row);
    this.asOne.frame(frame, row, 0);
  }

  /** Queues a response, in the order of their times; `advanceTo` compares it. Error: `verify.too_many_answers`. */
  offer(response: TheirResponse): void {
    const { tally, waiting } = this;
    tally.responses += 1;
    if (Number.isNaN(tally.firstResponseMs)) {
      tally.firstResponseMs = response.nowMs;
      this.firstArrivalMs = this.ours.clockMs;
    }
    tally.lastResponseMs = response.nowMs;
    if (!response.whole) this.positionByPosition = true;
    waiting.push(response);
    if (waiting.length > limits.verifyResponsesWaitingMax)
      throw new SquitterError('verify.too_many_answers', { limit: limits.verifyResponsesWaitingMax });
    if (!this.offsetKnown) for (const aircraft of response.aircraft) this.sampleOffset(aircraft);
  }

  /** Advances our clock, and compares each response when it is due: our history does not reach back over a long silence. */
  advanceTo(timeMs: number): void {
    const { waiting, options } = this;
    this.settleOffset();
    while (this.offsetKnown && waiting.length > 0) {
      const dueMs = waiting[0]!.nowMs - this.offsetMs + options.slackMs;
      if (dueMs > timeMs) break;
      this.advance(dueMs);
      this.compareResponse(waiting.shift()!);
    }
    // Only responses that waited for the clock difference needed the longer history.
    if (this.offsetKnown) for (const side of [this.ours, this.asOne]) side.keepMs = 2 * options.slackMs + LATE_MS;
    this.advance(timeMs);
  }

  private advance(timeMs: number): void {
    this.ours.advance(timeMs);
    this.asOne.advance(timeMs);
  }

  /** No more frames and responses come: compares the queued responses, and counts values without a counterpart. */
  end(): void {
    this.offsetKnown = true;
    for (const response of this.waiting.splice(0)) {
      this.advance(response.nowMs - this.offsetMs + this.options.slackMs);
      this.compareResponse(response);
    }
    this.ours.end();
    for (const hex of this.theirHexes) this.tally.aircraftOnlyTheirs.add(hex);
  }

  private sampleOffset({ hex, position }: TheirAircraft): void {
    const tracker = this.ours.trackers.get(hex);
    if (position === null || tracker === undefined) return;
    const same = tracker.positions.filter((candidate) => metresBetween(candidate, position) < EQUAL_WITHIN_M);
    // A repeated position does not identify a time.
    if (same.length === 1) this.offsetSamples.push(position.timeMs - same[0]!.timeMs);
  }

  private settleOffset(): void {
    if (this.offsetKnown) return;
    const enough = this.offsetSamples.length >= OFFSET_SAMPLES || this.ours.clockMs - this.firstArrivalMs > OFFSET_SEARCH_MS;
    if (!enough) return;
    this.offsetKnown = true;
    const found = median(this.offsetSamples);
    // Smaller differences come from the resolution of their times.
    if (Math.abs(found) > this.options.slackMs / 2) this.offsetMs = found;
  }

  private compareResponse(response: TheirResponse): void {
    const { tally, options } = this;
    const timeMs = response.nowMs - this.offsetMs;
    const settled = timeMs - (tally.firstResponseMs - this.offsetMs) >= options.settleMs;
    const remembered = timeMs >= this.ours.clockMs + options.slackMs - this.ours.keepMs;
    if (!settled || !remembered) tally.responsesNotCompared += 1;
    for (const aircraft of response.aircraft) {
      const tracker = this.ours.trackers.get(aircraft.hex);
      if (tracker === undefined) {
        if (settled && this.theirHexes.size < limits.aircraftPerPartitionMax) this.theirHexes.add(aircraft.hex);
        continue;
      }
      if (!settled) tracker.theirsBeforeUs ||= options.settleMs > 0;
      tracker.inTheirs = true;
      if (!settled || !remembered || timeMs + options.slackMs < tracker.firstMs) continue;
      tally.aircraftCompared += 1;
      this.compareAircraft(tracker, aircraft, timeMs, response.whole);
    }
  }

  private compareAircraft(tracker: Tracker, aircraft: TheirAircraft, timeMs: number, whole: boolean): void {
    const { tally, options } = this;
    for (const member of aircraft.unknown) if (tally.unknownMembers.size < limits.verifyNamesMax) tally.unknownMembers.add(member);
    const moment = { timeMs, fromMs: Math.min(timeMs - options.slackMs, this.heardMs(aircraft, timeMs)) };
    for (const rule of rulesInTurn) {
      if (options.fieldsIgnored.has(rule.name)) continue;
      // Their count begins at the first message that they heard.
      if (rule.kind === 'count' && tracker.theirsBeforeUs) continue;
      const theirs = aircraft.values.get(rule.name);
      if (theirs !== undefined) tally.givenByTheirs.add(rule.name);
      else if (aircraft.partial === true) continue;
      const inOurTime = rule.kind === 'time' && typeof theirs === 'number' ? theirs - this.offsetMs : theirs;
      this.compareField(tracker, aircraft, rule, inOurTime, moment);
    }
    if (aircraft.position !== null) this.positions.compare(tracker, aircraft.position, aircraft.position.timeMs - this.offsetMs, whole);
  }

  /** Time of their last message, by its age or by their count: some programs write what they had a second ago. */
  private heardMs({ hex, values }: TheirAircraft, timeMs: number): number {
    const messages = Number(values.get('messages'));
    const entries = this.asOne.trackers.get(hex)?.timelines.get('messages')?.entries ?? [];
    const counted = entries.findLast(({ timeMs: atMs, value }) => atMs <= timeMs && Number(value) <= messages)?.timeMs ?? timeMs;
    const heard = Math.min(counted, Number(values.get('seen') ?? timeMs + this.offsetMs) - this.offsetMs);
    return Math.max(heard, timeMs - LAST_WRITTEN_MS);
  }

  private compareField(tracker: Tracker, aircraft: TheirAircraft, rule: FieldRule, theirs: Value | undefined, moment: Moment): void {
    const { timeMs } = moment;
    const timelines = (rule.ours ?? [rule.name]).map((name) => tracker.timelines.get(name)).filter((timeline) => timeline !== undefined);
    const ours = timelines.map((timeline) => timeline.at(timeMs)).find((entry) => entry?.value !== undefined);
    if (theirs === undefined && (ours?.value === undefined || rule.ours !== undefined || rule.bothOnly === true)) return;
    const { tally } = this;
    const timeline = timelines[0] ?? tracker.timeline(rule.name);
    const outcome = this.outcomeOf(timelines, rule, aircraft.coarse, theirs, moment);
    if (outcome === 'onlyTheirs') {
      if (rule.bothOnly === true) return;
      if (tracker.theirsBeforeUs && !timelines.some(({ everKnown }) => everKnown)) {
        tally.unheard += 1;
        return;
      }
    }
    const field = tally.field(rule.name);
    field[outcome] += 1;
    if (outcome === 'equal' || outcome === 'near') {
      timeline.caseKey = '';
      timeline.standing = null;
      return;
    }
    const found = {
      field: rule.name,
      outcome,
      theirs,
      ours: ours?.value,
      aircraft,
      tracker,
      asOne: this.asOne.trackers.get(tracker.hex) ?? null,
      timeMs,
      slackMs: this.options.slackMs,
      receiver: this.options.receiver,
      impossible: this.ours.impossible,
    };
    // While neither value changes, a difference keeps the reason that it had at first.
    const values = `${outcome} ${theirs} ${ours?.value}`;
    const reason = (timeline.standing?.values === values ? timeline.standing.reason : null) ?? reasonFor(found);
    timeline.standing = { values, reason };
    if (reason !== null) {
      field.explained += 1;
      timeline.explainedMs = timeMs;
      tally.addReason(reason, rule.name);
    }
    this.addCase(timeline, rule, {
      ...{ field: rule.name, hex: tracker.hex, timeMs, outcome, reason, theirs },
      ...{ ours: ours?.value, oursSinceMs: ours?.timeMs ?? null, frame: ours?.frame ?? null },
    });
  }

  /** Adds a case, once per row of equal differences. */
  private addCase(timeline: Timeline, rule: FieldRule, found: Case): void {
    const { field, outcome, reason, theirs, ours } = found;
    const key = `${reason} ${outcome} ${rule.kind === 'count' ? '' : theirs} ${rule.kind === 'time' || rule.kind === 'count' ? '' : ours}`;
    if (timeline.caseKey === key) return;
    timeline.caseKey = key;
    this.tally.field(field).cases += 1;
    this.tally.addCase(found, distanceOf(rule, ours, theirs));
  }

  private outcomeOf(
    timelines: readonly Timeline[],
    rule: FieldRule,
    coarse: boolean,
    theirs: Value | undefined,
    { timeMs, fromMs }: Moment,
  ): FieldOutcome {
    const { slackMs } = this.options;
    const toMs = timeMs + slackMs;
    const within = timelines.flatMap((timeline) => [...timeline.within(fromMs, toMs)]);
    if (theirs === undefined) return within.some((entry) => entry?.value === undefined) ? 'near' : 'onlyOurs';
    const isTheirs = (entry: Entry | undefined): boolean => entry?.value !== undefined && isSameValue(rule, coarse, entry.value, theirs);
    if (timelines.some((timeline) => isTheirs(timeline.at(timeMs)))) return 'equal';
    if (within.some(isTheirs)) return 'near';
    const known = within.flatMap((entry) => (entry?.value === undefined ? [] : [entry.value]));
    if (known.length === 0) return 'onlyTheirs';
    // Their time is when they processed the frame.
    if (rule.kind === 'time' && known.some((value) => Math.abs(Number(value) - Number(theirs)) <= slackMs)) return 'near';
    if (rule.kind === 'count') {
      const [least, most] = [Math.min(...(known as number[])), Math.max(...(known as number[]))];
      if (Number(theirs) >= least && Number(theirs) <= most) return 'near';
    }
    return 'different';
  }

  /** In a feed of positions, one of ours that theirs did not report is a difference; a list contains only the newest. */
  private positionGone(tracker: Tracker, position: OurPosition): void {
    const { tally, options } = this;
    const [fromMs, toMs] = [tally.firstResponseMs - this.offsetMs + options.settleMs, tally.lastResponseMs - this.offsetMs];
    if (this.positionByPosition && position.timeMs > fromMs && position.timeMs < toMs) this.positions.unreported(tracker, position);
  }

  private aircraftGone(tracker: Tracker): void {
    const { tally, options } = this;
    this.theirHexes.delete(tracker.hex);
    // A feed of positions has no aircraft without one.
    if (this.positionByPosition && tracker.positionsSinceMs === null) return;
    if (tracker.inTheirs) tally.aircraftBoth.add(tracker.hex);
    // Programs list an aircraft from its second message on, in the first response after it, for a minute.
    else if (
      tracker.messages > 1 &&
      tracker.firstMs + options.slackMs < tally.lastResponseMs - this.offsetMs &&
      Number(tracker.timelines.get('seen')?.latest) + LISTED_MS > tally.firstResponseMs - this.offsetMs
    )
      tally.aircraftOnlyOurs.add(tracker.hex);
  }
}
