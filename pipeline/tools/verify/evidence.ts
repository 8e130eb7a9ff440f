// Evidence for the reason of a difference: our values at about the time of a response, and the frames that set them.
import { limits } from '../../../schemas/limits/index.ts';
import { GUARD_VALUE_MS } from '../../fold/accept.ts';
import { SQUAWK_AGAIN_MS } from '../../fold/identity.ts';
import { toMicrodegrees } from '../../fold/receivers.ts';
import { type AirTemperature, temperatureOf, type Wind, windOf } from '../../fold/wind.ts';
import { angleBetweenCentideg, type Move, moveBetween } from '../../geo/distance.ts';
import { M_PER_NM } from '../../geo/earth.ts';
import { metresBetween, POSITION_NEAR_M } from './distance.ts';
import { isSameValue, rulesByName, type Value, windValue } from './fields.ts';
import type { Entry, OurPosition, OurSide, Timeline, Tracker } from './ours.ts';
import type { FieldOutcome } from './tally.ts';
import type { TheirAircraft, TheirPosition } from './theirs.ts';

/** How much the clocks of two programs differ in the time between two frames: more at the start, where both are slow. */
const CLOCKS_MS = 200;

/** A bearing from 0 N 0 E changes by less while an aircraft flies for some minutes. */
const ORIGIN_WITHIN_DEG = 2;

/** readsb drops positions farther from its location. Its default, `--max-range` (readsb.c). */
const READSB_RANGE_M = 450 * M_PER_NM;

/** readsb ignores a receiver after so many (receiver.c). */
const IMPOSSIBLE_POSITIONS = 6;

/** Programs average the last eight levels, and fill up in different ways before there are eight. */
export const LEVELS_MEANT = 8;

export interface FoundDifference {
  readonly field: string;
  readonly outcome: FieldOutcome;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
  readonly aircraft: TheirAircraft;
  readonly tracker: Tracker;
  /** The aircraft in the fold for which all frames come from one receiver; null while that fold does not know it. */
  readonly asOne: Tracker | null;
  /** Time of their response, in our time. */
  readonly timeMs: number;
  readonly slackMs: number;
  /** Location of the receiver in degrees; null when it is not configured. */
  readonly receiver: Degrees | null;
  /** Impossible positions of the last seconds. */
  readonly impossible: OurSide['impossible'];
}

interface Degrees {
  readonly lat: number;
  readonly lon: number;
}

/** Our value at the time of their response, with its frame. */
export function entryAt({ field, tracker, timeMs }: FoundDifference): Entry | undefined {
  return tracker.timelines.get(field)?.at(timeMs);
}

/** The value of another field. */
export function oursAt({ tracker, timeMs }: FoundDifference, field: string): Value | undefined {
  return tracker.timelines.get(field)?.at(timeMs)?.value;
}

/** True when the aircraft is a TIS-B target in ours, or the value is one of TIS-B in theirs. */
export function isOfTisb(found: FoundDifference): boolean {
  return String(oursAt(found, 'type')).startsWith('tisb') || namesIn(found.aircraft.values.get('tisb')).includes(found.field);
}

const namesIn = (list: Value | undefined): string[] => String(list ?? '').split(' ');

/** The second reception of our squawk came hardly later than it had to, or the first one was the first message of the aircraft. */
export function isJustProven(found: FoundDifference): boolean {
  const entry = entryAt(found);
  const early = (entry?.timeMs ?? 0) - SQUAWK_AGAIN_MS;
  return (
    entry !== undefined &&
    found.tracker.squawksHeard.entries.some(
      ({ timeMs }) => timeMs <= early && (early - timeMs < CLOCKS_MS || timeMs === found.tracker.firstMs),
    )
  );
}

/** Theirs is our newest barometric altitude with the difference that one of our last geometric ones had. */
export function isOfNewestAltitude({ theirs, tracker, timeMs }: FoundDifference): boolean {
  const [baro, geometric] = ['alt_baro', 'alt_geom'].map((name) => tracker.timelines.get(name));
  const difference = Number(theirs) - Number(baro?.at(timeMs)?.value);
  return geometric!.entries.some(({ timeMs: atMs, value }) => Number(value) - Number(baro?.at(atMs)?.value) === difference);
}

/** Theirs follows from some of our last values: programs differ in which of them they had by then. */
export function isComputedNow({ field, theirs, tracker, timeMs, slackMs }: FoundDifference): boolean {
  const rule = rulesByName.get(field)!;
  const computed = field === 'wind' ? windAt : temperatureAt;
  if (theirs === undefined) return false;
  const [fromMs, toMs] = [timeMs - GUARD_VALUE_MS, timeMs + slackMs];
  const values = rule.inputs!.map((name) =>
    [...(tracker.timelines.get(name)?.within(fromMs, toMs) ?? [])].slice(0, limits.verifyInputsMax).map((entry) => Number(entry?.value)),
  );
  const choices = values.reduce<number[][]>((all, each) => all.flatMap((chosen) => each.map((value) => [...chosen, value])), [[]]);
  return choices.some((chosen) => {
    const value = computed((name) => chosen[rule.inputs!.indexOf(name)]!, field);
    return value !== undefined && isSameValue(rule, false, value, theirs);
  });
}

type NowOf = (name: string) => number;

function windAt(nowOf: NowOf): Value | undefined {
  const wind: Wind = { directionDeg: 0, speedKt: Number.NaN };
  windOf(Math.round(10 * nowOf('gs')), Math.round(100 * nowOf('track')), nowOf('tas'), Math.round(100 * nowOf('true_heading')), wind);
  return Number.isNaN(wind.speedKt) ? undefined : windValue(Math.round(wind.directionDeg), Math.round(wind.speedKt));
}

function temperatureAt(nowOf: NowOf, field: string): Value {
  const temperature: AirTemperature = { oatC: 0, tatC: 0 };
  temperatureOf(nowOf('tas'), Math.round(1000 * nowOf('mach')), temperature);
  return Math.round(field === 'oat' ? temperature.oatC : temperature.tatC);
}

/** At about their time one of our lists has the name, or does not, as theirs. */
export function isInOursAsInTheirs(name: string, found: FoundDifference): boolean {
  const isInTheirs = namesIn(found.theirs).includes(name);
  const lists = [found.tracker, found.asOne].flatMap((side) => entriesAround(side?.timelines.get(found.field), found));
  return lists.some((list) => namesIn(list).includes(name) === isInTheirs);
}

/** Names that are in one of two lists. */
export function unlike(theirs: Value | undefined, ours: Value | undefined): string[] {
  const [a, b] = [namesIn(theirs), namesIn(ours)];
  return [...a.filter((name) => !b.includes(name)), ...b.filter((name) => !a.includes(name))];
}

/** Our value came with a Comm-B reply: DF 20 or 21. */
export function isOfCommB(found: FoundDifference): boolean {
  const frame = entryAt(found)?.frame?.hex;
  return frame !== undefined && Number.parseInt(frame.slice(0, 2), 16) >> 4 === 10;
}

/** Our value came with a reply: DF 0, 4, 5, 16, 20 or 21. */
export function isOfReply(found: FoundDifference): boolean {
  const frame = entryAt(found)?.frame?.hex;
  return frame !== undefined && [0, 4, 5, 16, 20, 21].includes(Number.parseInt(frame.slice(0, 2), 16) >> 3);
}

/** True when one receiver sent our value and another one the last position, within the time that readsb's guard looks back. */
export function isOfOtherReceiver({ field, tracker, timeMs, slackMs }: FoundDifference): boolean {
  return [...(tracker.timelines.get(field)?.within(timeMs - slackMs, timeMs) ?? [])].some((entry) => {
    if (entry?.frame == null || timeMs - entry.timeMs > GUARD_VALUE_MS) return false;
    const positions = [tracker.positions, tracker.refused].flatMap((each) => each.findLast(({ timeMs }) => timeMs <= entry.timeMs) ?? []);
    return positions.some(({ frame }) => frame.receiver !== entry.frame!.receiver);
  });
}

/** Their calculated track is the bearing from 0 N 0 E to about our position. */
export function isFromOrigin({ theirs, tracker }: FoundDifference): boolean {
  const position = tracker.positions.at(-1);
  if (theirs === undefined || position === undefined) return false;
  const { bearingCentideg } = moveOf({ lat: 0, lon: 0 }, position);
  return angleBetweenCentideg(100 * Number(theirs), bearingCentideg) <= 100 * ORIGIN_WITHIN_DEG;
}

/** The last position that we resolved is outside the range within which readsb takes positions by default. */
export function isOutOfRange({ receiver, tracker, timeMs }: FoundDifference): boolean {
  const positions = [tracker.positions, tracker.refused].flatMap((each) => each.findLast((position) => position.timeMs <= timeMs) ?? []);
  return receiver !== null && positions.some((position) => moveOf(receiver, position).distanceM > READSB_RANGE_M);
}

function moveOf(from: Degrees, to: Degrees): Move {
  const [a, b] = [toMicrodegrees(from)!, toMicrodegrees(to)!];
  const move = { distanceM: 0, bearingCentideg: -1 };
  moveBetween(a.latitudeMicrodeg, a.longitudeMicrodeg, b.latitudeMicrodeg, b.longitudeMicrodeg, move);
  return move;
}

/** A resolved position was refused within the last eight accepted messages. */
export function wasRefusedLately({ tracker, timeMs }: FoundDifference): boolean {
  const sinceMs =
    tracker.timelines
      .get('messages')
      ?.entries.filter((entry) => entry.timeMs <= timeMs)
      .at(-LEVELS_MEANT)?.timeMs ?? 0;
  return tracker.refused.some((position) => position.timeMs >= sinceMs && position.timeMs <= timeMs);
}

/** Theirs is of before, and the receiver of our last message has given impossible positions. */
export function isOfBadReceiver(found: FoundDifference): boolean {
  const { field, theirs, ours, tracker, impossible, timeMs } = found;
  const receiver = tracker.timelines.get('messages')?.at(timeMs)?.frame?.receiver;
  if (impossible.filter((each) => each.receiver === receiver && each.timeMs <= timeMs).length < IMPOSSIBLE_POSITIONS) return false;
  const { kind } = rulesByName.get(field)!;
  const isGrowing = kind === 'count' || kind === 'time';
  return theirs === undefined || (isGrowing ? Number(theirs) < Number(ours) : wasOurs(found));
}

/** True when ours had their value shortly before. */
export function wasOurs({ field, theirs, tracker }: FoundDifference): boolean {
  const rule = rulesByName.get(field)!;
  const isTheirs = ({ value }: Entry): boolean => value !== undefined && theirs !== undefined && isSameValue(rule, false, value, theirs);
  return tracker.timelines.get(field)?.entries.some(isTheirs) ?? false;
}

/** All our values at about the time of their response; undefined when unknown. */
export function oursAround(found: FoundDifference, field: string): (Value | undefined)[] {
  return entriesAround(found.tracker.timelines.get(field), found);
}

export function entriesAround(timeline: Timeline | undefined, { timeMs, slackMs }: FoundDifference): (Value | undefined)[] {
  return [...(timeline?.within(timeMs - slackMs, timeMs + slackMs) ?? [undefined])].map((entry) => entry?.value);
}

/** True when their track equals our heading at about the time of their response. */
export function isHeading(found: FoundDifference, heading: string): boolean {
  const { theirs } = found;
  const rule = rulesByName.get('track')!;
  return theirs !== undefined && oursAround(found, heading).some((ours) => ours !== undefined && isSameValue(rule, true, ours, theirs));
}

/** True when the last frame with such a value, at about the time of their response, contained theirs. */
export function wasHeard(heard: Timeline, value: Value | undefined, found: FoundDifference): boolean {
  return value !== undefined && entriesAround(heard, found).includes(value);
}

/** True when a message of the aircraft was accepted at about this time: each changes their count. */
export function heardAt({ timelines }: Tracker, timeMs: number, slackMs: number): boolean {
  return timelines.get('messages')?.entries.some((entry) => Math.abs(entry.timeMs - timeMs) <= slackMs) ?? false;
}

export function isSamePosition(ours: OurPosition, theirs: TheirPosition): boolean {
  return metresBetween(ours, theirs) <= POSITION_NEAR_M;
}
