// Facts of an aircraft that its messages do not carry: reference data, and the route of its flight. A port, so that the view does not
// depend on data sets, and the JSON members for both.
import { limits } from '../../schemas/limits/index.ts';
import { asciiOnly } from './text.ts';

/** Names and meanings: interface specification, decisions part 2. Unknown members are absent. */
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
  /** Increases whenever results may change: new data were loaded. */
  readonly version: number;
  /** Facts of an aircraft by its `hexKey`; null when nothing is known. Synchronous. */
  facts(key: number): AircraftFacts | null;
}

/** Origin and destination of a flight, if plausible. The same object for the same pair: compared by identity. */
export interface AircraftRoute {
  readonly originIata?: string;
  readonly destinationIata?: string;
}

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

/** The members as JSON text inside an object, a comma before each; empty when there are none. */
export function annotationText(facts: AircraftFacts | null, route: AircraftRoute | null): string {
  const members = annotationMembers(facts, route);
  const { desc, ownOp, ...short } = members;
  return [membersJson(members), membersJson(short)].find((json) => json.length <= limits.annotationBytesMax) ?? '';
}

/** The members of `annotationText`. */
export function shownAnnotation(facts: AircraftFacts | null, route: AircraftRoute | null): Record<string, unknown> {
  const json = annotationText(facts, route);
  return json === '' ? {} : (JSON.parse(`{${json.slice(1)}}`) as Record<string, unknown>);
}

function membersJson(members: Record<string, unknown>): string {
  if (Object.keys(members).length === 0) return '';
  return `,${asciiOnly(JSON.stringify(members)).slice(1, -1)}`;
}
