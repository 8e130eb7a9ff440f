// What kind of source a frame is: its rank among sources, the kind shown for the aircraft, and the ADS-B version of that family.
import {
  type Message,
  ORIGIN_ADSB,
  ORIGIN_ADSB_NON_TRANSPONDER,
  ORIGIN_ADSR,
  ORIGIN_TISB_COARSE,
  ORIGIN_TISB_FINE,
  ORIGIN_TISB_MANAGEMENT,
} from '../decode/message.ts';
import {
  fieldSource,
  isValid,
  type Reception,
  SOURCE_ADSB,
  SOURCE_ADSR,
  SOURCE_MLAT,
  SOURCE_MODE_S,
  SOURCE_MODE_S_CHECKED,
  SOURCE_NONE,
  SOURCE_TISB,
} from './accept.ts';
import {
  type AircraftTable,
  B_KIND,
  B_VERSION_ADSB,
  B_VERSION_ADSR,
  B_VERSION_TISB,
  F_POSITION,
  NOTHING,
  STRIDE_BYTES,
  STRIDE_WORDS,
  W_KIND_TIME,
} from './layout.ts';

// Indexes into sourceKinds (schemas/avro/aircraft-state.ts), best first.
export const KIND_ADSB_ICAO = 0;
export const KIND_ADSB_NT = 1;
export const KIND_ADSR_ICAO = 2;
export const KIND_TISB_ICAO = 3;
export const KIND_MLAT = 5;
export const KIND_MODE_S = 7;
export const KIND_ADSB_OTHER = 8;
export const KIND_ADSR_OTHER = 9;
export const KIND_TISB_TRACKFILE = 10;
export const KIND_TISB_OTHER = 11;
export const KIND_UNKNOWN = 13;

/** A kind gives way to an equal or better one after this, to a worse one after twice as long. */
const KIND_BETTER_MS = 45_000;
const KIND_WORSE_MS = 90_000;

/** Sets `source` and `kind` of the reception from the frame's format, its origin and the MLAT mark. */
export function classify(message: Message, multilaterated: boolean, reception: Reception): void {
  const { df } = message;
  if (multilaterated) set(reception, SOURCE_MLAT, KIND_MLAT);
  else if (df === 17) set(reception, SOURCE_ADSB, KIND_ADSB_ICAO);
  else if (df === 18) classifyNonTransponder(message.origin, message.addressNonIcao, reception);
  else if (df === 11) set(reception, SOURCE_MODE_S_CHECKED, KIND_MODE_S);
  else set(reception, SOURCE_MODE_S, KIND_MODE_S);
}

function classifyNonTransponder(origin: number, nonIcao: boolean, reception: Reception): void {
  switch (origin) {
    case ORIGIN_ADSB:
    case ORIGIN_ADSB_NON_TRANSPONDER:
      set(reception, SOURCE_ADSB, nonIcao ? KIND_ADSB_OTHER : KIND_ADSB_NT);
      break;
    case ORIGIN_TISB_FINE:
      set(reception, SOURCE_TISB, nonIcao ? KIND_TISB_TRACKFILE : KIND_TISB_ICAO);
      break;
    case ORIGIN_TISB_COARSE:
      set(reception, SOURCE_TISB, nonIcao ? KIND_TISB_TRACKFILE : KIND_TISB_ICAO);
      break;
    case ORIGIN_TISB_MANAGEMENT:
      set(reception, SOURCE_TISB, KIND_TISB_OTHER);
      break;
    case ORIGIN_ADSR:
      set(reception, SOURCE_ADSR, nonIcao ? KIND_ADSR_OTHER : KIND_ADSR_ICAO);
      break;
    default:
      set(reception, SOURCE_NONE, KIND_UNKNOWN);
  }
}

function set(reception: Reception, source: number, kind: number): void {
  reception.source = source;
  reception.kind = kind;
}

/** Updates the kind shown for the aircraft; positions set it at once (`setKind`). ADS-B frames without a position count as Mode S. */
export function foldKind(table: AircraftTable, slot: number, reception: Reception): void {
  const { now, kind } = reception;
  const shown = table.bytes[slot * STRIDE_BYTES + B_KIND]!;
  const age = now - table.words[slot * STRIDE_WORDS + W_KIND_TIME]!;
  if (shown !== NOTHING && !(age > KIND_WORSE_MS || (age > KIND_BETTER_MS && kind <= shown))) return;
  const hasPosition = fieldSource(table, slot, F_POSITION) === SOURCE_ADSB && isValid(table, slot, F_POSITION, now);
  setKind(table, slot, reception, kind === KIND_ADSB_ICAO && !hasPosition ? KIND_MODE_S : kind);
}

/** Sets the kind; an aircraft that is no longer ADS-B loses its ADS-B version. */
export function setKind(table: AircraftTable, slot: number, reception: Reception, kind: number): void {
  table.bytes[slot * STRIDE_BYTES + B_KIND] = kind;
  table.words[slot * STRIDE_WORDS + W_KIND_TIME] = reception.now;
  if (kind > KIND_ADSB_NT && reception.source !== SOURCE_ADSB) table.bytes[slot * STRIDE_BYTES + B_VERSION_ADSB] = NOTHING;
}

/** Byte that holds the version of the frame's family; −1 for frames of none. */
export function versionByte(source: number): number {
  if (source === SOURCE_ADSB) return B_VERSION_ADSB;
  if (source === SOURCE_ADSR) return B_VERSION_ADSR;
  return source === SOURCE_TISB ? B_VERSION_TISB : -1;
}

/** Sets `reception.version`: what is known, and 0 from the first message of a family on. */
export function foldVersion(table: AircraftTable, slot: number, reception: Reception): void {
  const byte = versionByte(reception.source);
  if (byte < 0) {
    reception.version = -1;
    return;
  }
  const at = slot * STRIDE_BYTES + byte;
  if (table.bytes[at] === NOTHING) table.bytes[at] = 0;
  reception.version = table.bytes[at]!;
}
