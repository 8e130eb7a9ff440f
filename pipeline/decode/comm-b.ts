// Comm-B replies (DF 20, 21): the MB field, whose register the frame does not name. ICAO Annex 10 vol. IV §3.1.2.6.6, §3.1.2.6.8.
//
//   bit  9-13   DR, downlink request: 0 none, 4 and 5 announce a Comm-B broadcast for 18 s, others announce other messages
//       14-19   UM, utility message: 0, or whose a multisite reservation is
//       33-88   MB, 56 bits: one of 255 registers (BDS), known only to the interrogator that asked for it
//
// Each register's file says how well 56 bits fit it (evidence.ts). The best one is chosen when it has enough evidence and is clearly ahead of
// the second; else nothing of the field is used, unless the aircraft's state settles it (fold/comm-b.ts), which finds both candidates here.

import { decodeDataLink, scoreDataLink } from './bds-1-0.ts';
import { decodeServed, scoreServed } from './bds-1-7.ts';
import { decodeIdentity, scoreIdentification } from './bds-2-0.ts';
import { scoreResolution } from './bds-3-0.ts';
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

/** Less is too little evidence: of random bits, about one field in 2^(this/10) has so much. */
export const EVIDENCE_MIN = 50;
/** How far the best register must be ahead of the second. */
export const LEAD_MIN = 30;

/** How much rarer than registers 4,0, 5,0 and 6,0 the others are asked for. */
const RARITY_1_0 = -40;
const RARITY_1_7 = -50;
const RARITY_2_0 = -30;
const RARITY_3_0 = -50;
const RARITY_4_4 = -80;
const RARITY_4_5 = -120;

/** Registers 5,0 and 6,0 never reach this score: they have no reserved bits. */
const DECISIVE = ranked(280, 0);

/** DR and UM change nothing of MB; but other values than the usual ones are rare in replies, and as frequent as any in noise. */
const RARITY_OF_HEADER = -60;
const DR_NONE = 0;
const DR_BROADCAST_1 = 4;
const DR_BROADCAST_2 = 5;

/** The DF 20 or 21 frame at `at`: keeps its MB field. What register that is costs more, and is found when it is asked for: `inferRegister`. */
export function decodeCommB(bytes: Uint8Array, at: number, out: CommB): void {
  const mb = at + 4;
  out.at = mb;
  const middle = bytes[mb + 3]!;
  out.high = (bytes[mb]! << 20) | (bytes[mb + 1]! << 12) | (bytes[mb + 2]! << 4) | (middle >> 4);
  out.low = ((middle & 0xf) << 24) | (bytes[mb + 4]! << 16) | (bytes[mb + 5]! << 8) | bytes[mb + 6]!;
  out.header = headerOf(bytes, at);
  out.inferred = false;
}

/** Finds which register the MB field of a DF 20 or 21 message is, by its bits and the altitude beside it, and reads its values. Done once a message. */
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

/** Enough evidence, and enough more than for anything else. */
export function isClear(bestScore: number, secondScore: number): boolean {
  return bestScore >= EVIDENCE_MIN && bestScore - secondScore >= LEAD_MIN;
}

/** Takes the field for this register. */
export function chooseRegister(out: CommB, register: number): void {
  out.register = register;
  readValues(out, register);
}

/** Reads the bits as this register. The values of other registers stay what they were. */
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

/** Finds the two registers that fit best. A score and its register are compared as one number. */
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
  offer(out, ranked(scoreResolution(high, low) + RARITY_3_0, REGISTER_3_0));
  offer(out, ranked(scoreRoutineReport(high, low, altitudeFt) + RARITY_4_4, REGISTER_4_4));
}

function offer(out: CommB, next: number): void {
  out.second = Math.max(out.second, Math.min(out.best, next));
  out.best = Math.max(out.best, next);
}

function ranked(registerScore: number, register: number): number {
  return (registerScore << 8) | register;
}
