// Extended squitters, DF 17 and 18: the sender (CF), the content of the 56-bit ME field (TC), and its decoder.
// DO-260B §2.2.3.2.1 (header), table 2-14 (CF), table 2-16 (type codes); TIS-B and ADS-R: DO-260B §2.2.17, §2.2.18.
//
//   bits  1-5   DF
//         6-8   DF 17: CA, 4 on the ground, 5 airborne; DF 18: CF, below
//         9-32  AA   address
//        33-88  ME   first five bits TC, then mostly three of subtype
//        89-112 PI   parity
//
//   CF 0  ADS-B from a device without transponder, ICAO address     4  TIS-B and ADS-R management: not about an aircraft
//      1  the same, other address                                   5  TIS-B fine, other address
//      2  TIS-B fine, ICAO address or by IMF                        6  ADS-R, address as IMF says
//      3  TIS-B coarse (no type code; first bit IMF)                7  reserved
//
//   IMF (ICAO/Mode A flag) 1: the 24 bits are no ICAO address but a Mode A code and a track number. Its bit differs per type code;
//   identifications and resolution advisories have none.
//
//   TC  23 test   24 status of a surface surveillance system   25, 26 reserved   27 trajectory change (never defined)
//       28 aircraft status   29 target state   30 operational coordination (DO-260 only)   31 operational status

import { decodeAdvisory } from './advisory.ts';
import { decodeAirbornePosition } from './airborne-position.ts';
import { decodeEmergency } from './aircraft-status.ts';
import { decodeCoarsePosition } from './coarse-position.ts';
import { decodeIdentification } from './identification.ts';
import {
  KIND_ADVISORY,
  KIND_AIRBORNE_POSITION,
  KIND_COARSE_POSITION,
  KIND_EMERGENCY,
  KIND_EXTENDED_OTHER,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_TARGET_STATE,
  KIND_TEST,
  KIND_VELOCITY,
  type Message,
  ORIGIN_ADSB_NON_TRANSPONDER,
  ORIGIN_ADSR,
  ORIGIN_TISB_COARSE,
  ORIGIN_TISB_FINE,
  ORIGIN_TISB_MANAGEMENT,
  ORIGIN_TISB_OTHER,
  ORIGIN_UNKNOWN,
  REJECT_NO_AIRCRAFT,
  REJECT_NONE,
} from './message.ts';
import { decodeOperationalStatus } from './operational-status.ts';
import { decodeSurfacePosition } from './surface-position.ts';
import { decodeTargetState, decodeTargetStateVersion1 } from './target-state.ts';
import { decodeTestMessage } from './test-message.ts';
import { decodeVelocity, decodeVelocityTisb } from './velocity.ts';

const IMF_BIT_8 = 1;
const IMF_BIT_9 = 0x80;
const IMF_BIT_21 = 0x08;
const IMF_BIT_51 = 0x20;
const IMF_BIT_56 = 1;
/** TC 29 subtype 0: this bit is 1 in messages older than DO-260A, which have a different layout. */
const COMPATIBILITY_BIT_11 = 0x20;

/** Header of a DF 18 frame: `origin`, `addressNonIcao`; then its ME field where it has a type code. */
export function decodeNonTransponder(bytes: Uint8Array, at: number, message: Message): void {
  const me = at + 4;
  switch (bytes[at]! & 7) {
    case 0:
      message.origin = ORIGIN_ADSB_NON_TRANSPONDER;
      decodeMe(bytes, me, message);
      break;
    case 1:
      message.origin = ORIGIN_ADSB_NON_TRANSPONDER;
      message.addressNonIcao = true;
      decodeMe(bytes, me, message);
      break;
    case 2:
      message.origin = ORIGIN_TISB_FINE;
      decodeRelayed(bytes, me, message, true);
      break;
    case 3:
      message.origin = ORIGIN_TISB_COARSE;
      message.kind = KIND_COARSE_POSITION;
      decodeCoarsePosition(bytes, me, message.position, message.coarse);
      message.addressNonIcao = message.position.imf === 1;
      break;
    case 4:
      message.origin = ORIGIN_TISB_MANAGEMENT;
      aboutNoAircraft(message);
      break;
    case 5:
      message.origin = ORIGIN_TISB_OTHER;
      message.addressNonIcao = true;
      decodeRelayed(bytes, me, message, false);
      break;
    case 6:
      message.origin = ORIGIN_ADSR;
      decodeRelayed(bytes, me, message, true);
      break;
    default:
      message.origin = ORIGIN_UNKNOWN;
      message.addressNonIcao = true;
      aboutNoAircraft(message);
  }
}

/** The standard defines no ME field here. A parity error takes precedence as the reason. */
function aboutNoAircraft(message: Message): void {
  message.kind = KIND_EXTENDED_OTHER;
  if (message.reject === REJECT_NONE) message.reject = REJECT_NO_AIRCRAFT;
}

/** The ME field at offset `me`, sent by the aircraft itself. */
export function decodeMe(bytes: Uint8Array, me: number, message: Message): void {
  decodeByTypeCode(bytes, me, message, false);
}

/** TIS-B and ADS-R use the ADS-B layouts, with the IMF in a bit that they do not need. */
function decodeRelayed(bytes: Uint8Array, me: number, message: Message, addressByImf: boolean): void {
  decodeByTypeCode(bytes, me, message, true);
  if (addressByImf && isImfSet(bytes, me, message.kind)) message.addressNonIcao = true;
}

function decodeByTypeCode(bytes: Uint8Array, me: number, message: Message, checkImf: boolean): void {
  const typeCode = bytes[me]! >> 3;
  message.typeCode = typeCode;
  if ((typeCode >= 9 && typeCode <= 18) || (typeCode >= 20 && typeCode <= 22) || typeCode === 0) {
    message.kind = KIND_AIRBORNE_POSITION;
    decodeAirbornePosition(bytes, me, typeCode, checkImf, message.position);
  } else if (typeCode === 19) {
    decodeVelocityFamily(bytes, me, message);
  } else if (typeCode <= 4) {
    message.kind = KIND_IDENTIFICATION;
    decodeIdentification(bytes, me, message.identification);
  } else if (typeCode <= 8) {
    message.kind = KIND_SURFACE_POSITION;
    decodeSurfacePosition(bytes, me, checkImf, message.position);
  } else {
    decodeStatusFamilies(bytes, me, typeCode, message);
  }
}

function decodeVelocityFamily(bytes: Uint8Array, me: number, message: Message): void {
  const subtype = bytes[me]! & 7;
  message.subtype = subtype;
  if (subtype === 0 || subtype > 4) {
    message.kind = KIND_EXTENDED_OTHER;
    return;
  }
  message.kind = KIND_VELOCITY;
  if (message.origin === ORIGIN_TISB_FINE || message.origin === ORIGIN_TISB_OTHER) decodeVelocityTisb(bytes, me, subtype, message.velocity);
  else decodeVelocity(bytes, me, subtype, message.velocity);
}

/** TC 23 to 31. */
function decodeStatusFamilies(bytes: Uint8Array, me: number, typeCode: number, message: Message): void {
  const subtype = typeCode === 29 ? (bytes[me]! >> 1) & 3 : bytes[me]! & 7;
  message.subtype = subtype;
  message.kind = KIND_EXTENDED_OTHER;
  if (typeCode === 29 && subtype === 1) {
    message.kind = KIND_TARGET_STATE;
    decodeTargetState(bytes, me, message.targetState);
  } else if (typeCode === 29 && subtype === 0 && (bytes[me + 1]! & COMPATIBILITY_BIT_11) === 0) {
    message.kind = KIND_TARGET_STATE;
    decodeTargetStateVersion1(bytes, me, message.targetState);
  } else if (typeCode === 31 && subtype <= 1) {
    message.kind = KIND_OPERATIONAL_STATUS;
    decodeOperationalStatus(bytes, me, message.operationalStatus);
  } else if (typeCode === 28 && subtype === 1) {
    message.kind = KIND_EMERGENCY;
    decodeEmergency(bytes, me, message.emergency);
  } else if (typeCode === 28 && subtype === 2) {
    message.kind = KIND_ADVISORY;
    decodeAdvisory(bytes, me, true, message.advisory);
  } else if (typeCode === 23 && subtype === 7) {
    message.kind = KIND_TEST;
    decodeTestMessage(bytes, me, message.testMessage);
  }
}

function isImfSet(bytes: Uint8Array, me: number, kind: number): boolean {
  switch (kind) {
    case KIND_AIRBORNE_POSITION:
      return (bytes[me]! & IMF_BIT_8) !== 0;
    case KIND_VELOCITY:
      return (bytes[me + 1]! & IMF_BIT_9) !== 0;
    case KIND_SURFACE_POSITION:
      return (bytes[me + 2]! & IMF_BIT_21) !== 0;
    case KIND_TARGET_STATE:
      return (bytes[me + 6]! & IMF_BIT_51) !== 0;
    case KIND_EMERGENCY:
    case KIND_OPERATIONAL_STATUS:
      return (bytes[me + 6]! & IMF_BIT_56) !== 0;
    default:
      return false;
  }
}
