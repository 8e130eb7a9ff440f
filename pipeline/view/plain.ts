// The plain serialiser: one aircraft state as the object that the API shows. Slow and obviously right: the command line prints
// with it, and tests compare the arena's bytes with it. Field order is readsb's; a value that is not known has no member.
import {
  type AircraftState,
  emergencyNames,
  fieldNames,
  navModeNames,
  silTypeNames,
  sourceKinds,
} from '../../schemas/avro/aircraft-state.ts';
import { advisoryObject } from './advisory.ts';
import { type AircraftFacts, type AircraftRoute, annotationMembers } from './facts.ts';

/** `native`: `/v2`, as the interface specification has it. `readsb`: `/data/aircraft.json`, as readsb's web maps read it. */
export type View = 'native' | 'readsb';

/** Categories that the native view shows: A1 to A7, B1 to B7, C1 to C3. */
export function isNativeCategory(category: string): boolean {
  return /^(?:[AB][1-7]|C[1-3])$/.test(category);
}

/** The native `type` of a source; undefined where none of the four applies. */
export function nativeType(source: string): string | undefined {
  if (source.startsWith('adsb_')) return 'adsb_icao';
  if (source.startsWith('adsr_')) return 'adsr';
  if (source.startsWith('tisb_')) return 'tisb';
  return source === 'mlat' ? 'mlat' : undefined;
}

/** What is known of an aircraft beside its state. */
export interface Annotation {
  readonly facts: AircraftFacts | null;
  readonly route: AircraftRoute | null;
}

const NOTHING_KNOWN: Annotation = { facts: null, route: null };

/** The aircraft object at `nowMs` (ms since the Unix epoch). Units and names: the interface specification, decisions G2 and G3. */
export function aircraftObject(
  state: AircraftState,
  nowMs: number,
  view: View,
  known: Annotation = NOTHING_KNOWN,
): Record<string, unknown> {
  const native = view === 'native';
  const source = sourceKinds[state.source] ?? 'unknown';
  const head = native ? { type: nativeType(source), source, on_ground: state.onGround } : { type: source };
  const category = state.category !== null && native && !isNativeCategory(state.category) ? null : state.category;
  const silType = state.silType === null ? null : silTypeNames[state.silType];
  const object: Record<string, unknown> = {
    hex: state.hex,
    ...head,
    flight: state.flight,
    ...annotationMembers(known.facts, known.route),
    alt_baro: state.onGround === true ? 'ground' : state.altitudeBaroFt,
    alt_geom: state.altitudeGeomFt,
    gs: scaled(state.groundSpeedDeciKt, 10),
    ias: state.iasKt,
    tas: state.tasKt,
    mach: scaled(state.machMilli, 1000),
    wd: state.windDirectionDeg,
    ws: state.windSpeedKt,
    oat: state.oatC,
    tat: state.tatC,
    track: scaled(state.trackCentideg, 100),
    calc_track: state.calcTrackDeg,
    track_rate: scaled(state.trackRateCentidegPerS, 100),
    roll: scaled(state.rollCentideg, 100),
    mag_heading: scaled(state.magHeadingCentideg, 100),
    true_heading: scaled(state.trueHeadingCentideg, 100),
    baro_rate: state.baroRateFpm,
    geom_rate: state.geomRateFpm,
    squawk: state.squawk,
    emergency: state.emergency === null ? null : emergencyNames[state.emergency],
    category,
    nav_qnh: scaled(state.navQnhDeciHpa, 10),
    nav_altitude_mcp: state.navAltitudeMcpFt,
    nav_altitude_fms: state.navAltitudeFmsFt,
    nav_heading: scaled(state.navHeadingCentideg, 100),
    nav_modes: state.navModes === null ? null : namesOf(navModeNames, state.navModes),
    ...positionMembers(state, nowMs),
    ...gpsMembers(state),
    version: state.version,
    nic_baro: state.nicBaro,
    nac_p: state.nacP,
    nac_v: state.nacV,
    sil: state.sil,
    sil_type: native && silType === 'unknown' ? null : silType,
    gva: state.gva,
    sda: state.sda,
    alert: state.alert,
    spi: state.spi,
    acas_ra: state.acasRa === null ? null : advisoryObject(state.acasRa),
    mlat: namesOf(fieldNames, state.mlatFields),
    tisb: namesOf(fieldNames, state.tisbFields),
    messages: state.messages,
    seen: Math.round(Math.max(0, nowMs - state.seenMs) / 100) / 10,
    rssi: state.rssiDeciDbfs / 10,
  };
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(object)) if (object[name] !== null && object[name] !== undefined) shown[name] = object[name];
  return shown;
}

/** Whether an aircraft is listed at `nowMs`: it has a valid position, or two messages, one within 60 s (decisions G5). */
export function isListed(state: AircraftState, nowMs: number): boolean {
  const located = state.positionMs !== null && state.latitudeMicrodeg !== null && state.longitudeMicrodeg !== null;
  return (located && state.positionValid) || (state.messages >= 2 && nowMs - state.seenMs <= 60_000);
}

/** The five members of a valid position, or the last position, or nothing. */
function positionMembers(state: AircraftState, nowMs: number): Record<string, unknown> {
  const { positionMs, latitudeMicrodeg, longitudeMicrodeg } = state;
  if (positionMs === null || latitudeMicrodeg === null || longitudeMicrodeg === null) return {};
  const position = {
    lat: latitudeMicrodeg / 1e6,
    lon: longitudeMicrodeg / 1e6,
    nic: state.nic ?? 0,
    rc: state.rcM ?? 0,
    seen_pos: Math.max(0, nowMs - positionMs) / 1000,
  };
  return state.positionValid ? position : { lastPosition: position };
}

/** When and where satellite navigation still worked, while it does not. */
function gpsMembers({ gpsOkMs, gpsOkLatitudeMicrodeg, gpsOkLongitudeMicrodeg }: AircraftState): Record<string, unknown> {
  if (gpsOkMs === null) return {};
  const time = { gpsOkBefore: Math.round(gpsOkMs / 100) / 10 };
  if (gpsOkLatitudeMicrodeg === null || gpsOkLongitudeMicrodeg === null) return time;
  return { ...time, gpsOkLat: gpsOkLatitudeMicrodeg / 1e6, gpsOkLon: gpsOkLongitudeMicrodeg / 1e6 };
}

function scaled(value: number | null, divisor: number): number | null {
  return value === null ? null : value / divisor;
}

/** Names whose bit is set; masks may use all 32 bits. */
function namesOf(names: readonly string[], mask: number): string[] {
  return names.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
}
