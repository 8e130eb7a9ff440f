// The messages of a simulated aircraft, stream by stream, and their rates: DO-260B §2.2.3.3 (squitter rates), Annex 10 vol. IV (acquisition
// squitter, replies to interrogation). Each call writes at most one frame into `bytes` and draws the time of the next one.
import type { AircraftTable } from './aircraft-table.ts';
import {
  Contents,
  SENT_AIR_VELOCITY,
  SENT_AIRBORNE_POSITION,
  SENT_ALL_CALL,
  SENT_EMERGENCY,
  SENT_GROUND_VELOCITY,
  SENT_IDENTIFICATION,
  SENT_OPERATIONAL,
  SENT_SURFACE_POSITION,
  SENT_TARGET,
} from './contents.ts';
import { encodeAirVelocity, encodeGroundVelocity, type TisbAccuracy } from './encode/motion.ts';
import { encodeAllCall } from './encode/reply.ts';
import {
  encodeAirbornePosition,
  encodeIdentification,
  encodeSurfacePosition,
  PACKED_FLIGHT_BYTES,
  type SquitterHeader,
} from './encode/squitter.ts';
import { encodeEmergency, encodeOperationalStatus, encodeTargetState } from './encode/status.ts';
import type { Identity } from './flights/fleet.ts';
import {
  STREAM_ALL_CALL,
  STREAM_EMERGENCY,
  STREAM_IDENTIFICATION,
  STREAM_OPERATIONAL,
  STREAM_POSITION,
  STREAM_RARE,
  STREAM_REPLY,
  STREAM_TARGET,
  STREAM_VELOCITY,
} from './flights/links.ts';
import type { Random } from './flights/random.ts';
import { type AirData, airDataOf, airDataZero, type FlightState, flightState, headingMagneticDeg, trackDeg } from './flights/state.ts';
import { hasAlert, navModes, selectedAltitudeFt, settingHpa } from './intent.ts';
import { Replies } from './replies.ts';

const SECOND_US = 1_000_000;
const STANDING_KT = 0.1;
/** From this type code on, airborne positions contain the height above the ellipsoid. */
const GEOMETRIC_TYPE_CODE = 20;

/** Messages that are rare on the air, for tests. */
export interface RareMessages {
  /** The content of all frames of the transmitter. */
  readonly sent: Contents;
  /** Sends the next message of a stream from STREAM_RARE on, as `Transmitter.send`. */
  send(transmitter: Transmitter, i: number, stream: number, seconds: number): 0 | 14;
}

export class Transmitter {
  readonly bytes = new Uint8Array(14);
  /** State of the aircraft of the last call. */
  readonly state: FlightState = flightState();
  /** Content of the last frame. */
  readonly sent: Contents;
  /** Time until the stream's next message, µs after the time of the call. */
  delayUs = 0;
  readonly table: AircraftTable;
  private readonly random: Random;
  private readonly year: number;
  private readonly odd: Uint8Array;
  private readonly replies: Replies;
  private readonly air: AirData = airDataZero();
  private readonly rare: RareMessages | null;

  /** `year`: decimal, for the magnetic field. */
  constructor(table: AircraftTable, random: Random, year: number, rare: RareMessages | null) {
    this.table = table;
    this.year = year;
    this.random = random;
    this.odd = new Uint8Array(table.fleet.length);
    this.rare = rare;
    this.sent = rare?.sent ?? new Contents();
    this.replies = new Replies(table, this, year);
  }

  /** Sends the next message of a stream of aircraft `i` at `seconds`. Returns the length of the frame, 0 for none. */
  send(i: number, stream: number, seconds: number): 0 | 7 | 14 {
    this.table.state(i, seconds, this.state);
    if (stream >= STREAM_RARE) return this.rare!.send(this, i, stream, seconds);
    const identity = this.table.fleet[i]!;
    switch (stream) {
      case STREAM_POSITION:
        return this.sendPosition(i, identity, seconds);
      case STREAM_VELOCITY:
        return this.sendVelocity(identity);
      case STREAM_IDENTIFICATION:
        return this.sendIdentification(i, identity);
      case STREAM_OPERATIONAL:
        return this.sendOperational(identity);
      case STREAM_TARGET:
        return this.sendTarget(i, identity);
      case STREAM_EMERGENCY:
        return this.sendEmergency(i, identity, seconds);
      case STREAM_ALL_CALL:
        this.again(this.standing() ? 4 : 0.8, this.standing() ? 6 : 1.2);
        this.sent.kind = SENT_ALL_CALL;
        this.sent.header.capability = this.state.onGround ? 4 : 5;
        encodeAllCall(this.bytes, identity.address, this.state.onGround ? 4 : 5, 0);
        return 7;
      case STREAM_REPLY:
        this.again(this.state.onGround ? 2 : 0.7, this.state.onGround ? 4 : 1.3);
        return this.replies.send(i, identity, this.table.squawk(i, seconds));
      default:
        this.again(4, 6);
        return 0;
    }
  }

  /** Draws the time of the next message. */
  again(minS: number, maxS: number): void {
    this.delayUs = this.random.between(minS, maxS) * SECOND_US;
  }

  private standing(): boolean {
    return this.state.onGround && this.state.groundSpeedKt < STANDING_KT;
  }

  /** The header of an extended squitter now. */
  squitterHeader(identity: Identity): SquitterHeader {
    const { header } = this.sent;
    const { controlField } = identity.link;
    header.df = controlField === null ? 17 : 18;
    header.capability = controlField ?? (this.state.onGround ? 4 : 5);
    header.address = identity.address;
    return header;
  }

  private sendPosition(i: number, identity: Identity, seconds: number): 0 | 14 {
    const { state } = this;
    const odd = this.odd[i] === 1;
    this.odd[i]! ^= 1;
    if (!state.onGround) {
      const { airborne } = this.sent;
      this.sent.kind = SENT_AIRBORNE_POSITION;
      airborne.typeCode = identity.typeCode;
      airborne.nicB = identity.link.imf;
      airborne.surveillanceStatus = hasAlert(this.table.squawk(i, seconds)) ? 1 : 0;
      airborne.altitudeFt = state.altitudeFt;
      if (identity.typeCode >= GEOMETRIC_TYPE_CODE) {
        airDataOf(state, this.air);
        airborne.altitudeFt += this.air.geomDeltaFt;
      }
      airborne.gillham = identity.gillham;
      airborne.odd = odd;
      airborne.latDeg = state.latDeg;
      airborne.lonDeg = state.lonDeg;
      encodeAirbornePosition(this.bytes, this.squitterHeader(identity), airborne);
      this.again(0.4, 0.6);
      return 14;
    }
    const { surface } = this.sent;
    this.sent.kind = SENT_SURFACE_POSITION;
    const standing = this.standing();
    surface.typeCode = surfaceTypeCode(identity.typeCode);
    surface.imf = identity.link.imf;
    surface.groundSpeedKt = state.groundSpeedKt;
    surface.version = identity.version;
    surface.trackValid = !standing;
    surface.trackDeg = trackDeg(state);
    surface.odd = odd;
    surface.latDeg = state.latDeg;
    surface.lonDeg = state.lonDeg;
    encodeSurfacePosition(this.bytes, this.squitterHeader(identity), surface);
    this.again(standing ? 4.8 : 0.4, standing ? 5.2 : 0.6);
    return 14;
  }

  private sendVelocity(identity: Identity): 0 | 14 {
    const { state, air } = this;
    this.again(0.4, 0.6);
    if (state.onGround) {
      this.again(0.8, 1.2);
      return 0;
    }
    airDataOf(state, air);
    if (identity.airspeedOnly) {
      const { through } = this.sent;
      this.sent.kind = SENT_AIR_VELOCITY;
      through.rateFpm = state.rateFpm;
      through.geomDeltaFt = air.geomDeltaFt;
      through.tisb = this.tisbAccuracy(identity);
      through.imf = identity.link.imf;
      through.headingDeg = headingMagneticDeg(state, air, this.year);
      through.airspeedKt = air.tasKt;
      encodeAirVelocity(this.bytes, this.squitterHeader(identity), through);
      return 14;
    }
    const { ground } = this.sent;
    this.sent.kind = SENT_GROUND_VELOCITY;
    ground.nacV = identity.nacV;
    ground.rateFpm = state.rateFpm;
    ground.rateBaro = identity.address % 4 !== 0;
    ground.geomDeltaFt = air.geomDeltaFt;
    ground.tisb = this.tisbAccuracy(identity);
    ground.imf = identity.link.imf;
    ground.eastKt = state.east * state.groundSpeedKt;
    ground.northKt = state.north * state.groundSpeedKt;
    encodeGroundVelocity(this.bytes, this.squitterHeader(identity), ground);
    return 14;
  }

  /** The accuracy in TIS-B velocities; null for other aircraft. */
  private tisbAccuracy(identity: Identity): TisbAccuracy | null {
    if (!identity.link.isTisb) return null;
    const { tisb } = this.sent;
    tisb.nacP = identity.nacP;
    tisb.sil = identity.sil;
    return tisb;
  }

  private sendIdentification(i: number, identity: Identity): 14 {
    const standing = this.standing();
    this.again(standing ? 9.8 : 4.8, standing ? 10.2 : 5.2);
    const { category } = identity.aircraftClass;
    this.sent.kind = SENT_IDENTIFICATION;
    this.sent.category = category;
    encodeIdentification(this.bytes, this.squitterHeader(identity), category, this.table.flights, i * PACKED_FLIGHT_BYTES);
    return 14;
  }

  private sendOperational(identity: Identity): 14 {
    const { state } = this;
    const { operational: fields } = this.sent;
    this.sent.kind = SENT_OPERATIONAL;
    this.again(state.onGround ? 4.8 : 2.4, state.onGround ? 5.2 : 2.6);
    fields.version = identity.version;
    fields.surface = state.onGround;
    fields.nacP = identity.nacP;
    fields.nacV = identity.nacV;
    fields.sil = identity.sil;
    fields.gva = identity.gva;
    fields.sda = identity.sda;
    fields.headingMagnetic = identity.airspeedOnly ? 1 : 0;
    fields.tcasOperational = identity.equipped;
    fields.imf = identity.link.imf;
    encodeOperationalStatus(this.bytes, this.squitterHeader(identity), fields);
    return 14;
  }

  private sendTarget(i: number, identity: Identity): 0 | 14 {
    const { state } = this;
    const { target } = this.sent;
    this.again(1.2, 1.3);
    if (state.onGround) return 0;
    this.sent.kind = SENT_TARGET;
    airDataOf(state, this.air);
    target.altitudeFromFms = identity.address % 16 === 0;
    target.selectedAltitudeFt = this.selectedAltitudeFt(i);
    target.qnhHpa = settingHpa(state);
    target.selectedHeadingDeg = headingMagneticDeg(state, this.air, this.year);
    target.nacP = identity.nacP;
    target.sil = identity.sil;
    target.navModes = navModes(state);
    target.imf = identity.link.imf;
    encodeTargetState(this.bytes, this.squitterHeader(identity), target);
    return 14;
  }

  selectedAltitudeFt(i: number): number {
    return selectedAltitudeFt(this.state, this.table.cruiseFt[i]!, this.table.destinationFt[i]!);
  }

  private sendEmergency(i: number, identity: Identity, seconds: number): 14 {
    const emergency = this.table.emergency(i, seconds);
    this.again(emergency === 0 ? 4.8 : 0.7, emergency === 0 ? 5.2 : 0.9);
    const squawk = identity.version === 2 ? this.table.squawk(i, seconds) : 0;
    this.sent.kind = SENT_EMERGENCY;
    this.sent.emergency = emergency;
    this.sent.squawk = squawk;
    encodeEmergency(this.bytes, this.squitterHeader(identity), emergency, squawk, identity.link.imf);
    return 14;
  }
}

/** The surface type code with the same accuracy as an airborne one. */
function surfaceTypeCode(typeCode: number): number {
  return typeCode >= GEOMETRIC_TYPE_CODE ? typeCode - 15 : Math.min(8, typeCode - 4);
}
