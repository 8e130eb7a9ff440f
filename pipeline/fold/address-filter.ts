// Which frames are believed to come from the aircraft they name. Only an address that stands in the frame under parity makes an aircraft:
// DF 17, DF 18, or DF 11 that answers no interrogator. Other frames count only while such a one confirmed the address lately.
import type { Message } from '../decode/message.ts';
import { type AircraftTable, NON_ICAO, STRIDE_WORDS, W_SEEN } from './layout.ts';

/** How long a confirmed address is believed in replies, whose address is only a parity remainder. */
export const CONFIRMED_MS = 60_000;

// Indexes into rejectReasons (schemas/avro/fold-progress.ts).
export const REASON_DF_UNSUPPORTED = 0;
export const REASON_PARITY = 1;
export const REASON_ADDRESS_UNKNOWN = 2;
export const REASON_ADDRESS_ZERO = 3;
export const REASON_BITS_REPAIRED = 4;
export const REASON_MALFORMED = 5;
export const REASON_DUPLICATE = 6;
export const REASON_AIRCRAFT_LIMIT = 7;

/** True when the frame by itself proves its address. A receiver that repaired bits may have made the address up. */
export function confirmsAddress(message: Message, repairedBits: number): boolean {
  if (repairedBits > 0) return false;
  return announcesAddress(message);
}

/** Slot of the frame's aircraft, made when it is new; −1 − reason when the frame is not believed. */
export function admit(table: AircraftTable, message: Message, confirmed: boolean, now: number): number {
  if (message.address === 0) return -1 - REASON_ADDRESS_ZERO;
  const key = message.addressNonIcao ? message.address | NON_ICAO : message.address;
  const slot = table.find(key);
  if (confirmed) {
    if (slot >= 0) return slot;
    const added = table.add(key);
    return added >= 0 ? added : -1 - REASON_AIRCRAFT_LIMIT;
  }
  if (slot >= 0 && now - table.words[slot * STRIDE_WORDS + W_SEEN]! <= CONFIRMED_MS) return slot;
  return -1 - (announcesAddress(message) ? REASON_BITS_REPAIRED : REASON_ADDRESS_UNKNOWN);
}

function announcesAddress(message: Message): boolean {
  const { df } = message;
  return df === 17 || df === 18 || (df === 11 && message.interrogatorId === 0);
}
