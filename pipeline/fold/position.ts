// Positions: pairing CPR frames, decoding them globally or near a known place, and taking the result when it is plausible.
// Pairs: DO-260B §2.2.10.3 (airborne 10 s; surface 25 s, 50 s when slow). Reliability: reliability.ts. Speed check: plausibility.ts.
import { type Containment, containment } from '../decode/containment.ts';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface } from '../decode/cpr.ts';
import { ABSENT, KIND_SURFACE_POSITION, type Message } from '../decode/message.ts';
import { accept, fieldSource, fieldTime, fieldValue, isValid, type Reception, wouldAccept } from './accept.ts';
import { distanceBetweenM } from './geometry.ts';
import {
  type AircraftTable,
  B_EVEN_NIC,
  B_EVEN_TYPE,
  B_LOCAL_ALLOWED,
  B_ODD_NIC,
  B_ODD_TYPE,
  B_POSITION_NIC,
  B_RECEIVER_NEXT,
  B_RELIABLE_NIC,
  CPR_AIRBORNE,
  CPR_SURFACE,
  F_AIR_GROUND,
  F_CPR_EVEN,
  F_CPR_ODD,
  F_GROUND_SPEED,
  F_NIC_A,
  F_NIC_C,
  F_POSITION,
  F_RELIABLE,
  GROUND,
  H_POSITION_RECEIVERS,
  halfAt,
  POSITION_RECEIVERS,
  SOURCES,
  STRIDE_BYTES,
  STRIDE_WORDS,
  VALUES,
  X_CALC_TRACK,
  X_DISCARDED_LATITUDE,
  X_DISCARDED_LONGITUDE,
  X_DISCARDED_TIME,
  X_EVEN_LONGITUDE,
  X_EVEN_RC,
  X_LONGITUDE,
  X_ODD_LONGITUDE,
  X_ODD_RC,
  X_POSITION_RECEIVER,
  X_POSITION_SPEED,
  X_PREVIOUS_LATITUDE,
  X_PREVIOUS_LONGITUDE,
  X_PREVIOUS_TIME,
  X_RC,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
} from './layout.ts';
import { BOGUS, Check, checkPosition, foldDoubts, IMPLAUSIBLE, PLAUSIBLE, REPEATED } from './plausibility.ts';
import { countBad, countDecode, fadeReliability, isReliable } from './reliability.ts';
import { setKind } from './source.ts';

const PAIR_AIRBORNE_MS = 10_000;
const PAIR_SURFACE_MS = 25_000;
const PAIR_SURFACE_SLOW_MS = 50_000;
const SLOW_DECI_KT = 250;
/** A surface pair fixes a place in a quarter of the globe; one this far from the reference took the wrong quarter. */
const SURFACE_REFERENCE_M_MAX = 450_000;
const LOCAL_AGE_MS_MAX = 600_000;
/** In 10 minutes an airliner flies no farther, and the next candidate lies 260 nm beyond. */
const LOCAL_DISTANCE_M_MAX = 185_200;
/** A receiver hears 300 nm at most, so from it only the nearest 60 nm are certain: cells repeat every 360 nm. */
const RECEIVER_DISTANCE_M_MAX = 111_120;
const CALC_TRACK_M = 100;
const SAME_PLACE_M = 20;
const SAME_PLACE_MS = 600_000;

const HOW_NONE = 0;
const HOW_GLOBAL = 1;
const HOW_LOCAL = 2;

/** Where a surface pair or a lone frame may be decoded against; null when unknown. */
export interface Place {
  readonly latitudeMicrodeg: number;
  readonly longitudeMicrodeg: number;
}

/** What became of a position; made once, overwritten by each. */
export class PositionOutcome implements CprResult, Containment {
  /** The frame's CPR gave a place, plausible or not. */
  resolved = false;
  latitudeMicrodeg = 0;
  longitudeMicrodeg = 0;
  nic = 0;
  rcM = 0;
  /** The place cannot be true: nothing of the frame should be used. */
  implausible = false;
  /** It is the aircraft's new position, and reliable. */
  accepted = false;
  /** It was taken from a pair of frames. */
  global = false;
  readonly check = new Check();
  readonly candidate: CprResult & Containment = { latitudeMicrodeg: 0, longitudeMicrodeg: 0, nic: 0, rcM: 0 };
}

/** Works on the CPR part of a position message. Call before the rest of the message is folded: an implausible one counts for nothing. */
export function foldPosition(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  message: Message,
  receiver: Place | null,
  out: PositionOutcome,
): void {
  out.resolved = false;
  out.implausible = false;
  out.accepted = false;
  const { position } = message;
  if (position.cprLat === ABSENT) return;
  const field = position.odd ? F_CPR_ODD : F_CPR_EVEN;
  if (!wouldAccept(table, slot, field, reception)) return;
  fadeReliability(table, slot, reception.now);
  const { candidate } = out;
  containmentOf(table, slot, reception, message, candidate);

  const how = resolve(table, slot, reception, message, receiver, out);
  if (how === HOW_NONE) {
    store(table, slot, reception, message, candidate);
    return;
  }
  out.resolved = true;
  out.global = how === HOW_GLOBAL;
  const surface = message.kind === KIND_SURFACE_POSITION && isOnGround(table, slot, reception.now);
  const { latitudeMicrodeg: latitude, longitudeMicrodeg: longitude } = out;
  const verdict = checkPosition(table, slot, reception, latitude, longitude, position.cprLat, position.cprLon, surface, out.check);
  if (verdict !== PLAUSIBLE && verdict !== REPEATED && verdict !== BOGUS) {
    out.implausible = true;
    if (reception.source >= fieldSource(table, slot, F_POSITION) && verdict === IMPLAUSIBLE) {
      discard(table, slot, reception, message, candidate);
      foldDoubts(table, slot, out.check);
    }
    return;
  }
  store(table, slot, reception, message, candidate);
  if (verdict === PLAUSIBLE) take(table, slot, reception, message, out);
}

/** The aircraft is known to be on the ground. */
export function isOnGround(table: AircraftTable, slot: number, now: number): boolean {
  return fieldValue(table, slot, F_AIR_GROUND) === GROUND && isValid(table, slot, F_AIR_GROUND, now);
}

/** True when this receiver gave one of the aircraft's last positions. */
export function gavePosition(table: AircraftTable, slot: number, receiver: number): boolean {
  const at = halfAt(slot, H_POSITION_RECEIVERS);
  for (let i = 0; i < POSITION_RECEIVERS; i += 1) if (table.halves[at + i] === receiver) return true;
  return false;
}

/** NIC and Rc of the frame's own position. */
function containmentOf(table: AircraftTable, slot: number, reception: Reception, message: Message, out: Containment): void {
  const { now } = reception;
  const nicA = isValid(table, slot, F_NIC_A, now) ? fieldValue(table, slot, F_NIC_A) : 0;
  const nicC = isValid(table, slot, F_NIC_C, now) ? fieldValue(table, slot, F_NIC_C) : 0;
  containment(message.typeCode, Math.max(0, reception.version), nicA, message.position.nicB, nicC, out);
}

function resolve(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  message: Message,
  receiver: Place | null,
  out: PositionOutcome,
): number {
  if (isPair(table, slot, reception, message) && resolveGlobal(table, slot, message, receiver, out)) return HOW_GLOBAL;
  return resolveLocal(table, slot, reception, message, receiver, out) ? HOW_LOCAL : HOW_NONE;
}

/** Is there a frame of the other parity that goes with this one? */
function isPair(table: AircraftTable, slot: number, reception: Reception, message: Message): boolean {
  const { position } = message;
  const other = position.odd ? F_CPR_EVEN : F_CPR_ODD;
  const type = table.bytes[slot * STRIDE_BYTES + (position.odd ? B_EVEN_TYPE : B_ODD_TYPE)];
  if (type !== cprType(message) || fieldSource(table, slot, other) !== reception.source) return false;
  const apart = Math.abs(reception.now - fieldTime(table, slot, other));
  if (type === CPR_AIRBORNE) return apart <= PAIR_AIRBORNE_MS;
  const speed = reception.version === 2 ? position.groundSpeedDeciKt : position.groundSpeedV0DeciKt;
  return apart <= (speed !== ABSENT && speed <= SLOW_DECI_KT ? PAIR_SURFACE_SLOW_MS : PAIR_SURFACE_MS);
}

function resolveGlobal(table: AircraftTable, slot: number, message: Message, receiver: Place | null, out: PositionOutcome): boolean {
  const { words, bytes } = table;
  const at = slot * STRIDE_WORDS;
  const { odd, cprLat, cprLon } = message.position;
  const otherLat = fieldValue(table, slot, odd ? F_CPR_EVEN : F_CPR_ODD);
  const otherLon = words[at + (odd ? X_EVEN_LONGITUDE : X_ODD_LONGITUDE)]!;
  const evenLat = odd ? otherLat : cprLat;
  const evenLon = odd ? otherLon : cprLon;
  const oddLat = odd ? cprLat : otherLat;
  const oddLon = odd ? cprLon : otherLon;
  if (cprType(message) === CPR_SURFACE) {
    if (!resolveSurfacePair(table, slot, evenLat, evenLon, oddLat, oddLon, odd, receiver, out)) return false;
  } else if (!cprGlobalAirborne(evenLat, evenLon, oddLat, oddLon, odd, out)) {
    return false;
  }
  // The pair is as good as the worse of its frames; an Rc of 0 is unknown and worst.
  const otherNic = bytes[slot * STRIDE_BYTES + (odd ? B_EVEN_NIC : B_ODD_NIC)]!;
  const otherRc = words[at + (odd ? X_EVEN_RC : X_ODD_RC)]!;
  const { nic, rcM } = out.candidate;
  out.nic = Math.min(nic, otherNic);
  out.rcM = rcM === 0 || otherRc === 0 ? 0 : Math.max(rcM, otherRc);
  return true;
}

function resolveSurfacePair(
  table: AircraftTable,
  slot: number,
  evenLat: number,
  evenLon: number,
  oddLat: number,
  oddLon: number,
  odd: boolean,
  receiver: Place | null,
  out: PositionOutcome,
): boolean {
  let latitude = receiver?.latitudeMicrodeg ?? 0;
  let longitude = receiver?.longitudeMicrodeg ?? 0;
  if (receiver === null) {
    if (fieldSource(table, slot, F_RELIABLE) === 0 || table.bytes[slot * STRIDE_BYTES + B_LOCAL_ALLOWED] === 0) return false;
    latitude = fieldValue(table, slot, F_RELIABLE);
    longitude = table.words[slot * STRIDE_WORDS + X_RELIABLE_LONGITUDE]!;
  }
  if (!cprGlobalSurface(evenLat, evenLon, oddLat, oddLon, odd, latitude, longitude, out)) return false;
  return distanceBetweenM(latitude, longitude, out.latitudeMicrodeg, out.longitudeMicrodeg) <= SURFACE_REFERENCE_M_MAX;
}

/** Near the aircraft's last position, else near the receiver; never changes how far positions are believed. */
function resolveLocal(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  message: Message,
  receiver: Place | null,
  out: PositionOutcome,
): boolean {
  const surface = cprType(message) === CPR_SURFACE;
  let latitude: number;
  let longitude: number;
  let limitM: number;
  const ownAge = reception.now - fieldTime(table, slot, F_POSITION);
  if (table.bytes[slot * STRIDE_BYTES + B_LOCAL_ALLOWED] === 1 && ownAge < LOCAL_AGE_MS_MAX) {
    latitude = fieldValue(table, slot, F_POSITION);
    longitude = table.words[slot * STRIDE_WORDS + X_LONGITUDE]!;
    limitM = LOCAL_DISTANCE_M_MAX;
  } else if (receiver !== null && !surface) {
    latitude = receiver.latitudeMicrodeg;
    longitude = receiver.longitudeMicrodeg;
    limitM = RECEIVER_DISTANCE_M_MAX;
  } else {
    return false;
  }
  const { odd, cprLat, cprLon } = message.position;
  const found = surface
    ? cprLocalSurface(cprLat, cprLon, odd, latitude, longitude, out)
    : cprLocalAirborne(cprLat, cprLon, odd, latitude, longitude, out);
  if (!found || distanceBetweenM(latitude, longitude, out.latitudeMicrodeg, out.longitudeMicrodeg) > limitM) return false;
  out.nic = out.candidate.nic;
  out.rcM = out.candidate.rcM;
  return true;
}

/** Keeps the frame as one half of the next pair. */
function store(table: AircraftTable, slot: number, reception: Reception, message: Message, own: Containment): void {
  const { odd, cprLat, cprLon } = message.position;
  if (!accept(table, slot, odd ? F_CPR_ODD : F_CPR_EVEN, reception)) return;
  const { words, bytes } = table;
  const at = slot * STRIDE_WORDS;
  const byte = slot * STRIDE_BYTES;
  words[at + VALUES + 2 * (odd ? F_CPR_ODD : F_CPR_EVEN)] = cprLat;
  words[at + (odd ? X_ODD_LONGITUDE : X_EVEN_LONGITUDE)] = cprLon;
  words[at + (odd ? X_ODD_RC : X_EVEN_RC)] = own.rcM;
  bytes[byte + (odd ? B_ODD_NIC : B_EVEN_NIC)] = own.nic;
  bytes[byte + (odd ? B_ODD_TYPE : B_EVEN_TYPE)] = cprType(message);
}

/** An implausible position weakens the old one. When that has no support left, this frame begins the next pair. */
function discard(table: AircraftTable, slot: number, reception: Reception, message: Message, own: Containment): void {
  const at = slot * STRIDE_WORDS;
  table.words[at + X_DISCARDED_LATITUDE] = message.position.cprLat;
  table.words[at + X_DISCARDED_LONGITUDE] = message.position.cprLon;
  table.words[at + X_DISCARDED_TIME] = reception.now;
  if (!countBad(table, slot)) return;
  table.bytes[slot * STRIDE_BYTES + SOURCES + F_CPR_EVEN] = 0;
  table.bytes[slot * STRIDE_BYTES + SOURCES + F_CPR_ODD] = 0;
  store(table, slot, reception, message, own);
}

/** Makes a plausible place the aircraft's position, and its reliable position when it is one. */
function take(table: AircraftTable, slot: number, reception: Reception, message: Message, out: PositionOutcome): void {
  const { words, bytes } = table;
  const at = slot * STRIDE_WORDS;
  const byte = slot * STRIDE_BYTES;
  const { now } = reception;
  const before = fieldTime(table, slot, F_POSITION);
  const lesser = reception.source < fieldSource(table, slot, F_POSITION);
  if (lesser && now < before + SAME_PLACE_MS && out.check.distanceM < SAME_PLACE_M) return;
  const beforeLatitude = fieldValue(table, slot, F_POSITION);
  if (!accept(table, slot, F_POSITION, reception)) return;
  foldDoubts(table, slot, out.check);
  const { latitudeMicrodeg: latitude, longitudeMicrodeg: longitude } = out;
  if (out.global) countDecode(table, slot, reception, message.position.odd, latitude, longitude);
  if (out.check.distanceM >= CALC_TRACK_M) words[at + X_CALC_TRACK] = Math.floor(out.check.bearingDeg * 100 + 0.5) % 36_000;
  words[at + X_POSITION_SPEED] = isValid(table, slot, F_GROUND_SPEED, now) ? fieldValue(table, slot, F_GROUND_SPEED) : ABSENT;
  words[at + X_PREVIOUS_LATITUDE] = beforeLatitude;
  words[at + X_PREVIOUS_LONGITUDE] = words[at + X_LONGITUDE]!;
  words[at + X_PREVIOUS_TIME] = before;
  words[at + VALUES + 2 * F_POSITION] = latitude;
  words[at + X_LONGITUDE] = longitude;
  words[at + X_RC] = out.rcM;
  bytes[byte + B_POSITION_NIC] = out.nic;
  words[at + X_POSITION_RECEIVER] = reception.receiver;
  rememberReceiver(table, slot, reception.receiver, now - before);

  if (!isReliable(table, slot, now) || !accept(table, slot, F_RELIABLE, reception)) return;
  words[at + VALUES + 2 * F_RELIABLE] = latitude;
  words[at + X_RELIABLE_LONGITUDE] = longitude;
  words[at + X_RELIABLE_RC] = out.rcM;
  bytes[byte + B_RELIABLE_NIC] = out.nic;
  setKind(table, slot, reception, reception.kind);
  out.accepted = true;
}

/** Aircraft send two positions a second: the ring then spans six seconds. Pauses leave holes, so that it always spans about that. */
function rememberReceiver(table: AircraftTable, slot: number, receiver: number, elapsedMs: number): void {
  const nextAt = slot * STRIDE_BYTES + B_RECEIVER_NEXT;
  const at = halfAt(slot, H_POSITION_RECEIVERS);
  let next = table.bytes[nextAt]!;
  const holes = elapsedMs <= 750 ? 0 : Math.min(POSITION_RECEIVERS - 1, Math.floor((elapsedMs - 250) / 500));
  for (let i = 0; i < holes; i += 1) {
    table.halves[at + next] = 0;
    next = (next + 1) % POSITION_RECEIVERS;
  }
  table.halves[at + next] = receiver;
  table.bytes[nextAt] = (next + 1) % POSITION_RECEIVERS;
}

function cprType(message: Message): number {
  return message.kind === KIND_SURFACE_POSITION ? CPR_SURFACE : CPR_AIRBORNE;
}
