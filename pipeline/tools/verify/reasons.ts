// Differences with a documented reason: known behaviour of other programs. Each reason is recognised from the frames that our side heard,
// so narrowly that it would not hide a defect of ours. README.md lists the reasons; an unexplained difference counts.

import {
  entriesAround,
  entryAt,
  type FoundDifference,
  heardAt,
  isComputedNow,
  isFromOrigin,
  isHeading,
  isInOursAsInTheirs,
  isJustProven,
  isOfBadReceiver,
  isOfCommB,
  isOfNewestAltitude,
  isOfOtherReceiver,
  isOfReply,
  isOfTisb,
  isOutOfRange,
  isSamePosition,
  LEVELS_MEANT,
  oursAround,
  oursAt,
  unlike,
  wasHeard,
  wasOurs,
  wasRefusedLately,
} from './evidence.ts';
import { fieldRules, isSameValue, rulesByName } from './fields.ts';
import { commBFields, type Tracker } from './ours.ts';
import type { TheirPosition } from './theirs.ts';

interface Reason {
  readonly text: string;
  readonly fields: readonly string[];
  readonly holds: (difference: FoundDifference) => boolean;
}

const UNPROVEN =
  'ours resolves the same position and shows it only after two pairs of positions agree (as readsb does for aggregators); others show the first';

/** The largest step of movement codes, from 100 kt on; DO-260B table 2-17. */
const LARGEST_GROUND_STEP_KT = 5;

/** The threat is identified by its address. */
const THREAT_ADDRESS = 1;

/** The next altitude or difference of altitudes comes within this time, also when frames ended 2 s before. */
const GEOMETRIC_MS = 5000;

/** Time for which winds and temperatures are shown after the values that they are computed from. */
const COMPUTED_MS = 60_000;

/** Fields that a message with a position changes, and the kind, which an aircraft without a position has, too. */
const POSITION_FIELDS = 'type position seen_pos seen nic rc messages rssi alt_baro alt_geom version sil nac_p true_heading'.split(' ');

const reasons: readonly Reason[] = [
  {
    text: 'readsb takes no position more than 450 nmi from its location (--max-range; track.c), and nothing else of its message',
    fields: POSITION_FIELDS,
    holds: isOutOfRange,
  },
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
    text: 'ours shows a squawk after two receptions at least 750 ms apart (as readsb does, by its own clock, and not from the first message of an aircraft on); others show the first',
    fields: ['squawk'],
    holds: (found) =>
      found.theirs === undefined ? isJustProven(found) : wasHeard(found.tracker.squawksHeard, Number(found.theirs), found),
  },
  {
    text: 'ours shows an altitude after a second one confirms it (as readsb does); others show the first',
    fields: ['alt_baro'],
    holds: (found) => oursAround(found, 'alt_baro').includes(undefined) && wasHeard(found.tracker.altitudesHeard, found.theirs, found),
  },
  {
    text: 'readsb with --net-receiver-id trusts the altitude of a reply after 10 s without one only with the next one (track.c, accept_alt)',
    fields: ['alt_baro'],
    holds: (found) => found.outcome === 'onlyOurs' && isOfReply(found),
  },
  {
    text: 'an aircraft of kind Mode S or with an address that is not of ICAO loses its ADS-B version every 45 s until its next status message (as in readsb); which message ends the 45 s depends on milliseconds (track.c, update addrtype)',
    fields: ['version', 'sil', 'nac_p'],
    holds: (found) => ['mode_s', 'adsb_other'].includes(String(oursAt(found, 'type'))),
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
      oursAround(found, 'alt_baro').includes('ground') && Math.abs(Number(found.theirs) - Number(found.ours)) <= LARGEST_GROUND_STEP_KT / 2,
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
    text: 'ours drops what other receivers have passed on, and while a position is fresh takes other data only from those that corroborate it: the value is that of the same frames from one receiver (readsb without --net-receiver-id; with it readsb drops duplicates of positions alone, and counts the receivers whose copy was the first; track.c)',
    fields: fieldRules.map(({ name }) => name),
    holds: (found) => {
      const rule = rulesByName.get(found.field)!;
      const values = entriesAround(found.asOne?.timelines.get(found.field), found);
      if (rule.kind === 'count')
        return values.some(
          (most) => Number(found.ours) <= Number(found.theirs) && Number(found.theirs) <= Number(most) + found.asOne!.undone,
        );
      if (isOfOtherReceiver(found) && (found.theirs === undefined || wasOurs(found))) return true;
      return values.some((value) =>
        value === undefined || found.theirs === undefined
          ? value === found.theirs
          : isSameValue(rule, found.aircraft.coarse, value, found.theirs),
      );
    },
  },
  {
    text: 'readsb with --net-receiver-id takes nothing from a receiver for 12 s after six impossible positions (receiver.c)',
    fields: fieldRules.map(({ name }) => name),
    holds: isOfBadReceiver,
  },
  {
    text: 'ours drops a frame with an impossible or repeated position (as readsb does); others count it',
    fields: ['messages'],
    holds: (found) =>
      oursAround(found, 'messages').some((ours) => {
        const more = Number(found.theirs) - Number(ours);
        return more > 0 && more <= found.tracker.undone;
      }),
  },
  {
    text: 'ours drops a position with the coordinates of a moment before in 0.000001 degrees; readsb compares more digits (track.c, duplicate_check)',
    fields: ['seen_pos', 'seen', 'rssi'],
    holds: (found) =>
      found.field === 'rssi'
        ? wasRefusedLately(found)
        : found.tracker.refused.some(({ timeMs }) => Math.abs(timeMs - Number(found.theirs)) <= found.slackMs),
  },
  {
    text: 'a wind is computed at most once a second, and as temperatures from speeds of the last 2.5 s and directions of the last 1.25 s (as in readsb): milliseconds decide from which messages',
    fields: ['wind', 'oat', 'tat'],
    holds: isComputedNow,
  },
  {
    text: 'readsb expires the difference of altitudes once a second: a geometric altitude that it computes meanwhile lives for another minute (track.c)',
    fields: ['alt_geom'],
    holds: ({ outcome, theirs, tracker, timeMs }) => {
      const [before, gone] = tracker.timelines.get('alt_geom')?.entries.slice(-2) ?? [];
      return outcome === 'onlyTheirs' && before?.value === theirs && gone!.value === undefined && timeMs - gone!.timeMs <= COMPUTED_MS;
    },
  },
  {
    text: 'no geometric altitude is computed (in ours as in readsb) when the altitude and the difference of altitudes came in one millisecond: that of before stays until the next of either (track.c)',
    fields: ['alt_geom'],
    holds: (found) =>
      found.outcome === 'different' &&
      found.timeMs - entryAt(found)!.timeMs <= GEOMETRIC_MS &&
      (wasOurs(found) || isOfNewestAltitude(found)),
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
    fields: [...commBFields],
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
    text: 'TIS-B carries NACp, and NACv and SIL only without a difference of altitudes, in its velocity (DO-260B 2.2.17.3.4); readsb reads NACv where ADS-B has it, and infers NACp and SIL from position type codes (mode_s.c, track.c)',
    fields: ['nac_p', 'nac_v', 'sil', 'sil_type'],
    holds: (found) => found.outcome !== 'onlyOurs' && isOfTisb(found),
  },
  {
    text: 'the list of values from TIS-B has those that differ for a reason of their own',
    fields: ['tisb'],
    holds: (found) =>
      unlike(found.theirs, found.ours).every(
        (name) => found.tracker.timelines.get(name)?.explainedMs === found.timeMs || isInOursAsInTheirs(name, found),
      ),
  },
  {
    text: 'ours looks up NIC and Rc of TIS-B and ADS-R by their own version; readsb by the ADS-B version',
    fields: ['nic', 'rc'],
    holds: (found) => found.outcome === 'different' && (isOfTisb(found) || String(oursAt(found, 'type')).startsWith('adsr')),
  },
  {
    text: 'ours shows advisories without a known threat; readsb requires the address of the threat',
    fields: ['acas_ra'],
    // Bits 29 and 30 of an advisory: the kind of threat in its last bytes. Annex 10 vol. IV §4.3.8.4.2.2.
    holds: ({ outcome, ours }) => outcome === 'onlyOurs' && ((Number.parseInt(String(ours).slice(6, 8), 16) >> 2) & 3) !== THREAT_ADDRESS,
  },
  {
    text: 'ours shows squawk 0000; readsb reads it as no squawk',
    fields: ['squawk'],
    holds: ({ theirs, ours }) => theirs === undefined && ours === '0000',
  },
  {
    text: 'ours derives a true heading only at a known position; readsb at any last one, at 0 N 0 E before the first, and with the declination of up to 5 s before (track.c)',
    fields: ['true_heading'],
    holds: (found) => {
      const { positionsSinceMs } = found.tracker;
      return positionsSinceMs === null || found.timeMs - positionsSinceMs <= COMPUTED_MS || oursAt(found, 'position') === undefined;
    },
  },
  {
    text: 'it is computed from values that differ, or did within the last minute, for a reason of their own',
    fields: [...rulesByName.values()].flatMap(({ name, inputs }) => (inputs === undefined ? [] : [name])),
    holds: ({ field, tracker, timeMs }) =>
      rulesByName.get(field)!.inputs!.some((name) => timeMs - (tracker.timelines.get(name)?.explainedMs ?? 0) <= COMPUTED_MS),
  },
  {
    text: 'ours calculates a track after the first move of 100 m; until then readsb shows the bearing from 0 N 0 E to the first position',
    fields: ['calc_track'],
    holds: isFromOrigin,
  },
];

/** All fields: readsb expires values once a second, and what it writes may be a second old. */
const EXPIRY_MS = 2000;
const EXPIRED = 'ours expires a value exactly on time; others expire values once a second, and write them up to a second later';

function hasJustExpired({ field, outcome, theirs, aircraft, tracker, asOne, timeMs, slackMs }: FoundDifference): boolean {
  if (outcome !== 'onlyTheirs') return false;
  return [tracker, asOne].some((side) => {
    const [before, gone] = side?.timelines.get(field)?.entries.slice(-2) ?? [];
    if (before === undefined || gone === undefined) return false;
    const isTheirs =
      before.value !== undefined && theirs !== undefined && isSameValue(rulesByName.get(field)!, aircraft.coarse, before.value, theirs);
    return isTheirs && gone.value === undefined && timeMs - gone.timeMs <= EXPIRY_MS + slackMs;
  });
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
