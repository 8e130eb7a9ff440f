// Identity of the aircraft: call sign, emitter category, squawk, emergency state, alert and identification bits.
import { isAlert } from '../decode/airborne-position.ts';
import { ABSENT, type Identification, type Position, type Surveillance } from '../decode/message.ts';
import { accept, put, STALE_MS, wouldAccept } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_CATEGORY,
  F_ALERT,
  F_CALLSIGN,
  F_SPI,
  F_SQUAWK,
  VALUES,
  W_SEEN,
  X_FLIGHT,
  X_SQUAWK_HEARD,
  X_SQUAWK_HEARD_TIME,
} from './layout.ts';

/** A new squawk is accepted when it is repeated after at least this long: bit errors would raise hijack alerts. */
export const SQUAWK_AGAIN_MS = 750;

/** TC 1-4. A call sign with invalid characters is refused. */
export function foldIdentification(aircraft: Aircraft, identification: Identification): void {
  aircraft.bytes[aircraft.byte + B_CATEGORY] = identification.category;
  if (identification.flightValid) foldCallSign(aircraft, identification.flight);
}

/** Eight ASCII characters, from TC 1-4 or Comm-B register 2,0. */
export function foldCallSign(aircraft: Aircraft, flight: Uint8Array): void {
  if (!accept(aircraft, F_CALLSIGN)) return;
  const at = aircraft.byte + 4 * X_FLIGHT;
  for (let i = 0; i < 8; i += 1) aircraft.bytes[at + i] = flight[i]!;
}

/** `squawk`: the four octal digits as a decimal number, or ABSENT. */
export function foldSquawk(aircraft: Aircraft, squawk: number): void {
  if (squawk === ABSENT) return;
  const { words, at } = aircraft;
  const { now } = aircraft;
  if (words[at + X_SQUAWK_HEARD] !== squawk) {
    if (now - words[at + W_SEEN]! >= STALE_MS || !wouldAccept(aircraft, F_SQUAWK)) return;
    words[at + X_SQUAWK_HEARD] = squawk;
    words[at + X_SQUAWK_HEARD_TIME] = now;
  } else if (now - words[at + X_SQUAWK_HEARD_TIME]! >= SQUAWK_AGAIN_MS && accept(aircraft, F_SQUAWK)) {
    words[at + VALUES + 2 * F_SQUAWK] = squawk;
  }
}

/** Alert and SPI of replies. */
export function foldFlightStatus(aircraft: Aircraft, surveillance: Surveillance): void {
  put(aircraft, F_ALERT, surveillance.alert);
  put(aircraft, F_SPI, surveillance.spi);
}

/** Alert and SPI of airborne positions: one code has both, so an alert leaves SPI unknown. */
export function foldSurveillanceStatus(aircraft: Aircraft, position: Position): void {
  const status = position.surveillanceStatus;
  if (status === ABSENT) return;
  const alert = isAlert(status);
  put(aircraft, F_ALERT, alert ? 1 : 0);
  if (!alert) put(aircraft, F_SPI, status === 3 ? 1 : 0);
}
