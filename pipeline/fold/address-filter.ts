// Decides whether a frame comes from the aircraft that it names. Only an address that is in the frame under parity, with no bit repaired,
// creates an aircraft: DF 17, DF 18, or unprompted DF 11. Other frames count only while such a frame confirmed the address recently.
import { type Message, REJECT_DF_UNSUPPORTED, REJECT_NO_AIRCRAFT, REJECT_PARITY } from '../decode/message.ts';
import { isSpoiltSquitter } from '../decode/repair.ts';
import type { AircraftTable } from './aircraft-table.ts';
import { B_NEWCOMER, B_TRANSPONDER, NEVER, NON_ICAO, STRIDE_BYTES, STRIDE_WORDS, W_EMITTED, W_KEY, W_MESSAGES, W_SEEN } from './layout.ts';
import { PLAUSIBLE, REPEATED } from './plausibility.ts';

/** How long a confirmed address is accepted in frames that do not prove it. */
export const CONFIRMED_MS = 45_000;

/** An address with fewer messages may not exist: in a full table it gives way to a new one. */
export const CONFIRMING_MESSAGES = 8;

// Indexes into rejectReasons (schemas/avro/fold-progress.ts).
const REASON_DF_UNSUPPORTED = 0;
const REASON_PARITY = 1;
const REASON_ADDRESS_UNKNOWN = 2;
const REASON_ADDRESS_ZERO = 3;
export const REASON_BITS_REPAIRED = 4;
const REASON_MALFORMED = 5;
export const REASON_DUPLICATE = 6;
const REASON_AIRCRAFT_LIMIT = 7;
export const REASON_POSITION_IMPLAUSIBLE = 8;
const REASON_POSITION_REPEATED = 9;
/** A frame without an aircraft: TIS-B and ADS-R management, reserved formats. */
const REASON_NO_AIRCRAFT = 10;

/** True when the frame alone proves its address. A receiver that repaired bits may have invented the address. */
export function confirmsAddress(message: Message, repairedBits: number): boolean {
  if (repairedBits > 0) return false;
  return announcesAddress(message);
}

/** Slot of the frame's aircraft, created when it is new; −1 − reason when the frame is refused. */
export function admit(table: AircraftTable, message: Message, confirmed: boolean, now: number): number {
  if (message.address === 0) return -1 - REASON_ADDRESS_ZERO;
  const key = message.addressNonIcao ? message.address | NON_ICAO : message.address;
  const slot = table.find(key);
  if (confirmed) {
    if (slot < 0) return addNewcomer(table, key);
    if (table.bytes[slot * STRIDE_BYTES + B_NEWCOMER] === 1) hearNewcomer(table, slot);
    return slot;
  }
  if (slot >= 0 && now - table.words[slot * STRIDE_WORDS + W_SEEN]! <= CONFIRMED_MS && mayReply(table, slot, message)) return slot;
  return -1 - (announcesAddress(message) ? REASON_BITS_REPAIRED : REASON_ADDRESS_UNKNOWN);
}

/** A slot for a new key, or −1 − reason. */
function addNewcomer(table: AircraftTable, key: number): number {
  let slot = table.add(key);
  if (slot < 0 && displaceNewcomer(table)) slot = table.add(key);
  return slot >= 0 ? slot : -1 - REASON_AIRCRAFT_LIMIT;
}

/** Counts a message of an aircraft that is not confirmed: it becomes confirmed, or moves to the end of the list. */
function hearNewcomer(table: AircraftTable, slot: number): void {
  table.newcomers.remove(slot);
  if (table.words[slot * STRIDE_WORDS + W_MESSAGES]! + 1 >= CONFIRMING_MESSAGES) table.bytes[slot * STRIDE_BYTES + B_NEWCOMER] = 0;
  else table.newcomers.add(slot);
}

/** Removes the unconfirmed aircraft heard longest ago; false when all are confirmed. */
function displaceNewcomer(table: AircraftTable): boolean {
  const { newcomers, words } = table;
  const slot = newcomers.oldest;
  if (slot < 0) return false;
  if (words[slot * STRIDE_WORDS + W_EMITTED] !== NEVER) newcomers.displaced.push(words[slot * STRIDE_WORDS + W_KEY]!);
  newcomers.displacedTotal += 1;
  table.remove(slot);
  return true;
}

/** A frame whose address is only its parity remainder comes from a transponder: DF 18 alone does not prove that there is one. */
function mayReply(table: AircraftTable, slot: number, message: Message): boolean {
  return message.addressAnnounced || table.bytes[slot * STRIDE_BYTES + B_TRANSPONDER] === 1;
}

/** True for formats that announce their address unprompted, under parity. */
export function announcesAddress(message: Message): boolean {
  const { df } = message;
  return df === 17 || df === 18 || (df === 11 && message.interrogatorId === 0);
}

/** True when one wrong bit may explain the refusal: the parity fails, or the bit turned a squitter into another format. */
export function mayBeDamaged(reject: number, message: Message, byteLength: number): boolean {
  if (reject === REASON_PARITY) return true;
  if (byteLength === 7) return false;
  // A long frame with a short format has no remainder yet.
  return reject === REASON_MALFORMED || message.df < 16 || isSpoiltSquitter(message.df, message.remainder);
}

/** Reason for a frame that cannot be used by itself. */
export function reasonOfReject(message: Message): number {
  if (message.reject === REJECT_DF_UNSUPPORTED) return REASON_DF_UNSUPPORTED;
  if (message.reject === REJECT_NO_AIRCRAFT) return REASON_NO_AIRCRAFT;
  return message.reject === REJECT_PARITY ? REASON_PARITY : REASON_MALFORMED;
}

/** Reason for a frame with a refused position; −1 when the position is accepted. */
export function reasonOfVerdict(verdict: number): number {
  if (verdict === PLAUSIBLE) return -1;
  return verdict === REPEATED ? REASON_POSITION_REPEATED : REASON_POSITION_IMPLAUSIBLE;
}
