// The same transmission heard by several receivers. The first copy takes effect; later ones are counted, and their signal too.
// Aircraft repeat themselves, so sameness alone proves nothing: a copy comes from another receiver, and soon.
import { KIND_AIRBORNE_POSITION, type Message } from '../decode/message.ts';
import type { Aircraft } from './aircraft.ts';
import { B_RECENT_NEXT, H_RECENT_RECEIVERS, RECENT_FRAMES, X_RECENT, X_RECENT_TIMES } from './layout.ts';

/** Shorter than the shortest interval at which an aircraft sends the same again (velocity and surface position: 0.4 s), longer than feeders usually differ. */
export const COPY_MS = 400;
/** An airborne position changes with every transmission, so a late copy of one is still a copy. */
export const POSITION_COPY_MS = 2000;

/** 32 bits that differ between different frames of one aircraft; the parity field alone has 24. */
export function fingerprint(bytes: Uint8Array, at: number, byteLength: number): number {
  const end = at + byteLength;
  const parity = (bytes[end - 3]! << 16) | (bytes[end - 2]! << 8) | bytes[end - 1]!;
  const middle = byteLength === 7 ? 0 : (bytes[at + 5]! << 24) | (bytes[at + 6]! << 16) | (bytes[at + 8]! << 8) | bytes[at + 9]!;
  return Math.imul(parity, 0x9e37_79b1) ^ middle ^ (bytes[at]! << 5);
}

/** True when another receiver gave the same frame just before. */
export function isCopy(aircraft: Aircraft, message: Message, print: number): boolean {
  const { words, halves, at, now, receiver } = aircraft;
  const prints = at + X_RECENT;
  const times = at + X_RECENT_TIMES;
  const receivers = 2 * at + H_RECENT_RECEIVERS;
  for (let i = 0; i < RECENT_FRAMES; i += 1) {
    if (words[prints + i] === print && halves[receivers + i] !== receiver && Math.abs(now - words[times + i]!) < windowMs(message))
      return true;
  }
  return false;
}

/** Remembers a frame that is no copy in place of the oldest. */
export function rememberFrame(aircraft: Aircraft, print: number): void {
  const { words, bytes, at } = aircraft;
  const nextAt = aircraft.byte + B_RECENT_NEXT;
  const next = bytes[nextAt]! & (RECENT_FRAMES - 1);
  words[at + X_RECENT + next] = print;
  words[at + X_RECENT_TIMES + next] = aircraft.now;
  aircraft.halves[2 * at + H_RECENT_RECEIVERS + next] = aircraft.receiver;
  bytes[nextAt] = next + 1;
}

function windowMs(message: Message): number {
  return message.kind === KIND_AIRBORNE_POSITION ? POSITION_COPY_MS : COPY_MS;
}
