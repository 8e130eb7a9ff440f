// Differences that have a documented reason: what other programs are known to do otherwise. Each is told from what our side heard, so
// narrowly that a fault of ours would not hide behind it. README.md lists them; a difference that none explains counts.

import { metresBetween, POSITION_NEAR_M } from './verify-distance.ts';
import { isSameValue, rulesByName, type Value } from './verify-fields.ts';
import type { OurPlace, Timeline, Tracker } from './verify-ours.ts';
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

/** The largest step of movement codes, from 100 kt on; DO-260B table 2-17. */
const GROUND_STEP_MAX_KT = 5;

/** The threat is told by its address. */
const THREAT_ADDRESS = 1;

/** What Comm-B registers hold. */
const COMM_B_FIELDS = (
  'flight gs ias tas mach track track_rate roll mag_heading true_heading baro_rate geom_rate nav_qnh nav_altitude_mcp nav_altitude_fms nav_modes ' +
  'wd ws oat tat'
).split(' ');

const reasons: readonly Reason[] = [
  {
    text: UNPROVEN,
    // The kind of an aircraft is that of its position where it has one.
    fields: ['position', 'seen_pos', 'nic', 'rc', 'type'],
    holds: (found) => {
      const { place } = found.aircraft;
      return (
        place !== null &&
        oursAround(found, 'position').includes(undefined) &&
        found.tracker.refused.some((ours) => isSamePlace(ours, place))
      );
    },
  },
  {
    text: 'ours shows a squawk when it was heard twice at least 750 ms apart (as readsb does); others show the first',
    fields: ['squawk'],
    holds: (found) => found.theirs !== undefined && wasHeard(found.tracker.squawksHeard, Number(found.theirs), found),
  },
  {
    text: 'ours shows an altitude when a second one bears it out (as readsb does); others show the first',
    fields: ['alt_baro'],
    holds: (found) => oursAround(found, 'alt_baro').includes(undefined) && wasHeard(found.tracker.altitudesHeard, found.theirs, found),
  },
  {
    text: 'ours takes `seen` from messages that prove the address (as readsb does); others from every message',
    fields: ['seen'],
    holds: (found) =>
      oursAround(found, 'seen').some((ours) => Number(ours) < Number(found.theirs)) &&
      heardAt(found.tracker, Number(found.theirs), found.slackMs),
  },
  {
    text: 'ours resolves places on the ground by where the receiver stands, told or learnt; others where they are told (--lat, --lon)',
    fields: ['type', 'version', 'position', 'seen_pos', 'nic', 'rc'],
    holds: (found) => (found.outcome === 'onlyOurs' || found.field === 'type') && oursAround(found, 'alt_baro').includes('ground'),
  },
  {
    text: 'ours gives the middle of the step that a speed on the ground is coded in (as readsb does); others one of its ends',
    fields: ['gs'],
    holds: (found) =>
      oursAround(found, 'alt_baro').includes('ground') && Math.abs(Number(found.theirs) - Number(found.ours)) <= GROUND_STEP_MAX_KT / 2,
  },
  {
    text: 'old programs give the heading as track: on the ground, and of an aircraft that tells its airspeed',
    fields: ['track'],
    holds: (found) => found.aircraft.coarse && ['true_heading', 'mag_heading'].some((heading) => isHeading(found, heading)),
  },
  {
    text: 'the signal level is a mean of eight messages; with fewer, programs fill up in different ways',
    fields: ['rssi'],
    holds: (found) => Number(oursAt(found, 'messages')) <= 2 * LEVELS_MEANT,
  },
  {
    text: 'ours drops a frame whose place is impossible or a repeated one (as readsb does); others count it',
    fields: ['messages'],
    holds: (found) => oursAround(found, 'messages').some((ours) => isLess(Number(ours), Number(found.theirs), found.tracker.undone)),
  },
  {
    text: 'ours knows no Rc of a pair of which one half has none; readsb takes that of the other half',
    fields: ['rc'],
    holds: ({ theirs, ours }) => ours === 0 && Number(theirs) > 0,
  },
  {
    text: 'ours gives a place near the last one the accuracy of its own frame; readsb the smaller radius of both',
    fields: ['nic', 'rc'],
    holds: wasOurs,
  },
  {
    text: 'ours drops the SIL type with the SIL, and takes the one of a target state; readsb does neither',
    fields: ['sil_type'],
    holds: (found) => found.theirs === 'unknown' || (found.ours === undefined && oursAt(found, 'sil') === undefined),
  },
  {
    text: 'ours decides with what is known of the aircraft which register a Comm-B reply holds; readsb by its bits, and drops ties',
    fields: COMM_B_FIELDS,
    holds: (found) => isOfCommB(found) && (found.theirs === undefined || wasOurs(found)),
  },
  {
    text: 'ours takes a selected altitude below 1,000 ft for none; others show it',
    fields: ['nav_altitude_mcp', 'nav_altitude_fms'],
    holds: ({ outcome, theirs }) => outcome === 'onlyTheirs' && Number(theirs) < 1000,
  },
  {
    text: 'a call sign of ours has letters, digits and blanks only',
    fields: ['flight'],
    holds: ({ theirs }) => /[^A-Z0-9 ]/.test(String(theirs ?? '')),
  },
  {
    text: 'ours takes places, speed and track of coarse TIS-B; readsb counts its frames only',
    fields: ['position', 'seen_pos', 'nic', 'rc', 'gs', 'track', 'lastPosition'],
    holds: (found) => found.outcome === 'onlyOurs' && isOfTisb(found),
  },
  {
    text: 'TIS-B tells NACp and SIL with its velocity: ours infers none from the type codes of its positions; readsb does',
    fields: ['nac_p', 'sil', 'sil_type'],
    holds: (found) => found.outcome !== 'onlyOurs' && isOfTisb(found),
  },
  {
    text: 'ours looks up NIC and Rc of TIS-B and ADS-R by the version of their own kind; readsb by that of ADS-B',
    fields: ['nic', 'rc'],
    holds: (found) => found.outcome === 'different' && (isOfTisb(found) || String(oursAt(found, 'type')).startsWith('adsr')),
  },
  {
    text: 'an advisory of ours needs no known threat; readsb shows one when it knows the address of the threat too',
    fields: ['acas_ra'],
    holds: ({ outcome, ours }) => outcome === 'onlyOurs' && threatKind(String(ours)) !== THREAT_ADDRESS,
  },
  {
    text: 'ours shows squawk 0000; readsb takes it for none',
    fields: ['squawk'],
    holds: ({ theirs, ours }) => theirs === undefined && ours === '0000',
  },
  {
    text: 'ours derives a true heading at a known place only; readsb at any last one, and at 0 N 0 E',
    fields: ['true_heading'],
    holds: (found) => found.outcome === 'onlyTheirs' && oursAt(found, 'position') === undefined,
  },
  {
    text: 'ours calculates a track after the first move of 100 m; until then readsb gives the bearing from 0 N 0 E',
    fields: ['calc_track'],
    holds: ({ outcome, tracker }) => outcome === 'onlyTheirs' && tracker.timelines.get('calc_track')?.everKnown !== true,
  },
];

/** Of every field: readsb looks once a second what is too old, so that some values live a little longer. */
const EXPIRY_MS = 1000;
const EXPIRED = 'ours lets a value go exactly when it is old enough; others look for old ones once a second';

function hasJustExpired({ field, outcome, theirs, tracker, timeMs, slackMs }: FoundDifference): boolean {
  const last = tracker.timelines.get(field)?.entries.slice(-2) ?? [];
  const [before, gone] = last;
  if (outcome !== 'onlyTheirs' || before === undefined || gone === undefined) return false;
  return before.value === theirs && gone.value === undefined && gone.frame === null && timeMs - gone.timeMs <= EXPIRY_MS + slackMs;
}

/** What ours was at the time of their answer. */
function oursAt({ tracker, timeMs }: FoundDifference, field: string): Value | undefined {
  return tracker.timelines.get(field)?.at(timeMs)?.value;
}

/** Bits 29 and 30 of an advisory: what its last bytes tell of the threat. Annex 10 vol. IV §4.3.8.4.2.2. */
function threatKind(bytes: string): number {
  return (Number.parseInt(bytes.slice(6, 8), 16) >> 2) & 3;
}

/** Ours is known by TIS-B. */
function isOfTisb(found: FoundDifference): boolean {
  return String(oursAt(found, 'type')).startsWith('tisb');
}

/** Our value came with a Comm-B reply: DF 20 or 21. */
function isOfCommB({ field, tracker, timeMs }: FoundDifference): boolean {
  const frame = tracker.timelines.get(field)?.at(timeMs)?.frame?.hex;
  return frame !== undefined && Number.parseInt(frame.slice(0, 2), 16) >> 4 === 10;
}

/** Theirs is a value that ours had a moment before. */
function wasOurs({ field, theirs, tracker }: FoundDifference): boolean {
  return tracker.timelines.get(field)?.entries.some(({ value }) => value !== undefined && value === theirs) ?? false;
}

/** All that ours was at about the time of their answer; undefined where it was unknown. */
function oursAround({ tracker, timeMs, slackMs }: FoundDifference, field: string): (Value | undefined)[] {
  const entries = tracker.timelines.get(field)?.within(timeMs - slackMs, timeMs + slackMs) ?? [undefined];
  return [...entries].map((entry) => entry?.value);
}

function isLess(ours: number, theirs: number, byMost: number): boolean {
  return theirs > ours && theirs - ours <= byMost;
}

/** Their track is a heading of ours, as it was at about the time of their answer. */
function isHeading(found: FoundDifference, heading: string): boolean {
  const { theirs } = found;
  const rule = rulesByName.get('track')!;
  return theirs !== undefined && oursAround(found, heading).some((ours) => ours !== undefined && isSameValue(rule, true, ours, theirs));
}

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
  if (hasJustExpired(difference)) return EXPIRED;
  return reasons.find(({ fields, holds }) => fields.includes(difference.field) && holds(difference))?.text ?? null;
}

/** Why a place of theirs has none of ours beside it. */
export function refusedByUs(tracker: Tracker, place: TheirPlace, timeMs: number, slackMs: number): string | null {
  const found = tracker.refused.some((ours) => Math.abs(ours.timeMs - timeMs) <= slackMs && isSamePlace(ours, place));
  return found ? UNPROVEN : null;
}

function isSamePlace(ours: OurPlace, theirs: TheirPlace): boolean {
  return metresBetween(ours, theirs) <= POSITION_NEAR_M;
}
