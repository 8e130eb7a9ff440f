// One Mode S frame -> one message: parity, address and downlink format. Each message family has its own file.
// ICAO Annex 10 vol. IV §3.1.2.3 (formats, parity); DO-260B §2.2.3.2.1.
//
//   DF   bits  what                             parity field
//    0    56   short air-air surveillance       address
//    4    56   altitude reply                   address
//    5    56   identity reply                   address
//   11    56   all-call reply                   interrogator's code (7 bits), 0 in a squitter
//   16   112   long air-air surveillance        address
//   17   112   extended squitter                0
//   18   112   extended squitter, other sender  0
//   20   112   Comm-B with altitude             address
//   21   112   Comm-B with identity             address
//   24   112   Comm-D, extended length message  address     (24-31: only the first two bits are the format)
//
// No allocation per frame. Every branch writes the whole header, so no value of the previous frame survives.

import { ADVISORY_REGISTER, decodeAdvisory, holdsAirAirAdvisory } from './advisory.ts';
import { decodeCommB } from './comm-b.ts';
import { DF_COMM_D, decodeCommD } from './comm-d.ts';
import { parityRemainder } from './crc.ts';
import { decodeMe, decodeNonTransponder } from './extended-squitter.ts';
import {
  ABSENT,
  KIND_ADVISORY,
  KIND_ALL_CALL,
  KIND_COMM_B,
  KIND_COMM_D,
  KIND_NONE,
  KIND_SURVEILLANCE,
  Message,
  ORIGIN_ADSB,
  REJECT_DF_UNSUPPORTED,
  REJECT_MALFORMED,
  REJECT_NONE,
  REJECT_PARITY,
} from './message.ts';
import { decodeAirAirReply, decodeAltitudeReply, decodeIdentityReply } from './surveillance.ts';

/** DF 11: bits of the remainder outside the interrogator code. */
const NOT_INTERROGATOR = 0xffff80;

/** A new message from the 14 or 28 hex digits of a frame. */
export function decodeHex(hex: string): Message {
  const message = new Message();
  decodeFrame(Uint8Array.from(Buffer.from(hex, 'hex')), 0, hex.length === 14 ? 7 : 14, message);
  return message;
}

/**
 * Decodes the frame at `bytes[at]` into `message`, which is overwritten. Never throws: `message.reject` gives the reason why a frame is
 * unusable. A frame with damaged parity is decoded too, so that tools can show it.
 */
export function decodeFrame(bytes: Uint8Array, at: number, byteLength: 7 | 14, message: Message): void {
  const first = bytes[at]! >> 3;
  const df = first < DF_COMM_D ? first : DF_COMM_D;
  message.kind = KIND_NONE;
  message.reject = REJECT_NONE;
  message.df = df;
  message.addressAnnounced = false;
  message.addressNonIcao = false;
  message.origin = ORIGIN_ADSB;
  message.capability = ABSENT;
  message.interrogatorId = 0;
  message.typeCode = 0;
  message.subtype = 0;
  if (byteLength !== (df < 16 ? 7 : 14)) {
    message.reject = isSupported(df) ? REJECT_MALFORMED : REJECT_DF_UNSUPPORTED;
    message.remainder = 0;
    message.address = 0;
    return;
  }
  const remainder = parityRemainder(bytes, at, byteLength);
  message.remainder = remainder;
  message.address = remainder;
  switch (df) {
    case 17:
      announced(bytes, at, message, remainder !== 0);
      message.capability = bytes[at]! & 7;
      decodeMe(bytes, at + 4, message);
      break;
    case 18:
      announced(bytes, at, message, remainder !== 0);
      decodeNonTransponder(bytes, at, message);
      break;
    case 11:
      announced(bytes, at, message, (remainder & NOT_INTERROGATOR) !== 0);
      message.capability = bytes[at]! & 7;
      message.interrogatorId = message.reject === REJECT_NONE ? remainder : 0;
      message.kind = KIND_ALL_CALL;
      break;
    case 4:
      message.kind = KIND_SURVEILLANCE;
      decodeAltitudeReply(bytes, at, message.surveillance);
      break;
    case 5:
      message.kind = KIND_SURVEILLANCE;
      decodeIdentityReply(bytes, at, message.surveillance);
      break;
    case 20:
      decodeAltitudeReply(bytes, at, message.surveillance);
      decodeMb(bytes, at, message);
      break;
    case 21:
      decodeIdentityReply(bytes, at, message.surveillance);
      decodeMb(bytes, at, message);
      break;
    case 0:
    case 16:
      decodeAirAir(bytes, at, df, message);
      break;
    case DF_COMM_D:
      message.kind = KIND_COMM_D;
      decodeCommD(bytes, at, message.commD);
      break;
    default:
      message.reject = REJECT_DF_UNSUPPORTED;
      message.address = 0;
  }
}

function announced(bytes: Uint8Array, at: number, message: Message, damaged: boolean): void {
  message.address = (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  message.addressAnnounced = true;
  if (damaged) message.reject = REJECT_PARITY;
}

function decodeAirAir(bytes: Uint8Array, at: number, df: number, message: Message): void {
  message.kind = KIND_SURVEILLANCE;
  decodeAirAirReply(bytes, at, message.surveillance);
  if (df === 16 && holdsAirAirAdvisory(bytes, at)) {
    message.kind = KIND_ADVISORY;
    decodeAdvisory(bytes, at + 4, false, message.advisory);
  }
}

function decodeMb(bytes: Uint8Array, at: number, message: Message): void {
  message.kind = KIND_COMM_B;
  decodeCommB(bytes, at, message.commB);
  if (bytes[at + 4] === ADVISORY_REGISTER) decodeAdvisory(bytes, at + 4, true, message.advisory);
}

function isSupported(df: number): boolean {
  return df === 0 || df === 4 || df === 5 || df === 11 || (df >= 16 && df <= 18) || df === 20 || df === 21 || df === DF_COMM_D;
}
