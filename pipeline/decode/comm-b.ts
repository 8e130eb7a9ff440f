// Comm-B replies (DF 20, 21): the MB field. The frame does not name its register. ICAO Annex 10 vol. IV §3.1.2.6.6, §3.1.2.6.8.
//
//   bit  9-13   DR, downlink request: 0 none, 4 and 5 announce a Comm-B broadcast for 18 s, others announce other messages
//       14-19   UM, utility message: 0, or the holder of a multisite reservation
//       33-88   MB, 56 bits: one of 255 registers (BDS), known only to the interrogator that requested it
//
// Each register's file scores how well 56 bits fit it (evidence.ts). The best register is chosen when it has enough evidence and a clear
// lead over the second. Otherwise the field is not used, unless the aircraft's state settles it: fold/comm-b.ts finds both candidates here.

import { decodeDataLink, scoreDataLink } from './bds-1-0.ts';
import { decodeServed, scoreServed } from './bds-1-7.ts';
import { decodeIdentity, scoreIdentification } from './bds-2-0.ts';
import { scoreAdvisory } from './bds-3-0.ts';
import { decodeVerticalIntention, scoreVerticalIntention } from './bds-4-0.ts';
import { decodeRoutineReport, scoreRoutineReport } from './bds-4-4.ts';
import { decodeHazardReport, scoreHazardReport } from './bds-4-5.ts';
import { decodeTrackAndTurn, scoreTrackAndTurn } from './bds-5-0.ts';
import { decodeHeadingAndSpeed, scoreHeadingAndSpeed } from './bds-6-0.ts';
import { scoreUnlisted } from './bds-unlisted.ts';
import { IMPOSSIBLE } from './evidence.ts';
import {
  type CommB,
  HEADER_BROADCAST,
  HEADER_PLAIN,
  HEADER_RARE,
  type Message,
  REGISTER_1_0,
  REGISTER_1_7,
  REGISTER_2_0,
  REGISTER_3_0,
  REGISTER_4_0,
  REGISTER_4_4,
  REGISTER_4_5,
  REGISTER_5_0,
  REGISTER_6_0,
  REGISTER_EMPTY,
  REGISTER_NONE,
} from './message.ts';

/** Less is too little evidence. About one field of random bits in 2^(this/10) reaches it. */
export const EVIDENCE_MIN = 50;
/** Minimum lead of the best register over the second. */
const LEAD_MIN = 30;

/** How much rarer requests for the other registers are than those for 4,0, 5,0 and 6,0. */
const RARITY_1_0 = -40;
const RARITY_1_7 = -50;
const RARITY_2_0 = -30;
const RARITY_3_0 = -50;
const RARITY_4_4 = -80;
const RARITY_4_5 = -120;

/** Registers 5,0 and 6,0 never reach this score: they have no reserved bits. */
const DECISIVE = ranked(280, 0);

/** DR and UM do not change MB. Unusual values are rare in replies and as frequent as any other in noise. */
const RARITY_OF_HEADER = -60;
const DR_NONE = 0;
const DR_BROADCAST_1 = 4;
const DR_BROADCAST_2 = 5;

/** Stores the MB field of the DF 20 or 21 frame at `at`. Finding its register costs more and is left to `inferRegister`. */
export function decodeCommB(bytes: Uint8Array, at: number, out: CommB): void {
  const mb = at + 4;
  out.at = mb;
  const middle = bytes[mb + 3]!;
  out.high = (bytes[mb]! << 20) | (bytes[mb + 1]! << 12) | (bytes[mb + 2]! << 4) | (middle >> 4);
  out.low = ((middle & 0xf) << 24) | (bytes[mb + 4]! << 16) | (bytes[mb + 5]! << 8) | bytes[mb + 6]!;
  out.header = headerOf(bytes, at);
  out.inferred = false;
}

/** Finds the register of a DF 20 or 21 message from its MB bits and its altitude, and reads the values. Call once per message. */
export function inferRegister({ surveillance, commB }: Message): void {
  if (commB.inferred) return;
  commB.inferred = true;
  commB.register = REGISTER_NONE;
  const { high, low } = commB;
  if ((high | low) === 0) {
    commB.register = REGISTER_EMPTY;
    commB.best = REGISTER_EMPTY;
    commB.bestScore = IMPOSSIBLE;
    commB.second = REGISTER_NONE;
    commB.secondScore = IMPOSSIBLE;
    return;
  }
  score(high, low, surveillance.altitudeBaroFt, commB);
  if (commB.header === HEADER_RARE) commB.bestScore += RARITY_OF_HEADER;
  if (isClear(commB.bestScore, commB.secondScore)) chooseRegister(commB, commB.best);
}

/** True when the best score has enough evidence and a clear lead. */
export function isClear(bestScore: number, secondScore: number): boolean {
  return bestScore >= EVIDENCE_MIN && bestScore - secondScore >= LEAD_MIN;
}

/** Reads the field as this register. */
export function chooseRegister(out: CommB, register: number): void {
  out.register = register;
  readValues(out, register);
}

/** Reads the bits as this register. The values of other registers stay unchanged. */
export function readValues(out: CommB, register: number): void {
  const { high, low } = out;
  switch (register) {
    case REGISTER_1_0:
      decodeDataLink(high, out);
      break;
    case REGISTER_1_7:
      decodeServed(high, out);
      break;
    case REGISTER_2_0:
      decodeIdentity(high, low, out);
      break;
    case REGISTER_4_0:
      decodeVerticalIntention(high, low, out);
      break;
    case REGISTER_4_4:
      decodeRoutineReport(high, low, out);
      break;
    case REGISTER_4_5:
      decodeHazardReport(high, low, out);
      break;
    case REGISTER_5_0:
      decodeTrackAndTurn(high, low, out);
      break;
    case REGISTER_6_0:
      decodeHeadingAndSpeed(high, low, out);
      break;
  }
}

function headerOf(bytes: Uint8Array, at: number): number {
  const dr = bytes[at + 1]! >> 3;
  const um = ((bytes[at + 1]! & 7) << 3) | (bytes[at + 2]! >> 5);
  if (um !== 0) return HEADER_RARE;
  if (dr === DR_NONE) return HEADER_PLAIN;
  return dr === DR_BROADCAST_1 || dr === DR_BROADCAST_2 ? HEADER_BROADCAST : HEADER_RARE;
}

/** Finds the two registers that fit best. Score and register are packed into one number for comparison. */
function score(high: number, low: number, altitudeFt: number, out: CommB): void {
  const unlisted = ranked(scoreUnlisted(high, low), REGISTER_NONE);
  const intention = ranked(scoreVerticalIntention(high, low), REGISTER_4_0);
  let second = Math.min(unlisted, intention);
  let best = Math.max(unlisted, intention);
  if (intention < DECISIVE) {
    const turn = ranked(scoreTrackAndTurn(high, low), REGISTER_5_0);
    second = Math.max(second, Math.min(best, turn));
    best = Math.max(best, turn);
    const speed = ranked(scoreHeadingAndSpeed(high, low, altitudeFt), REGISTER_6_0);
    second = Math.max(second, Math.min(best, speed));
    best = Math.max(best, speed);
  }
  out.best = best;
  out.second = second;
  if (high >> 27 === 0) scoreBeginningWithZero(high, low, altitudeFt, out);
  if (low === 0) offer(out, ranked(scoreServed(high, low) + RARITY_1_7, REGISTER_1_7));
  if ((low & 0x1f) === 0) offer(out, ranked(scoreHazardReport(high, low, altitudeFt) + RARITY_4_5, REGISTER_4_5));
  out.bestScore = out.best >> 8;
  out.best &= 0xff;
  out.secondScore = out.second >> 8;
  out.second &= 0xff;
}

function scoreBeginningWithZero(high: number, low: number, altitudeFt: number, out: CommB): void {
  offer(out, ranked(scoreDataLink(high, low) + RARITY_1_0, REGISTER_1_0));
  offer(out, ranked(scoreIdentification(high, low) + RARITY_2_0, REGISTER_2_0));
  offer(out, ranked(scoreAdvisory(high, low) + RARITY_3_0, REGISTER_3_0));
  offer(out, ranked(scoreRoutineReport(high, low, altitudeFt) + RARITY_4_4, REGISTER_4_4));
}

function offer(out: CommB, next: number): void {
  out.second = Math.max(out.second, Math.min(out.best, next));
  out.best = Math.max(out.best, next);
}

function ranked(registerScore: number, register: number): number {
  return (registerScore << 8) | register;
}
