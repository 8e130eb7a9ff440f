// One live flight, by call sign, else registration, else address.
import { hexKey, keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { present } from '../../pipeline/flights/airports.ts';
import { type Listing, plainText } from '../../pipeline/view/listing.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { unknownName } from './errors.ts';
import { isAirborne } from './flight-status.ts';

/** Kinds of identifiers, in the order of lookup. */
export const matchers = ['callsign', 'registration', 'hex'] as const;

export interface Match {
  /** Number of the aircraft in the listing. */
  readonly i: number;
  readonly matchedBy: (typeof matchers)[number];
}

/**
 * Aircraft that match an identifier, the likeliest first; each once. An aircraft in the air comes before one on the ground, then the last heard one.
 * Error: `api.flight_not_found`.
 */
export function findFlight(snapshot: Snapshot, identifier: string): readonly [Match, ...Match[]] {
  const { listing } = snapshot;
  const text = plainText(identifier);
  const key = hexKey(identifier.trim());
  const groups: readonly [Match['matchedBy'], readonly number[]][] = [
    ['callsign', listing.by('flight').get(text) ?? []],
    ['registration', listing.by('registration').get(text) ?? []],
    ['hex', key < 0 ? [] : [...snapshot.find([key]).indices]],
  ];
  const seen = new Set<number>();
  const matches: Match[] = [];
  for (const [matchedBy, indices] of groups) {
    const sorted = [...indices].sort(
      (a, b) => Number(isAirborne(listing, b)) - Number(isAirborne(listing, a)) || listing.seenMs[b]! - listing.seenMs[a]!,
    );
    for (const i of sorted) if (!seen.has(i)) matches.push({ i, matchedBy });
    for (const i of indices) seen.add(i);
  }
  const [likeliest, ...others] = matches;
  if (likeliest === undefined) throw unknownName('api.flight_not_found', 'identifier', identifier);
  return [likeliest, ...others];
}

/** A match that is shown in short form. */
export function alternative(listing: Listing, { i, matchedBy }: Match): Record<string, unknown> {
  return present({
    hex: keyHex(listing.columns.key[i]!),
    flight: listing.flights[i] ?? undefined,
    r: listing.facts[i]?.registration,
    matched_by: matchedBy,
  });
}
