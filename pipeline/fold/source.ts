// Source of a frame: its rank, the kind shown for the aircraft, and the ADS-B version of that family.
import { type Message, ORIGIN_ADSR, ORIGIN_TISB_COARSE, ORIGIN_TISB_FINE, ORIGIN_TISB_OTHER } from '../decode/message.ts';
import {
  fieldSource,
  isValid,
  SOURCE_ADSB,
  SOURCE_ADSR,
  SOURCE_MLAT,
  SOURCE_MODE_S,
  SOURCE_MODE_S_CHECKED,
  SOURCE_TISB,
} from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { B_KIND, B_VERSION_ADSB, B_VERSION_ADSR, B_VERSION_TISB, F_POSITION, NOTHING, W_KIND_TIME } from './layout.ts';

// Indexes into sourceKinds (schemas/avro/aircraft-state.ts), best first.
export const KIND_ADSB_ICAO = 0;
const KIND_ADSB_NT = 1;
const KIND_ADSR_ICAO = 2;
export const KIND_TISB_ICAO = 3;
export const KIND_MLAT = 5;
export const KIND_MODE_S = 7;
const KIND_ADSB_OTHER = 8;
const KIND_ADSR_OTHER = 9;
const KIND_TISB_TRACKFILE = 10;
const KIND_TISB_OTHER = 11;
export const KIND_UNKNOWN = 13;

/** A kind gives way to an equal or better one after this time, to a worse one after twice as long. */
const KIND_BETTER_MS = 45_000;
const KIND_WORSE_MS = 90_000;

/** Sets `source` and `kind` from the frame's format, its origin and the MLAT flag. */
export function classify(message: Message, multilaterated: boolean, aircraft: Aircraft): void {
  const { df } = message;
  if (multilaterated) set(aircraft, SOURCE_MLAT, KIND_MLAT);
  else if (df === 17) set(aircraft, SOURCE_ADSB, KIND_ADSB_ICAO);
  else if (df === 18) classifyNonTransponder(message.origin, message.addressNonIcao, aircraft);
  else if (df === 11) set(aircraft, SOURCE_MODE_S_CHECKED, KIND_MODE_S);
  else set(aircraft, SOURCE_MODE_S, KIND_MODE_S);
}

function classifyNonTransponder(origin: number, nonIcao: boolean, aircraft: Aircraft): void {
  switch (origin) {
    case ORIGIN_TISB_FINE:
    case ORIGIN_TISB_COARSE:
      set(aircraft, SOURCE_TISB, nonIcao ? KIND_TISB_TRACKFILE : KIND_TISB_ICAO);
      break;
    case ORIGIN_TISB_OTHER:
      set(aircraft, SOURCE_TISB, KIND_TISB_OTHER);
      break;
    case ORIGIN_ADSR:
      set(aircraft, SOURCE_ADSR, nonIcao ? KIND_ADSR_OTHER : KIND_ADSR_ICAO);
      break;
    default:
      set(aircraft, SOURCE_ADSB, nonIcao ? KIND_ADSB_OTHER : KIND_ADSB_NT);
  }
}

function set(aircraft: Aircraft, source: number, kind: number): void {
  aircraft.source = source;
  aircraft.kind = kind;
}

/**
 * Updates the kind shown for the aircraft; positions set it at once (`setKind`). ADS-B frames without a position count as Mode S: the
 * version is then unknown again, and an ADS-B frame begins with 0.
 */
export function foldKind(aircraft: Aircraft): void {
  const { now, kind } = aircraft;
  const shown = aircraft.bytes[aircraft.byte + B_KIND]!;
  const age = now - aircraft.words[aircraft.at + W_KIND_TIME]!;
  if (shown !== NOTHING && !(age > KIND_WORSE_MS || (age > KIND_BETTER_MS && rankOf(kind) <= rankOf(shown)))) return;
  const hasPosition = fieldSource(aircraft, F_POSITION) === SOURCE_ADSB && isValid(aircraft, F_POSITION);
  const next = kind === KIND_ADSB_ICAO && !hasPosition ? KIND_MODE_S : kind;
  setKind(aircraft, next);
  if (next > KIND_ADSB_NT) aircraft.bytes[aircraft.byte + B_VERSION_ADSB] = NOTHING;
}

/** Kinds are numbered by rank, except that Mode S ranks above MLAT. */
function rankOf(kind: number): number {
  return kind === KIND_MODE_S ? KIND_MLAT - 0.5 : kind;
}

/** Sets the kind. An aircraft whose position comes from another source than ADS-B loses its ADS-B version. */
export function setKind(aircraft: Aircraft, kind: number): void {
  aircraft.bytes[aircraft.byte + B_KIND] = kind;
  aircraft.words[aircraft.at + W_KIND_TIME] = aircraft.now;
  if (kind > KIND_ADSB_NT && aircraft.source !== SOURCE_ADSB) aircraft.bytes[aircraft.byte + B_VERSION_ADSB] = NOTHING;
}

/** Byte with the version of the frame's family; −1 for frames of no family. */
export function versionByte(source: number): number {
  if (source === SOURCE_ADSB) return B_VERSION_ADSB;
  if (source === SOURCE_ADSR) return B_VERSION_ADSR;
  return source === SOURCE_TISB ? B_VERSION_TISB : -1;
}

/** Sets `aircraft.version`: the known one, or 0 from the first message of a family. */
export function foldVersion(aircraft: Aircraft): void {
  const byte = versionByte(aircraft.source);
  if (byte < 0) {
    aircraft.version = -1;
    return;
  }
  const at = aircraft.byte + byte;
  if (aircraft.bytes[at] === NOTHING) aircraft.bytes[at] = 0;
  aircraft.version = aircraft.bytes[at]!;
}
