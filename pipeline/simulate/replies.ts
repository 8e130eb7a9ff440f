// Replies of a simulated transponder to interrogations: DF 0, 4, 5, 20, 21, in a cycle. ICAO Annex 10 vol. IV §3.1.2.6, Doc 9871.
import type { AircraftTable } from './aircraft-table.ts';
import {
  type Contents,
  REGISTER_CAPABILITY,
  REGISTER_DATA_LINK,
  REGISTER_EMPTY,
  REGISTER_IDENTIFICATION,
  REGISTER_INTENTION,
  REGISTER_NONE,
  REGISTER_SPEED,
  REGISTER_TURN,
  SENT_REPLY,
} from './contents.ts';
import { altitudeCode13, identityCode13 } from './encode/codes.ts';
import {
  COMM_B_BYTES,
  messageCapability,
  messageDataLink,
  messageHeadingAndSpeed,
  messageIdentification,
  messageTrackAndTurn,
  messageVerticalIntention,
} from './encode/comm-b.ts';
import { encodeAirAir, encodeReply } from './encode/reply.ts';
import { PACKED_FLIGHT_BYTES } from './encode/squitter.ts';
import type { Identity } from './flights/fleet.ts';
import { type AirData, airDataOf, airDataZero, type FlightState, headingMagneticDeg, trackDeg } from './flights/state.ts';
import { hasAlert, navModes, selectedAltitudeFt, settingHpa } from './intent.ts';

/** Replies in the cycle. */
const TURNS = 12;
const SELDOM_REGISTERS = [REGISTER_DATA_LINK, REGISTER_CAPABILITY, REGISTER_EMPTY];

/** Buffer and content of a reply, and the state of the aircraft that sends it. */
export interface ReplyTarget {
  readonly bytes: Uint8Array;
  readonly sent: Contents;
  readonly state: FlightState;
}

export class Replies {
  private readonly table: AircraftTable;
  private readonly bytes: Uint8Array;
  private readonly sent: Contents;
  private readonly state: FlightState;
  private readonly year: number;
  private readonly turns: Uint8Array;
  private readonly air: AirData = airDataZero();
  private readonly message = new Uint8Array(COMM_B_BYTES);

  /** `year`: decimal, for the magnetic field. */
  constructor(table: AircraftTable, { bytes, sent, state }: ReplyTarget, year: number) {
    this.table = table;
    this.bytes = bytes;
    this.sent = sent;
    this.state = state;
    this.year = year;
    this.turns = Uint8Array.from(table.fleet, (_, i) => i % TURNS);
  }

  /** The next reply in a cycle of twelve: surveillance, Comm-B registers if the aircraft has them, air-air. */
  send(i: number, identity: Identity, squawk: number): 7 | 14 {
    const { bytes, state } = this;
    const turn = this.turns[i]!;
    this.turns[i] = (turn + 1) % TURNS;
    const flightStatus = (state.onGround ? 1 : 0) + (hasAlert(squawk) ? 2 : 0);
    const { address, gillham } = identity;
    const { reply } = this.sent;
    this.sent.kind = SENT_REPLY;
    reply.onGround = state.onGround;
    reply.flightStatus = flightStatus;
    reply.altitudeFt = state.altitudeFt;
    reply.gillham = gillham;
    reply.squawk = squawk;
    reply.register = REGISTER_NONE;
    if (turn === 4 || turn === 10) {
      reply.df = 0;
      encodeAirAir(bytes, address, state.onGround, state.altitudeFt, gillham);
      return 7;
    }
    const message = this.register(i, identity, turn);
    // 1 and 7: surveillance or Comm-B identity; 3 and 9: Comm-B identity; the rest: altitude.
    const isIdentity = (turn & 1) === 1 && turn !== 5;
    reply.df = (isIdentity ? 5 : 4) + (message === null ? 0 : 16);
    const code13 = isIdentity ? identityCode13(squawk) : altitudeCode13(state.altitudeFt, gillham);
    encodeReply(bytes, reply.df, address, flightStatus, code13, message);
    return message === null ? 7 : 14;
  }

  /** The requested register in a turn of the cycle; null for a short reply. Empty when the aircraft does not serve it. */
  private register(i: number, identity: Identity, turn: number): Uint8Array | null {
    const { message, sent } = this;
    if (turn === 0 || turn === 1 || turn === 6) return null;
    if (turn === 7) {
      sent.reply.register = REGISTER_IDENTIFICATION;
      messageIdentification(message, this.table.flights, i * PACKED_FLIGHT_BYTES);
    } else if (!identity.equipped || this.state.onGround) {
      sent.reply.register = REGISTER_EMPTY;
      message.fill(0);
    } else if (turn === 2) this.intention(i);
    else if (turn === 3 || turn === 8) this.trackAndTurn();
    else if (turn === 5 || turn === 9) this.headingAndSpeed();
    else this.seldom(identity);
    return message;
  }

  private intention(i: number): void {
    const { message, state, sent } = this;
    const { intention } = sent;
    sent.reply.register = REGISTER_INTENTION;
    intention.mcpAltitudeFt = selectedAltitudeFt(state, this.table.cruiseFt[i]!, this.table.destinationFt[i]!);
    intention.qnhHpa = settingHpa(state);
    intention.navModes = navModes(state);
    messageVerticalIntention(message, intention.mcpAltitudeFt, intention.qnhHpa, intention.navModes);
  }

  private trackAndTurn(): void {
    const { message, state, air, sent } = this;
    const { turn } = sent;
    airDataOf(state, air);
    sent.reply.register = REGISTER_TURN;
    turn.rollDeg = air.rollDeg;
    turn.trackDeg = trackDeg(state);
    turn.groundSpeedKt = state.groundSpeedKt;
    turn.trackRateDegPerS = state.turnDegPerS;
    turn.tasKt = air.tasKt;
    messageTrackAndTurn(message, turn.rollDeg, turn.trackDeg, turn.groundSpeedKt, turn.trackRateDegPerS, turn.tasKt);
  }

  private headingAndSpeed(): void {
    const { message, state, air, sent } = this;
    const { speed } = sent;
    airDataOf(state, air);
    sent.reply.register = REGISTER_SPEED;
    speed.magHeadingDeg = headingMagneticDeg(state, air, this.year);
    speed.iasKt = air.iasKt;
    speed.mach = air.mach;
    speed.rateFpm = state.rateFpm;
    messageHeadingAndSpeed(message, speed.magHeadingDeg, speed.iasKt, speed.mach, speed.rateFpm, speed.rateFpm);
  }

  private seldom({ address }: Identity): void {
    const { message } = this;
    const { reply } = this.sent;
    reply.register = SELDOM_REGISTERS[address % 3]!;
    if (reply.register === REGISTER_DATA_LINK) messageDataLink(message);
    else if (reply.register === REGISTER_CAPABILITY) messageCapability(message);
    else message.fill(0);
  }
}
