// Differences that have a documented reason: what other programs are known to do otherwise. Each is told from what our side heard, so
// narrowly that a fault of ours would not hide behind it. README.md lists them; a difference that none explains counts.
import type { Value } from './verify-fields.ts';
import type { OurPlace, Timeline, Tracker } from './verify-ours.ts';
import { metresBetween, PLACE_NEAR_M } from './verify-places.ts';
import type { FieldOutcome } from './verify-tally.ts';
import type { TheirAircraft, TheirPlace } from './verify-theirs.ts';

export interface FoundDifference {
  readonly field: string;
  readonly outcome: FieldOutcome;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
  readonly aircraft: TheirAircraft;
  readonly tracker: Tracker;
  /** Of their answer, in our time. */
  readonly timeMs: number;
  readonly slackMs: number;
}

interface Reason {
  readonly text: string;
  readonly fields: readonly string[];
  readonly holds: (difference: FoundDifference) => boolean;
}

const UNPROVEN =
  'ours finds the same place and does not show it before two pairs of positions agree (as readsb does for aggregators); others show the first';

/** Programs mean the last eight levels; before there are eight each fills them up in its own way. */
const LEVELS_MEANT = 8;

const reasons: readonly Reason[] = [
  {
    text: UNPROVEN,
    fields: ['position', 'seen_pos'],
    holds: ({ ours, aircraft: { place }, tracker }) =>
      ours === undefined && place !== null && tracker.refused.some((found) => isSamePlace(found, place)),
  },
  {
    text: 'ours shows a squawk when it was heard twice at least 750 ms apart (as readsb does); others show the first',
    fields: ['squawk'],
    holds: (found) => found.theirs !== undefined && wasHeard(found.tracker.squawksHeard, Number(found.theirs), found),
  },
  {
    text: 'ours shows an altitude when a second one bears it out (as readsb does); others show the first',
    fields: ['alt_baro'],
    holds: (found) => found.ours === undefined && wasHeard(found.tracker.altitudesHeard, found.theirs, found),
  },
  {
    text: 'ours takes `seen` from messages that prove the address (as readsb does); others from every message',
    fields: ['seen'],
    holds: ({ theirs, ours, tracker, slackMs }) => Number(theirs) > Number(ours) && heardAt(tracker, Number(theirs), slackMs),
  },
  {
    text: 'ours learns roughly where the receiver stands and resolves places on the ground; others need to be told (--lat, --lon)',
    fields: ['type', 'position', 'seen_pos', 'nic', 'rc'],
    holds: ({ field, outcome, tracker }) =>
      (outcome === 'onlyOurs' || field === 'type') && tracker.timelines.get('alt_baro')?.latest === 'ground',
  },
  {
    text: 'the signal level is a mean of eight messages; with fewer, programs fill up in different ways',
    fields: ['rssi'],
    holds: ({ tracker }) => tracker.messages <= 2 * LEVELS_MEANT,
  },
  {
    text: 'ours counts a frame whose position is impossible as a message of its aircraft; readsb drops it without trace',
    fields: ['messages'],
    holds: ({ theirs, ours, tracker }) => Number(theirs) < Number(ours) && Number(ours) - Number(theirs) <= tracker.refusedCount,
  },
  {
    text: 'the SIL of version 0 is implied and its type unknown; readsb keeps the type of an earlier message',
    fields: ['sil_type'],
    holds: ({ ours, tracker }) => ours === 'unknown' && tracker.timelines.get('version')?.latest === 0,
  },
];

/** The last frame that held such a value at about the time of their answer held theirs. */
function wasHeard(heard: Timeline, value: Value | undefined, { timeMs, slackMs }: FoundDifference): boolean {
  return [...heard.within(timeMs - slackMs, timeMs + slackMs)].some((entry) => entry !== undefined && entry.value === value);
}

/** A message of the aircraft was accepted at about this time: each changes their count. */
function heardAt({ timelines }: Tracker, timeMs: number, slackMs: number): boolean {
  return timelines.get('messages')?.entries.some((entry) => Math.abs(entry.timeMs - timeMs) <= slackMs) ?? false;
}

/** The reason of a difference, in words; null where none is documented. */
export function reasonFor(difference: FoundDifference): string | null {
  return reasons.find(({ fields, holds }) => fields.includes(difference.field) && holds(difference))?.text ?? null;
}

/** Why a place of theirs has none of ours beside it. */
export function refusedByUs(tracker: Tracker, place: TheirPlace, timeMs: number, slackMs: number): string | null {
  const found = tracker.refused.some((ours) => Math.abs(ours.timeMs - timeMs) <= slackMs && isSamePlace(ours, place));
  return found ? UNPROVEN : null;
}

function isSamePlace(ours: OurPlace, theirs: TheirPlace): boolean {
  return metresBetween(ours, theirs) <= PLACE_NEAR_M;
}
