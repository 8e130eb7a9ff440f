// Who the aircraft says it is: call sign, emitter category, squawk, emergency state, alert and identification bits.
import { ABSENT, type Identification, type Position, type Surveillance } from '../decode/message.ts';
import { accept, put, type Reception, STALE_MS, wouldAccept } from './accept.ts';
import {
  type AircraftTable,
  B_CATEGORY,
  F_ALERT,
  F_CALLSIGN,
  F_SPI,
  F_SQUAWK,
  STRIDE_BYTES,
  STRIDE_WORDS,
  VALUES,
  W_SEEN,
  X_FLIGHT,
  X_SQUAWK_HEARD,
  X_SQUAWK_HEARD_TIME,
} from './layout.ts';

/** A new squawk is believed when it comes again after at least this long: bit errors would make hijack alerts. */
export const SQUAWK_AGAIN_MS = 750;

/** TC 1-4. A call sign with characters that are not allowed is not taken. */
export function foldIdentification(table: AircraftTable, slot: number, reception: Reception, identification: Identification): void {
  table.bytes[slot * STRIDE_BYTES + B_CATEGORY] = identification.category;
  if (!identification.flightValid || !accept(table, slot, F_CALLSIGN, reception)) return;
  const { flight } = identification;
  const at = slot * STRIDE_BYTES + 4 * X_FLIGHT;
  for (let i = 0; i < 8; i += 1) table.bytes[at + i] = flight[i]!;
}

/** `squawk`: the four octal digits as a decimal number, or ABSENT. */
export function foldSquawk(table: AircraftTable, slot: number, reception: Reception, squawk: number): void {
  if (squawk === ABSENT) return;
  const { words } = table;
  const at = slot * STRIDE_WORDS;
  const { now } = reception;
  if (words[at + X_SQUAWK_HEARD] !== squawk) {
    if (now - words[at + W_SEEN]! >= STALE_MS || !wouldAccept(table, slot, F_SQUAWK, reception)) return;
    words[at + X_SQUAWK_HEARD] = squawk;
    words[at + X_SQUAWK_HEARD_TIME] = now;
  } else if (now - words[at + X_SQUAWK_HEARD_TIME]! >= SQUAWK_AGAIN_MS && accept(table, slot, F_SQUAWK, reception)) {
    words[at + VALUES + 2 * F_SQUAWK] = squawk;
  }
}

/** Alert and SPI of replies. */
export function foldFlightStatus(table: AircraftTable, slot: number, reception: Reception, surveillance: Surveillance): void {
  put(table, slot, F_ALERT, reception, surveillance.alert);
  put(table, slot, F_SPI, reception, surveillance.spi);
}

/** Alert and SPI of airborne positions: one code stands for both. */
export function foldSurveillanceStatus(table: AircraftTable, slot: number, reception: Reception, position: Position): void {
  const status = position.surveillanceStatus;
  if (status === ABSENT) return;
  put(table, slot, F_ALERT, reception, status === 1 || status === 2 ? 1 : 0);
  put(table, slot, F_SPI, reception, status === 3 ? 1 : 0);
}
