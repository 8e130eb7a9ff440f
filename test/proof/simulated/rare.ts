// Messages that are rare on the air, for traffic with every format: advisories of encounters, Comm-D, test messages, altitudes without a
// position. An encounter comes every ten minutes and lasts half a minute: an advisory, then the report of its end.
import {
  type AdvisoryFields,
  type Contents,
  REGISTER_ADVISORY,
  SENT_ADVISORY,
  SENT_AIRBORNE_POSITION,
  SENT_COMM_D,
  SENT_REPLY,
  SENT_TEST,
  THREAT_ADDRESS,
  THREAT_POSITION,
} from '../../../pipeline/simulate/contents.ts';
import { COMM_B_BYTES } from '../../../pipeline/simulate/encode/comm-b.ts';
import { encodeAltitudeReply, encodeCommD } from '../../../pipeline/simulate/encode/reply.ts';
import { encodeAirbornePosition, type SquitterHeader } from '../../../pipeline/simulate/encode/squitter.ts';
import { encodeTestMessage } from '../../../pipeline/simulate/encode/status.ts';
import type { Identity } from '../../../pipeline/simulate/flights/fleet.ts';
import type { FlightState } from '../../../pipeline/simulate/flights/state.ts';
import type { MakeRareFormats, RareFormats } from '../../../pipeline/simulate/transmit.ts';
import { encodeAdvisory, encodeAirAirAdvisory, messageAdvisory } from './advisory.ts';

const NO_ENCOUNTER = 0;
const ENCOUNTER = 1;
const ENCOUNTER_ENDED = 2;

const PERIOD_S = 600;
const ACTIVE_S = 15;
const ENDED_S = 30;
/** Time between encounters of neighbours in the fleet. */
const APART_S = 7;

const ONE_THREAT = 0x2000;
const CORRECTIVE = 0x1000;
const DOWNWARD = 0x800;
const POSITIVE = 0x80;

/** Phase of the encounter of aircraft `i`, `seconds` after the start. */
function encounterAt(i: number, seconds: number): number {
  const into = (seconds + i * APART_S) % PERIOD_S;
  if (into < ACTIVE_S) return ENCOUNTER;
  return into < ENDED_S ? ENCOUNTER_ENDED : NO_ENCOUNTER;
}

/** Advisory to climb, or for odd aircraft to descend. Every second pair gets the threat's address. */
function advisoryOf(i: number, encounter: number, fields: AdvisoryFields): void {
  const descend = (i & 1) === 1;
  fields.ara = ONE_THREAT | CORRECTIVE | POSITIVE | (descend ? DOWNWARD : 0);
  // The other aircraft passes on the other side.
  fields.rac = descend ? 0b0100 : 0b1000;
  fields.ended = encounter === ENCOUNTER_ENDED;
  fields.threat = (i & 2) === 0 ? THREAT_ADDRESS : THREAT_POSITION;
  fields.threatAddress = 0x400_000 + i;
}

export const rareFormats: MakeRareFormats = (aircraft, sent) => new RareMessages(aircraft, sent);

class RareMessages implements RareFormats {
  /** Frames sent by each aircraft: selects the next one in the cycle. */
  private readonly turns: Uint8Array;
  private readonly message = new Uint8Array(COMM_B_BYTES);
  private readonly segment = new Uint8Array(10);
  private readonly sent: Contents;

  constructor(aircraft: number, sent: Contents) {
    this.turns = new Uint8Array(aircraft);
    this.sent = sent;
  }

  send(bytes: Uint8Array, header: SquitterHeader, identity: Identity, state: FlightState, squawk: number, seconds: number): 0 | 14 {
    const { index } = identity;
    const turn = this.turns[index]!;
    this.turns[index] = (turn + 1) % 3;
    const encounter = state.onGround ? NO_ENCOUNTER : encounterAt(index, seconds);
    if (encounter !== NO_ENCOUNTER) this.sendAdvisory(bytes, header, identity, state, turn, encounter);
    else if (turn === 0) this.sendCommD(bytes, identity, seconds);
    else if (turn === 1) this.sendTest(bytes, header, squawk);
    else if (state.onGround) return 0;
    else this.sendAltitude(bytes, header, identity, state);
    return 14;
  }

  private sendAdvisory(
    bytes: Uint8Array,
    header: SquitterHeader,
    identity: Identity,
    state: FlightState,
    turn: number,
    encounter: number,
  ): void {
    const { message, sent } = this;
    const { advisory, reply } = sent;
    const { address, gillham } = identity;
    advisoryOf(identity.index, encounter, advisory);
    advisory.threatAltitudeFt = state.altitudeFt;
    sent.kind = turn === 0 ? SENT_ADVISORY : SENT_REPLY;
    reply.df = turn === 1 ? 16 : 20;
    reply.register = REGISTER_ADVISORY;
    reply.onGround = false;
    reply.flightStatus = 0;
    reply.altitudeFt = state.altitudeFt;
    reply.gillham = gillham;
    if (turn === 0) encodeAdvisory(bytes, 0, header, advisory);
    else if (turn === 1) encodeAirAirAdvisory(bytes, 0, address, false, state.altitudeFt, gillham, advisory);
    else {
      messageAdvisory(message, advisory);
      encodeAltitudeReply(bytes, 0, address, 0, state.altitudeFt, gillham, message);
    }
  }

  private sendTest(bytes: Uint8Array, header: SquitterHeader, squawk: number): void {
    this.sent.kind = SENT_TEST;
    this.sent.squawk = squawk;
    encodeTestMessage(bytes, 0, header, squawk);
  }

  private sendCommD(bytes: Uint8Array, identity: Identity, seconds: number): void {
    const { segment } = this;
    this.sent.kind = SENT_COMM_D;
    for (let i = 0; i < segment.length; i += 1) segment[i] = (identity.address >>> i) & 0xff;
    encodeCommD(bytes, 0, identity.address, false, Math.floor(seconds) & 0xf, segment);
  }

  private sendAltitude(bytes: Uint8Array, header: SquitterHeader, identity: Identity, state: FlightState): void {
    const { airborne } = this.sent;
    this.sent.kind = SENT_AIRBORNE_POSITION;
    airborne.typeCode = 0;
    airborne.surveillanceStatus = 0;
    airborne.nicB = 0;
    airborne.altitudeFt = state.altitudeFt;
    airborne.gillham = identity.gillham;
    encodeAirbornePosition(bytes, 0, header, airborne);
  }
}
