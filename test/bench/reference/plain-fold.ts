// The reference for the fold: aircraft as objects in a Map, each value an object with its source and time. It does roughly what the
// product's fold does, in the ordinary way: source ranks, expiry, duplicates, position pairs with a speed check, signal, ticks.
import {
  decodePlain,
  type PlainCpr,
  type PlainMessage,
  type PlainOperational,
  type PlainPositionReport,
  type PlainTarget,
  type PlainVelocity,
} from './plain-decoder.ts';
import { globalPosition, localPosition, type PlainCoordinates, plausible } from './plain-position.ts';

export interface PlainField<T> {
  readonly value: T;
  readonly rank: number;
  /** Seconds. */
  readonly updated: number;
}

interface PlainHalf {
  readonly cpr: PlainCpr;
  readonly t: number;
}

interface PlainPosition extends PlainCoordinates {
  readonly nic: number;
  readonly rc: number;
}

type Slot<T> = PlainField<T> | undefined;

/** The values of an aircraft that expire; all present from the start, so that all aircraft have one shape. */
function emptyFields() {
  return {
    callsign: undefined as Slot<string>,
    category: undefined as Slot<string>,
    onGround: undefined as Slot<boolean>,
    altitude: undefined as Slot<number>,
    altitudeGeom: undefined as Slot<number>,
    squawk: undefined as Slot<string>,
    alert: undefined as Slot<boolean>,
    spi: undefined as Slot<boolean>,
    emergency: undefined as Slot<number>,
    groundSpeed: undefined as Slot<number>,
    track: undefined as Slot<number>,
    heading: undefined as Slot<number>,
    ias: undefined as Slot<number>,
    tas: undefined as Slot<number>,
    baroRate: undefined as Slot<number>,
    geomRate: undefined as Slot<number>,
    navAltitudeMcp: undefined as Slot<number>,
    navAltitudeFms: undefined as Slot<number>,
    navQnh: undefined as Slot<number>,
    navHeading: undefined as Slot<number>,
    navModes: undefined as Slot<readonly string[]>,
    version: undefined as Slot<number>,
    nicA: undefined as Slot<number>,
    nicC: undefined as Slot<number>,
    nicBaro: undefined as Slot<number>,
    nacP: undefined as Slot<number>,
    nacV: undefined as Slot<number>,
    sil: undefined as Slot<number>,
    silType: undefined as Slot<string>,
    gva: undefined as Slot<number>,
    sda: undefined as Slot<number>,
    position: undefined as Slot<PlainPosition>,
  };
}

type PlainFields = ReturnType<typeof emptyFields>;

const FIELD_NAMES = Object.keys(emptyFields()) as (keyof PlainFields)[];

interface PlainAircraft {
  readonly icao: string;
  messages: number;
  seen: number;
  changed: boolean;
  readonly signals: number[];
  even: PlainHalf | undefined;
  odd: PlainHalf | undefined;
  /** Recent consistent positions; the position is shown from 2 on. */
  trust: number;
  readonly fields: PlainFields;
}

/** Output of the reference per changed aircraft. */
export type PlainState = Record<string, unknown>;

export interface PlainWorld {
  readonly aircraft: Map<string, PlainAircraft>;
  /** Time of each frame of the last second, by its hex text. */
  readonly recent: Map<string, number>;
  /** Positions accepted since the last tick. */
  positions: object[];
  second: number;
}

const STALE_S = 15;
const EXPIRE_S = 60;
const EXPIRE_LONG_S = 180;
const FORGET_S = 300;
const CONFIRMED_S = 60;
const DUPLICATE_S = 1;
const SIGNALS = 8;

export function createPlainWorld(): PlainWorld {
  return { aircraft: new Map(), recent: new Map(), positions: [], second: Number.NEGATIVE_INFINITY };
}

/** Decodes and folds one frame at `t` seconds; `onTick` gets the changed states and the positions of every second, null builds nothing. */
export function foldPlain(
  world: PlainWorld,
  bytes: Uint8Array,
  t: number,
  signal: number,
  onTick: ((states: PlainState[], positions: object[]) => void) | null,
): void {
  if (Math.floor(t) > world.second) closeSecond(world, Math.floor(t), onTick);
  const message = decodePlain(bytes);
  if (message === null) return;
  const aircraft = findAircraft(world, message, t);
  if (aircraft === undefined) return;
  aircraft.signals[aircraft.messages % SIGNALS] = signal;
  aircraft.messages += 1;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  const before = world.recent.get(hex);
  world.recent.set(hex, t);
  if (before !== undefined && t - before < DUPLICATE_S) return;
  if (message.confirmed) aircraft.seen = t;
  aircraft.changed = true;
  foldMessage(world, aircraft, message, t);
}

/** Addresses from parity count only for recently confirmed aircraft. */
function findAircraft({ aircraft }: PlainWorld, message: PlainMessage, t: number): PlainAircraft | undefined {
  const known = aircraft.get(message.icao);
  if (message.confirmed) {
    if (known !== undefined) return known;
    const made: PlainAircraft = {
      icao: message.icao,
      messages: 0,
      seen: t,
      changed: false,
      signals: [],
      even: undefined,
      odd: undefined,
      trust: 0,
      fields: emptyFields(),
    };
    aircraft.set(message.icao, made);
    return made;
  }
  return known !== undefined && t - known.seen <= CONFIRMED_S ? known : undefined;
}

/** The field after a message: the new value, unless a better source gave the old one recently or the message has none. */
function newer<T>(old: PlainField<T> | undefined, value: T | undefined, rank: number, t: number): PlainField<T> | undefined {
  if (value === undefined) return old;
  if (old !== undefined && (t < old.updated || (rank < old.rank && t - old.updated < STALE_S))) return old;
  return { value, rank, updated: t };
}

function foldMessage(world: PlainWorld, aircraft: PlainAircraft, message: PlainMessage, t: number): void {
  const { rank, capability, body } = message;
  const { fields } = aircraft;
  if (capability === 4 || capability === 5) fields.onGround = newer(fields.onGround, capability === 4, rank, t);
  switch (body.type) {
    case 'surveillance':
      // In replies only "on the ground" counts: they also report "airborne" for aircraft without a reliable switch.
      fields.onGround = newer(fields.onGround, body.onGround === false ? undefined : body.onGround, rank, t);
      fields.alert = newer(fields.alert, body.alert, rank, t);
      fields.spi = newer(fields.spi, body.spi, rank, t);
      fields.altitude = newer(fields.altitude, body.altitude, rank, t);
      fields.squawk = newer(fields.squawk, body.squawk, rank, t);
      break;
    case 'identification':
      fields.callsign = newer(fields.callsign, body.callsign, rank, t);
      fields.category = newer(fields.category, body.category, rank, t);
      break;
    case 'position':
      foldReport(fields, body, rank, t);
      if (body.cpr !== undefined) foldPosition(world, aircraft, body.typeCode, body.cpr, rank, t);
      break;
    case 'velocity':
      foldVelocity(fields, body, rank, t);
      break;
    case 'emergency':
      fields.emergency = newer(fields.emergency, body.emergency, rank, t);
      fields.squawk = newer(fields.squawk, body.squawk, rank, t);
      break;
    case 'target':
      foldTarget(fields, body, rank, t);
      break;
    case 'operational':
      foldOperational(fields, body, rank, t);
      break;
    default:
      break;
  }
}

function foldReport(fields: PlainFields, body: PlainPositionReport, rank: number, t: number): void {
  fields.onGround = newer(fields.onGround, body.onGround, rank, t);
  fields.alert = newer(fields.alert, body.alert, rank, t);
  fields.spi = newer(fields.spi, body.spi, rank, t);
  fields.altitude = newer(fields.altitude, body.altitude, rank, t);
  fields.altitudeGeom = newer(fields.altitudeGeom, body.altitudeGeom, rank, t);
  fields.groundSpeed = newer(fields.groundSpeed, body.groundSpeed, rank, t);
  fields.track = newer(fields.track, body.track, rank, t);
}

function foldVelocity(fields: PlainFields, body: PlainVelocity, rank: number, t: number): void {
  fields.groundSpeed = newer(fields.groundSpeed, body.groundSpeed, rank, t);
  fields.track = newer(fields.track, body.track, rank, t);
  fields.heading = newer(fields.heading, body.heading, rank, t);
  fields.ias = newer(fields.ias, body.ias, rank, t);
  fields.tas = newer(fields.tas, body.tas, rank, t);
  fields.baroRate = newer(fields.baroRate, body.baroRate, rank, t);
  fields.geomRate = newer(fields.geomRate, body.geomRate, rank, t);
  fields.nacV = newer(fields.nacV, body.nacV, rank, t);
  const { altitude } = fields;
  if (body.geomDelta === undefined || altitude === undefined || t - altitude.updated > STALE_S) return;
  fields.altitudeGeom = newer(fields.altitudeGeom, altitude.value + body.geomDelta, rank, t);
}

function foldTarget(fields: PlainFields, body: PlainTarget, rank: number, t: number): void {
  fields.navAltitudeMcp = newer(fields.navAltitudeMcp, body.navAltitudeMcp, rank, t);
  fields.navAltitudeFms = newer(fields.navAltitudeFms, body.navAltitudeFms, rank, t);
  fields.navQnh = newer(fields.navQnh, body.navQnh, rank, t);
  fields.navHeading = newer(fields.navHeading, body.navHeading, rank, t);
  fields.navModes = newer(fields.navModes, body.navModes, rank, t);
  foldQuality(fields, body, rank, t);
}

function foldOperational(fields: PlainFields, body: PlainOperational, rank: number, t: number): void {
  fields.version = newer(fields.version, body.version, rank, t);
  fields.nicA = newer(fields.nicA, body.nicA, rank, t);
  fields.nicC = newer(fields.nicC, body.nicC, rank, t);
  fields.nacV = newer(fields.nacV, body.nacV, rank, t);
  fields.gva = newer(fields.gva, body.gva, rank, t);
  fields.sda = newer(fields.sda, body.sda, rank, t);
  foldQuality(fields, body, rank, t);
}

function foldQuality(fields: PlainFields, body: PlainTarget | PlainOperational, rank: number, t: number): void {
  fields.nicBaro = newer(fields.nicBaro, body.nicBaro, rank, t);
  fields.nacP = newer(fields.nacP, body.nacP, rank, t);
  fields.sil = newer(fields.sil, body.sil, rank, t);
  fields.silType = newer(fields.silType, body.silType, rank, t);
}

function foldPosition(world: PlainWorld, aircraft: PlainAircraft, typeCode: number, cpr: PlainCpr, rank: number, t: number): void {
  const { fields } = aircraft;
  if (cpr.odd) aircraft.odd = { cpr, t };
  else aircraft.even = { cpr, t };
  const last = fields.position;
  const found = resolve(aircraft, cpr, t);
  if (found === undefined) return;
  if (last !== undefined && !plausible(last.value, found, t - last.updated, fields.groundSpeed?.value, cpr.surface)) {
    aircraft.trust -= 1;
    if (aircraft.trust <= 0) fields.position = undefined;
    return;
  }
  const { nic, rc } = containment(typeCode, cpr.nicB, fields.nicA?.value ?? 0);
  const { lat, lon } = found;
  const position = newer(last, { lat, lon, nic, rc }, rank, t);
  if (position === last) return;
  fields.position = position;
  aircraft.trust = Math.min(4, aircraft.trust + 1);
  if (aircraft.trust < 2) return;
  world.positions.push({
    icao: aircraft.icao,
    t,
    lat,
    lon,
    nic,
    rc,
    altitude: fields.altitude?.value,
    groundSpeed: fields.groundSpeed?.value,
    track: fields.track?.value,
    onGround: cpr.surface,
  });
}

/** From the pair if there is one, else near the last position. */
function resolve({ even, odd, fields: { position } }: PlainAircraft, cpr: PlainCpr, t: number): PlainCoordinates | undefined {
  const near = position !== undefined && t - position.updated < 600 ? position.value : undefined;
  const spanS = cpr.surface ? 25 : 10;
  if (even !== undefined && odd !== undefined && even.cpr.surface === odd.cpr.surface && Math.abs(even.t - odd.t) <= spanS) {
    const found = globalPosition(even.cpr, odd.cpr, cpr.odd, cpr.surface, near);
    if (found !== undefined) return found;
  }
  return near === undefined ? undefined : localPosition(cpr, near);
}

const NIC = new Map([
  [5, { nic: 11, rc: 8 }],
  [6, { nic: 10, rc: 25 }],
  [9, { nic: 11, rc: 8 }],
  [10, { nic: 10, rc: 25 }],
  [11, { nic: 8, rc: 186 }],
  [12, { nic: 7, rc: 371 }],
  [13, { nic: 6, rc: 926 }],
  [14, { nic: 5, rc: 1852 }],
  [15, { nic: 4, rc: 3704 }],
  [16, { nic: 2, rc: 14_816 }],
  [17, { nic: 1, rc: 37_040 }],
  [20, { nic: 11, rc: 8 }],
  [21, { nic: 10, rc: 25 }],
]);
const NIC_UNKNOWN = { nic: 0, rc: 0 };

function containment(typeCode: number, nicB: number, nicA: number): { readonly nic: number; readonly rc: number } {
  const found = NIC.get(typeCode) ?? NIC_UNKNOWN;
  const supplemented = (typeCode === 11 || typeCode === 16) && nicA === 1 && nicB === 1;
  return supplemented ? { nic: found.nic + 1, rc: Math.round(found.rc / 2) } : found;
}

/** Expires values, forgets aircraft and old frames, and hands over changes. */
function closeSecond(world: PlainWorld, t: number, onTick: ((states: PlainState[], positions: object[]) => void) | null): void {
  const states: PlainState[] = [];
  for (const [icao, aircraft] of world.aircraft) {
    if (t - aircraft.seen > FORGET_S) {
      world.aircraft.delete(icao);
      continue;
    }
    expire(aircraft, t);
    if (aircraft.changed && onTick !== null) states.push(stateOf(aircraft));
    aircraft.changed = false;
  }
  for (const [hex, heard] of world.recent) if (t - heard >= DUPLICATE_S) world.recent.delete(hex);
  onTick?.(states, world.positions);
  world.positions = [];
  world.second = t;
}

function expire(aircraft: PlainAircraft, t: number): void {
  const { fields } = aircraft;
  for (const name of FIELD_NAMES) {
    const field = fields[name];
    if (field === undefined || t - field.updated <= (name === 'callsign' || name === 'onGround' ? EXPIRE_LONG_S : EXPIRE_S)) continue;
    fields[name] = undefined;
    aircraft.changed = true;
  }
}

function stateOf({ icao, messages, seen, signals, fields }: PlainAircraft): PlainState {
  let power = 0;
  for (const signal of signals) power += (signal / 255) ** 2;
  const state: PlainState = { icao, messages, seen, rssi: 10 * Math.log10(power / signals.length) };
  for (const name of FIELD_NAMES) {
    const field = fields[name];
    if (field !== undefined) state[name] = field.value;
  }
  return state;
}
