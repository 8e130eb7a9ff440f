// The plain serialiser: one aircraft state as the object of the API. Slow and simple: the command line prints
// with it, and tests compare the arena's bytes with it. Members and their order come from the field table; one without a value is absent.
import { fieldNames, type MemberRow, memberFields, silTypeNames, sourceKinds } from '../../schemas/aircraft-fields.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { isNativeCategory, nativeType } from '../../schemas/native-members.ts';
import { advisoryObject } from './advisory.ts';
import { type AircraftFacts, type AircraftRoute, annotationMembers } from './facts.ts';

/** `native`: `/v2`, as the interface specification has it. `readsb`: `/data/aircraft.json`, as readsb's web maps read it. */
export const views = ['native', 'readsb'] as const;
export type View = (typeof views)[number];

/** Reference data and route of an aircraft. */
export interface Annotation {
  readonly facts: AircraftFacts | null;
  readonly route: AircraftRoute | null;
}

const NOTHING_KNOWN: Annotation = { facts: null, route: null };

/** An aircraft at a time, as in one of the two views. */
interface Shown {
  readonly state: AircraftState;
  readonly nowMs: number;
  readonly native: boolean;
  readonly source: string;
  /** Members from reference data and the route. */
  readonly annotation: Readonly<Record<string, unknown>>;
  /** Members of the last known position; null when there was none. */
  readonly position: Readonly<Record<string, unknown>> | null;
}

/** The value of a member; null or undefined without one. */
type MemberValue = (shown: Shown) => unknown;

const inPosition =
  (member: string): MemberValue =>
  ({ state, position }) =>
    state.positionValid ? position?.[member] : null;

const degreesOfMicrodeg = (microdeg: number | null): number | null => (microdeg === null ? null : microdeg / 1e6);

/** Members that are not just a scaled field of the state. */
const specialValues: { readonly [member: string]: MemberValue } = {
  type: ({ native, source }) => (native ? nativeType(source) : source),
  source: ({ native, source }) => (native ? source : null),
  on_ground: ({ native, state }) => (native ? state.onGround : null),
  alt_baro: ({ state }) => (state.onGround === true ? 'ground' : state.altitudeBaroFt),
  category: ({ native, state: { category } }) => (category !== null && native && !isNativeCategory(category) ? null : category),
  lat: inPosition('lat'),
  lon: inPosition('lon'),
  nic: inPosition('nic'),
  rc: inPosition('rc'),
  seen_pos: inPosition('seen_pos'),
  lastPosition: ({ state, position }) => (state.positionValid ? null : position),
  gpsOkBefore: ({ state: { gpsOkMs } }) => (gpsOkMs === null ? null : Math.round(gpsOkMs / 100) / 10),
  gpsOkLat: ({ state }) => (hasGpsOkPosition(state) ? degreesOfMicrodeg(state.gpsOkLatitudeMicrodeg) : null),
  gpsOkLon: ({ state }) => (hasGpsOkPosition(state) ? degreesOfMicrodeg(state.gpsOkLongitudeMicrodeg) : null),
  sil_type: ({ native, state: { silType } }) => (silType === null || (native && silType === 0) ? null : silTypeNames[silType]),
  acas_ra: ({ state: { acasRa } }) => (acasRa === null ? null : advisoryObject(acasRa)),
  mlat: ({ state }) => namesOf(fieldNames, state.mlatFields),
  tisb: ({ state }) => namesOf(fieldNames, state.tisbFields),
  seen: ({ state, nowMs }) => Math.round(Math.max(0, nowMs - state.seenMs) / 100) / 10,
};

/** The value function of each member, in the order of the object. */
const members: readonly { readonly member: string; readonly value: MemberValue }[] = memberFields
  .filter(({ from }) => from !== 'query')
  .map((row) => ({ member: row.member, value: specialValues[row.member] ?? plainValue(row) }));

/** The value of a member that is a field of the state, scaled or by name, or from reference data. */
function plainValue({ member, name, from, decimals, names, bits }: MemberRow): MemberValue {
  if (from === 'reference') return ({ annotation }) => annotation[member];
  const field = name as keyof AircraftState;
  const divisor = decimals === undefined ? 1 : Number(`1e${decimals}`);
  return ({ state }) => {
    const value = state[field];
    if (typeof value !== 'number') return value;
    if (names !== undefined) return names[value];
    return bits === undefined ? value / divisor : namesOf(bits, value);
  };
}

/** The aircraft object at `nowMs` (ms since the Unix epoch). Units and names: the field table. */
export function aircraftObject(
  state: AircraftState,
  nowMs: number,
  view: View,
  known: Annotation = NOTHING_KNOWN,
): Record<string, unknown> {
  const shown: Shown = {
    state,
    nowMs,
    native: view === 'native',
    source: sourceKinds[state.source] ?? 'unknown',
    annotation: annotationMembers(known.facts, known.route),
    position: positionMembers(state, nowMs),
  };
  const object: Record<string, unknown> = {};
  for (const { member, value } of members) {
    const memberValue = value(shown);
    if (memberValue !== null && memberValue !== undefined) object[member] = memberValue;
  }
  return object;
}

/** True when an aircraft is listed at `nowMs`: heard within 60 s, with a valid position or two messages (decisions G5). */
export function isListed(state: AircraftState, nowMs: number): boolean {
  const located = state.positionMs !== null && state.latitudeMicrodeg !== null && state.longitudeMicrodeg !== null;
  return nowMs - state.seenMs <= 60_000 && ((located && state.positionValid) || state.messages >= 2);
}

/** The five members of the last position, valid or not. */
function positionMembers(state: AircraftState, nowMs: number): Record<string, unknown> | null {
  const { positionMs, latitudeMicrodeg, longitudeMicrodeg } = state;
  if (positionMs === null || latitudeMicrodeg === null || longitudeMicrodeg === null) return null;
  return {
    lat: latitudeMicrodeg / 1e6,
    lon: longitudeMicrodeg / 1e6,
    nic: state.nic ?? 0,
    rc: state.rcM ?? 0,
    seen_pos: Math.max(0, nowMs - positionMs) / 1000,
  };
}

/** True when time and coordinates of the last position with good accuracy are known, while satellite navigation is lost. */
function hasGpsOkPosition({ gpsOkMs, gpsOkLatitudeMicrodeg, gpsOkLongitudeMicrodeg }: AircraftState): boolean {
  return gpsOkMs !== null && gpsOkLatitudeMicrodeg !== null && gpsOkLongitudeMicrodeg !== null;
}

/** Names whose bit is set; masks may use all 32 bits. */
function namesOf(names: readonly string[], mask: number): string[] {
  return names.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
}
