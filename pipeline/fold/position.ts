// Positions: pairs CPR frames, decodes them globally or near known coordinates, and takes the result when it is plausible.
// Pairs: DO-260B §2.2.10.3 (airborne 10 s; surface 25 s, 50 s when slow). Reliability: reliability.ts. Speed check: plausibility.ts.
import { type Containment, containment } from '../decode/containment.ts';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, cprLocalSurface, isPairOffEarth } from '../decode/cpr.ts';
import { ABSENT, KIND_COARSE_POSITION, KIND_SURFACE_POSITION, type Message, type Position } from '../decode/message.ts';
import { distanceBetweenM } from '../geo/distance.ts';
import { accept, fieldSource, fieldTime, fieldValue, isValid, SOURCE_ADSB, takeOver, wouldAccept } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { addCorroborating, countCorroborating, isGuarded, isOutvoted, isPromptDuplicate, outvote } from './corroboration.ts';
import { countDiscardedRepeat, rememberDiscarded } from './discarded.ts';
import {
  B_EVEN_NIC,
  B_EVEN_TYPE,
  B_LOCAL_ALLOWED,
  B_ODD_NIC,
  B_ODD_TYPE,
  B_RELIABLE_NIC,
  CPR_AIRBORNE,
  CPR_COARSE,
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
  SOURCES,
  STRIDE_WORDS,
  VALUES,
  X_CALC_TRACK,
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
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
} from './layout.ts';
import { BOGUS, Check, checkPosition, foldDoubts, IMPLAUSIBLE, IMPLAUSIBLE_FORGIVEN, PLAUSIBLE } from './plausibility.ts';
import { isSampleDue, sampleCoverage } from './receiver-coverage.ts';
import { R_CORROBORATED, type ReceiverTable } from './receivers.ts';
import { countBad, countDecode, fadeReliability, isReliable } from './reliability.ts';
import { setKind } from './source.ts';

const PAIR_AIRBORNE_MS = 10_000;
const PAIR_SURFACE_MS = 25_000;
const PAIR_SURFACE_SLOW_MS = 50_000;
const SLOW_DECI_KT = 250;
/** A surface pair fixes a position in a quarter of the globe; one this far from the reference is in the wrong quarter. */
const SURFACE_REFERENCE_M_MAX = 450_000;
/** Nearer to the poles the quarters of the globe are so narrow that a receiver's position does not tell which one is meant. */
const POLAR_MICRODEG = 84_000_000;
/** An implausible position that more receivers gave than corroborate the last one weakens it like so many implausible ones. */
const OUTVOTED = 8;
const LOCAL_AGE_MS_MAX = 600_000;
/** An airliner flies no farther in 10 minutes; the next candidate is 260 nm beyond. */
const LOCAL_DISTANCE_M_MAX = 185_200;
/** A receiver hears at most 300 nm, so only the nearest 60 nm are certain: cells repeat every 360 nm. */
const RECEIVER_DISTANCE_M_MAX = 111_120;
const CALC_TRACK_M = 100;
/** The greatest altitude of aircraft: used when the altitude is unknown. */
const HEIGHT_UNKNOWN_FT = 50_000;

const HOW_NONE = 0;
const HOW_GLOBAL = 1;
const HOW_LOCAL = 2;
/** The pair decodes to a latitude beyond a pole. */
const HOW_OFF_EARTH = 3;

/** Result of a position message. Created once; each one overwrites it. */
export class PositionOutcome implements CprResult, Containment {
  /** The frame's CPR gave a position, plausible or not. */
  resolved = false;
  latitudeMicrodeg = 0;
  longitudeMicrodeg = 0;
  nic = 0;
  rcM = 0;
  /** Verdict on that position; unless it is PLAUSIBLE, nothing of the frame may be used. */
  verdict = PLAUSIBLE;
  /** It is the aircraft's new position, and reliable. */
  accepted = false;
  /** It was decoded from a pair of frames. */
  global = false;
  readonly check = new Check();
  readonly candidate: CprResult & Containment = { latitudeMicrodeg: 0, longitudeMicrodeg: 0, nic: 0, rcM: 0 };
}

/** True when the frame's CPR fields may be used: not after a later position, because pairs and checks go forward in time. */
export function isCprOpen(aircraft: Aircraft, position: Position): boolean {
  if (aircraft.now < fieldTime(aircraft, F_POSITION)) return false;
  return position.cprLat !== ABSENT && wouldAccept(aircraft, position.odd ? F_CPR_ODD : F_CPR_EVEN);
}

/** Folds the CPR part of a position message; requires `isCprOpen`. `out.verdict` says whether the frame counts at all. */
export function foldPosition(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): void {
  const { position } = message;
  if (isOutvoted(aircraft)) {
    out.verdict = IMPLAUSIBLE_FORGIVEN;
    return;
  }
  fadeReliability(aircraft);
  const { candidate } = out;
  containmentOf(aircraft, message, candidate);

  const how = resolve(aircraft, message, receivers, out);
  if (how === HOW_NONE) {
    store(aircraft, message, candidate);
    return;
  }
  if (how === HOW_OFF_EARTH) {
    out.check.trackDoubt = 0;
    out.check.speedDoubt = 0;
    out.verdict = IMPLAUSIBLE;
    return;
  }
  out.resolved = true;
  out.global = how === HOW_GLOBAL;
  const surface = message.kind === KIND_SURFACE_POSITION && isOnGround(aircraft);
  const { latitudeMicrodeg: latitude, longitudeMicrodeg: longitude } = out;
  out.check.coarse = message.kind === KIND_COARSE_POSITION;
  const verdict = checkPosition(aircraft, latitude, longitude, position.cprLat, position.cprLon, surface, out.check);
  if (verdict === PLAUSIBLE || verdict === BOGUS) {
    store(aircraft, message, candidate);
    acceptPosition(aircraft, message, receivers, out, verdict === BOGUS);
  } else {
    out.verdict = verdict;
  }
}

/** An implausible position weakens the last one. Call after the rest of its frame is undone. */
export function foldDiscarded(aircraft: Aircraft, message: Message, out: PositionOutcome): void {
  if (out.verdict !== IMPLAUSIBLE) return;
  if (isValid(aircraft, F_POSITION) && aircraft.source < fieldSource(aircraft, F_POSITION)) return;
  const { cprLat, cprLon } = message.position;
  rememberDiscarded(aircraft, cprLat, cprLon);
  // A receiver alone against the corroborating ones changes nothing, until others give the same position: foldPositionDuplicate.
  if (isGuarded(aircraft)) return;
  foldDoubts(aircraft, out.check);
  if (!countBad(aircraft, 1)) return;
  dropPair(aircraft);
  store(aircraft, message, out.candidate);
}

/**
 * Another receiver gave this position message before. A prompt duplicate of the last position makes its receiver a corroborating one. A
 * duplicate of a discarded position weakens the last one, if more receivers gave the discarded position than corroborate the last one.
 */
export function foldPositionDuplicate(aircraft: Aircraft, message: Message, receivers: ReceiverTable): void {
  const { odd, cprLat, cprLon } = message.position;
  if (isPromptDuplicate(aircraft, odd, cprLat, cprLon)) {
    addCorroborating(aircraft);
    receivers.count(aircraft.receiver, R_CORROBORATED);
    hearDuplicate(aircraft, message, receivers);
  } else if (countDiscardedRepeat(aircraft, cprLat, cprLon) > countCorroborating(aircraft) && countBad(aircraft, OUTVOTED)) {
    dropPair(aircraft);
    outvote(aircraft);
  }
}

/** Receivers whose frames are always duplicates hear the aircraft too. Requires a position just taken, reliable and airborne. */
function hearDuplicate(aircraft: Aircraft, message: Message, receivers: ReceiverTable): void {
  const { receiver, now } = aircraft;
  const isNoted = message.position.odd;
  const isSampled = isSampleDue(receivers, receiver, now);
  if ((!isNoted && !isSampled) || cprType(message) !== CPR_AIRBORNE || message.df !== 17) return;
  if (fieldSource(aircraft, F_RELIABLE) !== SOURCE_ADSB || fieldTime(aircraft, F_RELIABLE) !== fieldTime(aircraft, F_POSITION)) return;
  const latitude = fieldValue(aircraft, F_RELIABLE);
  const longitude = aircraft.words[aircraft.at + X_RELIABLE_LONGITUDE]!;
  if (isNoted) receivers.feeders.notePosition(receiver, (aircraft.at / STRIDE_WORDS) | 0, latitude, longitude);
  if (isSampled) sampleCoverage(receivers, receiver, now, latitude, longitude, heightFt(message));
}

/** Altitude in a position message. */
function heightFt({ position }: Message): number {
  const { altitudeBaroFt, altitudeGeomFt } = position;
  if (altitudeBaroFt !== ABSENT) return altitudeBaroFt;
  return altitudeGeomFt === ABSENT ? HEIGHT_UNKNOWN_FT : altitudeGeomFt;
}

/** The last position has lost its support: the next frame begins a new pair. */
function dropPair(aircraft: Aircraft): void {
  aircraft.bytes[aircraft.byte + SOURCES + F_CPR_EVEN] = 0;
  aircraft.bytes[aircraft.byte + SOURCES + F_CPR_ODD] = 0;
}

/** The aircraft is known to be on the ground. */
export function isOnGround(aircraft: Aircraft): boolean {
  return fieldValue(aircraft, F_AIR_GROUND) === GROUND && isValid(aircraft, F_AIR_GROUND);
}

/** NIC and Rc of the frame's own position. NIC supplement C is only for surface messages. */
function containmentOf(aircraft: Aircraft, message: Message, out: Containment): void {
  const nicA = isValid(aircraft, F_NIC_A) ? fieldValue(aircraft, F_NIC_A) : 0;
  const nicC = message.kind === KIND_SURFACE_POSITION && isValid(aircraft, F_NIC_C) ? fieldValue(aircraft, F_NIC_C) : 0;
  containment(message.typeCode, Math.max(0, aircraft.version), nicA, message.position.nicB, nicC, out);
}

function resolve(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): number {
  if (isPair(aircraft, message)) {
    if (resolveGlobal(aircraft, message, receivers, out)) return HOW_GLOBAL;
    if (cprType(message) !== CPR_SURFACE && isOffEarth(aircraft, message.position)) return HOW_OFF_EARTH;
  }
  return resolveLocal(aircraft, message, receivers, out) ? HOW_LOCAL : HOW_NONE;
}

/** True when a frame of the other parity pairs with this one. */
function isPair(aircraft: Aircraft, message: Message): boolean {
  const { position } = message;
  const other = position.odd ? F_CPR_EVEN : F_CPR_ODD;
  const type = aircraft.bytes[aircraft.byte + (position.odd ? B_EVEN_TYPE : B_ODD_TYPE)];
  if (type !== cprType(message) || fieldSource(aircraft, other) !== aircraft.source) return false;
  const apart = Math.abs(aircraft.now - fieldTime(aircraft, other));
  if (type !== CPR_SURFACE) return apart <= PAIR_AIRBORNE_MS;
  const speed = aircraft.version >= 2 ? position.groundSpeedDeciKt : position.groundSpeedV0DeciKt;
  return apart <= (speed !== ABSENT && speed <= SLOW_DECI_KT ? PAIR_SURFACE_SLOW_MS : PAIR_SURFACE_MS);
}

function resolveGlobal(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): boolean {
  const { words, bytes, at } = aircraft;
  const { odd, cprLat, cprLon } = message.position;
  const otherLat = fieldValue(aircraft, odd ? F_CPR_EVEN : F_CPR_ODD);
  const otherLon = words[at + (odd ? X_EVEN_LONGITUDE : X_ODD_LONGITUDE)]!;
  const evenLat = odd ? otherLat : cprLat;
  const evenLon = odd ? otherLon : cprLon;
  const oddLat = odd ? cprLat : otherLat;
  const oddLon = odd ? cprLon : otherLon;
  if (cprType(message) === CPR_SURFACE) {
    if (!resolveSurfacePair(aircraft, evenLat, evenLon, oddLat, oddLon, odd, receivers, out)) return false;
  } else if (!cprGlobalAirborne(evenLat, evenLon, oddLat, oddLon, odd, out)) {
    return false;
  }
  // The pair is as good as the worse of its frames; an Rc of 0 is unknown and worst.
  const otherNic = bytes[aircraft.byte + (odd ? B_EVEN_NIC : B_ODD_NIC)]!;
  const otherRc = words[at + (odd ? X_EVEN_RC : X_ODD_RC)]!;
  const { nic, rcM } = out.candidate;
  out.nic = Math.min(nic, otherNic);
  out.rcM = rcM === 0 || otherRc === 0 ? 0 : Math.max(rcM, otherRc);
  return true;
}

function isOffEarth(aircraft: Aircraft, { odd, cprLat }: Position): boolean {
  const otherLat = fieldValue(aircraft, odd ? F_CPR_EVEN : F_CPR_ODD);
  return odd ? isPairOffEarth(otherLat, cprLat) : isPairOffEarth(cprLat, otherLat);
}

function resolveSurfacePair(
  aircraft: Aircraft,
  evenLat: number,
  evenLon: number,
  oddLat: number,
  oddLon: number,
  odd: boolean,
  receivers: ReceiverTable,
  out: PositionOutcome,
): boolean {
  const rough = receivers.roughPosition(aircraft.receiver);
  let latitude = 0;
  let longitude = 0;
  const own = fieldSource(aircraft, F_RELIABLE) !== 0;
  if (rough !== null && !(own && isPolar(rough.latitudeMicrodeg))) {
    latitude = rough.latitudeMicrodeg;
    longitude = rough.longitudeMicrodeg;
  } else if (own) {
    latitude = fieldValue(aircraft, F_RELIABLE);
    longitude = aircraft.words[aircraft.at + X_RELIABLE_LONGITUDE]!;
  } else {
    return false;
  }
  if (!cprGlobalSurface(evenLat, evenLon, oddLat, oddLon, odd, latitude, longitude, out)) return false;
  if (!own && isPolar(out.latitudeMicrodeg)) return false;
  return distanceBetweenM(latitude, longitude, out.latitudeMicrodeg, out.longitudeMicrodeg) <= SURFACE_REFERENCE_M_MAX;
}

function isPolar(latitude: number): boolean {
  return Math.abs(latitude) > POLAR_MICRODEG;
}

/** Decodes near the aircraft's last position, else near the receiver. Never changes the reliability of positions. */
function resolveLocal(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): boolean {
  const surface = cprType(message) === CPR_SURFACE;
  let latitude: number;
  let longitude: number;
  let limitM: number;
  const ownAge = aircraft.now - fieldTime(aircraft, F_POSITION);
  if (aircraft.bytes[aircraft.byte + B_LOCAL_ALLOWED] === 1 && ownAge < LOCAL_AGE_MS_MAX) {
    latitude = fieldValue(aircraft, F_POSITION);
    longitude = aircraft.words[aircraft.at + X_LONGITUDE]!;
    limitM = LOCAL_DISTANCE_M_MAX;
  } else if (receivers.given !== null && !surface) {
    latitude = receivers.given.latitudeMicrodeg;
    longitude = receivers.given.longitudeMicrodeg;
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

/** Stores the frame as one half of the next pair. */
function store(aircraft: Aircraft, message: Message, own: Containment): void {
  const { odd, cprLat, cprLon } = message.position;
  takeOver(aircraft, odd ? F_CPR_ODD : F_CPR_EVEN);
  const { words, bytes, at, byte } = aircraft;
  words[at + VALUES + 2 * (odd ? F_CPR_ODD : F_CPR_EVEN)] = cprLat;
  words[at + (odd ? X_ODD_LONGITUDE : X_EVEN_LONGITUDE)] = cprLon;
  words[at + (odd ? X_ODD_RC : X_EVEN_RC)] = own.rcM;
  bytes[byte + (odd ? B_ODD_NIC : B_EVEN_NIC)] = own.nic;
  bytes[byte + (odd ? B_ODD_TYPE : B_EVEN_TYPE)] = cprType(message);
}

/** Makes a plausible position the aircraft's position, and its reliable one when it is reliable. A bogus one only counts as a decode. */
function acceptPosition(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome, bogus: boolean): void {
  const { words, bytes, at, byte } = aircraft;
  const before = fieldTime(aircraft, F_POSITION);
  const beforeLatitude = fieldValue(aircraft, F_POSITION);
  if (!accept(aircraft, F_POSITION)) return;
  foldDoubts(aircraft, out.check);
  const { latitudeMicrodeg: latitude, longitudeMicrodeg: longitude } = out;
  if (isValid(aircraft, F_GROUND_SPEED)) words[at + X_POSITION_SPEED] = fieldValue(aircraft, F_GROUND_SPEED);
  if (out.global) countDecode(aircraft, message.position.odd, latitude, longitude);
  if (bogus) return;
  if (out.check.distanceM >= CALC_TRACK_M) words[at + X_CALC_TRACK] = out.check.bearingCentideg;
  words[at + X_PREVIOUS_LATITUDE] = beforeLatitude;
  words[at + X_PREVIOUS_LONGITUDE] = words[at + X_LONGITUDE]!;
  words[at + X_PREVIOUS_TIME] = before;
  words[at + VALUES + 2 * F_POSITION] = latitude;
  words[at + X_LONGITUDE] = longitude;
  words[at + X_POSITION_RECEIVER] = aircraft.receiver;
  addCorroborating(aircraft);

  if (!isReliable(aircraft) || !accept(aircraft, F_RELIABLE)) return;
  words[at + VALUES + 2 * F_RELIABLE] = latitude;
  words[at + X_RELIABLE_LONGITUDE] = longitude;
  words[at + X_RELIABLE_RC] = out.rcM;
  bytes[byte + B_RELIABLE_NIC] = out.nic;
  setKind(aircraft, aircraft.kind);
  if (out.global && aircraft.source === SOURCE_ADSB && cprType(message) === CPR_AIRBORNE) {
    receivers.learn(aircraft.receiver, latitude, longitude);
    if (isSampleDue(receivers, aircraft.receiver, aircraft.now))
      sampleCoverage(receivers, aircraft.receiver, aircraft.now, latitude, longitude, heightFt(message));
  }
  out.accepted = true;
}

function cprType(message: Message): number {
  if (message.kind === KIND_SURFACE_POSITION) return CPR_SURFACE;
  return message.kind === KIND_COARSE_POSITION ? CPR_COARSE : CPR_AIRBORNE;
}
