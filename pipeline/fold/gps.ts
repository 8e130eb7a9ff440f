// Loss of satellite navigation (jamming, faults): the last position with good accuracy, shown after enough messages in flight without position or accuracy.
import { ABSENT, KIND_OPERATIONAL_STATUS, KIND_TARGET_STATE, type Message } from '../decode/message.ts';
import { fieldValue, isValid, SOURCE_ADSB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_GPS_LOST,
  F_GROUND_SPEED,
  F_NAC_P,
  F_RELIABLE,
  X_GPS_OK_LATITUDE,
  X_GPS_OK_LONGITUDE,
  X_GPS_OK_TIME,
  X_RELIABLE_LONGITUDE,
} from './layout.ts';
import { isOnGround } from './position.ts';
import { impliedNacP } from './status.ts';

/** NACp 4: within 1 NM. NACp 2: not within 2 NM. */
const NAC_P_GOOD = 4;
const NAC_P_LOST = 2;
/** A message without position or accuracy counts only this long after the last good position. */
const LOST_AFTER_MS = 10_000;
const SHOWN_AFTER_MS = 15_000;
/** How long the loss is shown. */
const SHOWN_MS = 900_000;
const FLYING_DECI_KT = 500;
/** Messages that report the loss: shown from LOST_MIN, counted up to LOST_MAX; good ones subtract. */
const LOST_MIN = 17;
const LOST_MAX = 20;

/** Call at the end of every extended squitter's fold. `accepted`: it gave a reliable position. */
export function foldGps(aircraft: Aircraft, message: Message, accepted: boolean): void {
  if (accepted) foldGoodPosition(aircraft);
  if (message.df !== 17) return;
  const { typeCode } = message;
  // Most frames contain nothing about it, and most aircraft have no count.
  if (typeCode === 0 || typeCode >= 29 || aircraft.version <= 0 || aircraft.bytes[aircraft.byte + B_GPS_LOST] !== 0)
    foldLoss(aircraft, message);
}

function foldGoodPosition(aircraft: Aircraft): void {
  const { words, at } = aircraft;
  if (aircraft.source !== SOURCE_ADSB || fieldValue(aircraft, F_NAC_P) < NAC_P_GOOD || !isValid(aircraft, F_NAC_P)) return;
  words[at + X_GPS_OK_TIME] = aircraft.now;
  words[at + X_GPS_OK_LATITUDE] = fieldValue(aircraft, F_RELIABLE);
  words[at + X_GPS_OK_LONGITUDE] = words[at + X_RELIABLE_LONGITUDE]!;
}

function foldLoss(aircraft: Aircraft, message: Message): void {
  const { bytes } = aircraft;
  const countAt = aircraft.byte + B_GPS_LOST;
  const nacP = reportedNacP(aircraft, message);
  const isLoss = message.typeCode === 0 || (nacP !== ABSENT && nacP <= NAC_P_LOST);
  if (!isLoss && bytes[countAt] === 0) return;
  const sinceMs = aircraft.now - aircraft.words[aircraft.at + X_GPS_OK_TIME]!;
  if (sinceMs > SHOWN_MS) bytes[countAt] = 0;
  else if (isLoss && sinceMs > LOST_AFTER_MS && sinceMs < SHOWN_MS) countLoss(aircraft, countAt);
  else if (nacP >= NAC_P_GOOD && sinceMs < LOST_AFTER_MS && aircraft.source === SOURCE_ADSB) bytes[countAt]! -= 1;
}

/** The aircraft lost its position recently: since X_GPS_OK_TIME. */
export function isGpsLost(aircraft: Aircraft): boolean {
  const sinceMs = aircraft.now - aircraft.words[aircraft.at + X_GPS_OK_TIME]!;
  return aircraft.bytes[aircraft.byte + B_GPS_LOST]! >= LOST_MIN && sinceMs > SHOWN_AFTER_MS && sinceMs < SHOWN_MS;
}

/** Until when `isGpsLost` keeps its present result if no message comes; `otherwise` when there is no such time. */
export function gpsTurnsAfter(aircraft: Aircraft, otherwise: number): number {
  if (aircraft.bytes[aircraft.byte + B_GPS_LOST]! < LOST_MIN) return otherwise;
  const okAt = aircraft.words[aircraft.at + X_GPS_OK_TIME]!;
  if (aircraft.now <= okAt + SHOWN_AFTER_MS) return okAt + SHOWN_AFTER_MS;
  return aircraft.now < okAt + SHOWN_MS ? okAt + SHOWN_MS - 1 : otherwise;
}

function countLoss(aircraft: Aircraft, countAt: number): void {
  // The last speed, however old: it came from the same receiver.
  if (fieldValue(aircraft, F_GROUND_SPEED) <= FLYING_DECI_KT || isOnGround(aircraft)) return;
  aircraft.bytes[countAt] = Math.min(LOST_MAX, aircraft.bytes[countAt]! + 1);
}

/** NACp that this message carries; ABSENT when it has none. */
function reportedNacP(aircraft: Aircraft, message: Message): number {
  if (message.kind === KIND_TARGET_STATE) return message.targetState.nacP;
  if (message.kind === KIND_OPERATIONAL_STATUS) return message.operationalStatus.nacP;
  return impliedNacP(aircraft, message);
}
