// What is known of an aircraft beside what it sends: facts of reference data, and the route of its flight. A port, so that the view knows
// no data sets, and the JSON members that the two become.
import { asciiOnly } from './text.ts';

/** Names and meanings: interface specification, decisions part 2. What is not known is absent. */
export interface AircraftFacts {
  /** `r` */
  readonly registration?: string;
  /** `t`: ICAO type designator. */
  readonly typeDesignator?: string;
  /** `desc` */
  readonly description?: string;
  /** `ownOp` */
  readonly operator?: string;
  /** `year`: four digits. */
  readonly year?: string;
  /** `dbFlags`: 1 military, 2 interesting, 4 PIA, 8 LADD; 0 is not shown. */
  readonly dbFlags: number;
}

export interface AircraftFactsSource {
  /** Grows whenever other facts may be given than before: data were loaded. */
  readonly version: number;
  /** Facts of an aircraft by its `hexKey`; null where nothing is known. Never waits. */
  facts(key: number): AircraftFacts | null;
}

/** Where a flight comes from and goes to, when that is believed. The same object for the same pair: it is compared by identity. */
export interface AircraftRoute {
  readonly originIata?: string;
  readonly destinationIata?: string;
}

/** What is longer loses its free texts, or is not shown. */
export const ANNOTATION_BYTES_MAX = 1024;

/** The members of both, in the order of the aircraft object. */
export function annotationMembers(facts: AircraftFacts | null, route: AircraftRoute | null): Record<string, unknown> {
  const members = {
    r: facts?.registration,
    t: facts?.typeDesignator,
    desc: facts?.description,
    ownOp: facts?.operator,
    year: facts?.year,
    dbFlags: facts === null || facts.dbFlags === 0 ? undefined : facts.dbFlags,
    route_origin: route?.originIata,
    route_dest: route?.destinationIata,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The members as they stand inside an object, a comma before each; empty when there are none. */
export function annotationText(facts: AircraftFacts | null, route: AircraftRoute | null): string {
  const members = annotationMembers(facts, route);
  if (Object.keys(members).length === 0) return '';
  const { desc, ownOp, ...short } = members;
  return [membersJson(members), membersJson(short)].find((json) => json.length <= ANNOTATION_BYTES_MAX) ?? '';
}

function membersJson(members: Record<string, unknown>): string {
  return `,${asciiOnly(JSON.stringify(members)).slice(1, -1)}`;
}
