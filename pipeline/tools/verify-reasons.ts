// Differences with a documented reason: known behaviour of other programs. Each reason is recognised from the frames that our side heard,
// so narrowly that it would not hide a defect of ours. README.md lists the reasons; an unexplained difference counts.

import { metresBetween, POSITION_NEAR_M } from './verify-distance.ts';
import { isSameValue, rulesByName, type Value } from './verify-fields.ts';
import type { OurPosition, Timeline, Tracker } from './verify-ours.ts';
import type { FieldOutcome } from './verify-tally.ts';
import type { TheirAircraft, TheirPosition } from './verify-theirs.ts';

export interface FoundDifference {
  readonly field: string;
  readonly outcome: FieldOutcome;
  readonly theirs: Value | undefined;
  readonly ours: Value | undefined;
  readonly aircraft: TheirAircraft;
  readonly tracker: Tracker;
  /** Time of their response, in our time. */
  readonly timeMs: number;
  readonly slackMs: number;
}

interface Reason {
  readonly text: string;
  readonly fields: readonly string[];
  readonly holds: (difference: FoundDifference) => boolean;
}

const UNPROVEN =
  'ours resolves the same position and shows it only after two pairs of positions agree (as readsb does for aggregators); others show the first';

/** Programs average the last eight levels, and fill up in different ways before there are eight. */
const LEVELS_MEANT = 8;

/** The largest step of movement codes, from 100 kt on; DO-260B table 2-17. */
const GROUND_STEP_MAX_KT = 5;

/** The threat is identified by its address. */
const THREAT_ADDRESS = 1;

/** Fields of Comm-B registers. */
const COMM_B_FIELDS = (
  'flight gs ias tas mach track track_rate roll mag_heading true_heading baro_rate geom_rate nav_qnh nav_altitude_mcp nav_altitude_fms nav_modes ' +
  'wd ws oat tat'
).split(' ');

const reasons: readonly Reason[] = [
  {
    text: UNPROVEN,
    // The kind of an aircraft with a position is that of its position.
    fields: ['position', 'seen_pos', 'nic', 'rc', 'type'],
    holds: (found) => {
      const { position } = found.aircraft;
      return (
        position !== null &&
        oursAround(found, 'position').includes(undefined) &&
        found.tracker.refused.some((ours) => isSamePosition(ours, position))
      );
    },
  },
  {
    text: 'ours shows a squawk after two receptions at least 750 ms apart (as readsb does); others show the first',
    fields: ['squawk'],
    holds: (found) => found.theirs !== undefined && wasHeard(found.tracker.squawksHeard, Number(found.theirs), found),
  },
  {
    text: 'ours shows an altitude after a second one confirms it (as readsb does); others show the first',
    fields: ['alt_baro'],
    holds: (found) => oursAround(found, 'alt_baro').includes(undefined) && wasHeard(found.tracker.altitudesHeard, found.theirs, found),
  },
  {
    text: 'ours updates `seen` with messages that prove the address (as readsb does); others with every message',
    fields: ['seen'],
    holds: (found) =>
      oursAround(found, 'seen').some((ours) => Number(ours) < Number(found.theirs)) &&
      heardAt(found.tracker, Number(found.theirs), found.slackMs),
  },
  {
    text: 'ours resolves surface positions with the receiver location, configured or learnt; others only with a configured one (--lat, --lon)',
    fields: ['type', 'version', 'position', 'seen_pos', 'nic', 'rc'],
    holds: (found) => (found.outcome === 'onlyOurs' || found.field === 'type') && oursAround(found, 'alt_baro').includes('ground'),
  },
  {
    text: 'ours shows the middle of the coded step of a surface speed (as readsb does); others one of its ends',
    fields: ['gs'],
    holds: (found) =>
      oursAround(found, 'alt_baro').includes('ground') && Math.abs(Number(found.theirs) - Number(found.ours)) <= GROUND_STEP_MAX_KT / 2,
  },
  {
    text: 'old programs show the heading as track: on the ground, and for aircraft that send airspeed',
    fields: ['track'],
    holds: (found) => found.aircraft.coarse && ['true_heading', 'mag_heading'].some((heading) => isHeading(found, heading)),
  },
  {
    text: 'the signal level is a mean of eight messages; programs differ while there are fewer',
    fields: ['rssi'],
    holds: (found) => Number(oursAt(found, 'messages')) <= 2 * LEVELS_MEANT,
  },
  {
    text: 'ours drops a frame with an impossible or repeated position (as readsb does); others count it',
    fields: ['messages'],
    holds: (found) => oursAround(found, 'messages').some((ours) => isLess(Number(ours), Number(found.theirs), found.tracker.undone)),
  },
  {
    text: 'ours has no Rc for a pair when one half has none; readsb uses that of the other half',
    fields: ['rc'],
    holds: ({ theirs, ours }) => ours === 0 && Number(theirs) > 0,
  },
  {
    text: 'ours gives a position near the last one the accuracy of its own frame; readsb the smaller radius of both',
    fields: ['nic', 'rc'],
    holds: wasOurs,
  },
  {
    text: 'ours drops the SIL type with the SIL, and uses that of a target state; readsb does neither',
    fields: ['sil_type'],
    holds: (found) => found.theirs === 'unknown' || (found.ours === undefined && oursAt(found, 'sil') === undefined),
  },
  {
    text: 'ours finds the register of a Comm-B reply with the state of the aircraft; readsb by its bits alone, and drops ties',
    fields: COMM_B_FIELDS,
    holds: (found) => isOfCommB(found) && (found.theirs === undefined || wasOurs(found)),
  },
  {
    text: 'ours ignores a selected altitude below 1,000 ft; others show it',
    fields: ['nav_altitude_mcp', 'nav_altitude_fms'],
    holds: ({ outcome, theirs }) => outcome === 'onlyTheirs' && Number(theirs) < 1000,
  },
  {
    text: 'our call signs contain only letters, digits and spaces',
    fields: ['flight'],
    holds: ({ theirs }) => /[^A-Z0-9 ]/.test(String(theirs ?? '')),
  },
  {
    text: 'ours uses position, speed and track of coarse TIS-B; readsb only counts its frames',
    fields: ['position', 'seen_pos', 'nic', 'rc', 'gs', 'track', 'lastPosition'],
    holds: (found) => found.outcome === 'onlyOurs' && isOfTisb(found),
  },
  {
    text: 'TIS-B carries NACp and SIL in its velocity: ours infers none from position type codes; readsb does',
    fields: ['nac_p', 'sil', 'sil_type'],
    holds: (found) => found.outcome !== 'onlyOurs' && isOfTisb(found),
  },
  {
    text: 'ours looks up NIC and Rc of TIS-B and ADS-R by their own version; readsb by the ADS-B version',
    fields: ['nic', 'rc'],
    holds: (found) => found.outcome === 'different' && (isOfTisb(found) || String(oursAt(found, 'type')).startsWith('adsr')),
  },
  {
    text: 'ours shows advisories without a known threat; readsb requires the address of the threat',
    fields: ['acas_ra'],
    holds: ({ outcome, ours }) => outcome === 'onlyOurs' && threatKind(String(ours)) !== THREAT_ADDRESS,
  },
  {
    text: 'ours shows squawk 0000; readsb reads it as no squawk',
    fields: ['squawk'],
    holds: ({ theirs, ours }) => theirs === undefined && ours === '0000',
  },
  {
    text: 'ours derives a true heading only at a known position; readsb at any last one, and at 0 N 0 E',
    fields: ['true_heading'],
    holds: (found) => found.outcome === 'onlyTheirs' && oursAt(found, 'position') === undefined,
  },
  {
    text: 'ours calculates a track after the first move of 100 m; until then readsb shows the bearing from 0 N 0 E',
    fields: ['calc_track'],
    holds: ({ outcome, tracker }) => outcome === 'onlyTheirs' && tracker.timelines.get('calc_track')?.everKnown !== true,
  },
];

/** All fields: readsb expires values once a second, so some live a little longer. */
const EXPIRY_MS = 1000;
const EXPIRED = 'ours expires a value exactly on time; others expire values once a second';

function hasJustExpired({ field, outcome, theirs, tracker, timeMs, slackMs }: FoundDifference): boolean {
  const last = tracker.timelines.get(field)?.entries.slice(-2) ?? [];
  const [before, gone] = last;
  if (outcome !== 'onlyTheirs' || before === undefined || gone === undefined) return false;
  return before.value === theirs && gone.value === undefined && gone.frame === null && timeMs - gone.timeMs <= EXPIRY_MS + slackMs;
}

/** Our value at the time of their response. */
function oursAt({ tracker, timeMs }: FoundDifference, field: string): Value | undefined {
  return tracker.timelines.get(field)?.at(timeMs)?.value;
}

/** Bits 29 and 30 of an advisory: the kind of threat in its last bytes. Annex 10 vol. IV §4.3.8.4.2.2. */
function threatKind(bytes: string): number {
  return (Number.parseInt(bytes.slice(6, 8), 16) >> 2) & 3;
}

/** True when the aircraft is a TIS-B target in ours. */
function isOfTisb(found: FoundDifference): boolean {
  return String(oursAt(found, 'type')).startsWith('tisb');
}

/** Our value came with a Comm-B reply: DF 20 or 21. */
function isOfCommB({ field, tracker, timeMs }: FoundDifference): boolean {
  const frame = tracker.timelines.get(field)?.at(timeMs)?.frame?.hex;
  return frame !== undefined && Number.parseInt(frame.slice(0, 2), 16) >> 4 === 10;
}

/** True when ours had their value shortly before. */
function wasOurs({ field, theirs, tracker }: FoundDifference): boolean {
  return tracker.timelines.get(field)?.entries.some(({ value }) => value !== undefined && value === theirs) ?? false;
}

/** All our values at about the time of their response; undefined when unknown. */
function oursAround({ tracker, timeMs, slackMs }: FoundDifference, field: string): (Value | undefined)[] {
  const entries = tracker.timelines.get(field)?.within(timeMs - slackMs, timeMs + slackMs) ?? [undefined];
  return [...entries].map((entry) => entry?.value);
}

function isLess(ours: number, theirs: number, byMost: number): boolean {
  return theirs > ours && theirs - ours <= byMost;
}

/** True when their track is a heading of ours at about the time of their response. */
function isHeading(found: FoundDifference, heading: string): boolean {
  const { theirs } = found;
  const rule = rulesByName.get('track')!;
  return theirs !== undefined && oursAround(found, heading).some((ours) => ours !== undefined && isSameValue(rule, true, ours, theirs));
}

/** True when the last frame with such a value, at about the time of their response, contained theirs. */
function wasHeard(heard: Timeline, value: Value | undefined, { timeMs, slackMs }: FoundDifference): boolean {
  return [...heard.within(timeMs - slackMs, timeMs + slackMs)].some((entry) => entry !== undefined && entry.value === value);
}

/** True when a message of the aircraft was accepted at about this time: each changes their count. */
function heardAt({ timelines }: Tracker, timeMs: number, slackMs: number): boolean {
  return timelines.get('messages')?.entries.some((entry) => Math.abs(entry.timeMs - timeMs) <= slackMs) ?? false;
}

/** The reason of a difference as text; null when none is documented. */
export function reasonFor(difference: FoundDifference): string | null {
  if (hasJustExpired(difference)) return EXPIRED;
  return reasons.find(({ fields, holds }) => fields.includes(difference.field) && holds(difference))?.text ?? null;
}

/** Why a position of theirs has no counterpart in ours. */
export function refusedByUs(tracker: Tracker, position: TheirPosition, timeMs: number, slackMs: number): string | null {
  const found = tracker.refused.some((ours) => Math.abs(ours.timeMs - timeMs) <= slackMs && isSamePosition(ours, position));
  return found ? UNPROVEN : null;
}

function isSamePosition(ours: OurPosition, theirs: TheirPosition): boolean {
  return metresBetween(ours, theirs) <= POSITION_NEAR_M;
}
