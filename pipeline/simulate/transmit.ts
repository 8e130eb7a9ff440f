// What a simulated aircraft sends, stream by stream, and how often: DO-260B §2.2.3.3 (squitter rates), Annex 10 vol. IV (acquisition squitter,
// replies to interrogation). Each call writes at most one frame into `bytes` and draws when the stream comes next.
import type { AircraftTable } from './aircraft-table.ts';
import { type CoarsePosition, encodeCoarsePosition } from './encode/coarse.ts';
import {
  COMM_B_BYTES,
  messageCapability,
  messageDataLink,
  messageHeadingAndSpeed,
  messageIdentification,
  messageTrackAndTurn,
  messageVerticalIntention,
} from './encode/comm-b.ts';
import { type AirVelocity, encodeAirVelocity, encodeGroundVelocity, type GroundVelocity, type TisbAccuracy } from './encode/motion.ts';
import { encodeAirAir, encodeAllCall, encodeAltitudeReply, encodeIdentityReply } from './encode/reply.ts';
import {
  type AirbornePosition,
  encodeAirbornePosition,
  encodeIdentification,
  encodeSurfacePosition,
  PACKED_FLIGHT_BYTES,
  type SquitterHeader,
  type SurfacePosition,
} from './encode/squitter.ts';
import {
  encodeEmergency,
  encodeOperationalStatus,
  encodeTargetState,
  type OperationalStatusFields,
  type TargetStateFields,
} from './encode/status.ts';
import { encodeTargetStateVersion1, type TargetStateVersion1 } from './encode/target-state.ts';
import type { Identity } from './flights/fleet.ts';
import type { Random } from './flights/random.ts';
import { type AirData, airDataOf, airDataZero, type FlightState, flightState, headingMagneticDeg, trackDeg } from './flights/state.ts';
import { aimVersion1, navModes, selectedAltitudeFt, settingHpa } from './intent.ts';
import { RareFormats } from './rare.ts';
import {
  controlFields,
  imfOf,
  isCoarse,
  isTisb,
  STREAM_ALL_CALL,
  STREAM_EMERGENCY,
  STREAM_IDENTIFICATION,
  STREAM_OPERATIONAL,
  STREAM_POSITION,
  STREAM_RARE,
  STREAM_REPLY,
  STREAM_TARGET,
  STREAM_VELOCITY,
} from './streams.ts';

const SECOND_US = 1_000_000;
const STANDING_KT = 0.1;
/** From here on airborne positions tell the height above the ellipsoid. */
const GEOMETRIC_TYPE_CODE = 20;

export class Transmitter {
  readonly bytes = new Uint8Array(14);
  /** State of the aircraft that was last asked for. */
  readonly state: FlightState = flightState();
  /** When the stream comes again, µs after the time it was asked for. */
  delayUs = 0;
  private readonly table: AircraftTable;
  private readonly random: Random;
  private readonly year: number;
  private readonly odd: Uint8Array;
  private readonly turns: Uint8Array;
  private readonly air: AirData = airDataZero();
  private readonly header: SquitterHeader = { df: 17, capability: 5, address: 0 };
  private readonly message = new Uint8Array(COMM_B_BYTES);
  private readonly rare: RareFormats;
  private readonly airborne: AirbornePosition = {
    ...{ typeCode: 11, surveillanceStatus: 0, nicB: 0, altitudeFt: 0, gillham: false, odd: false, latDeg: 0, lonDeg: 0 },
  };
  private readonly coarse: CoarsePosition = {
    ...{ imf: 0, surveillanceStatus: 0, serviceVolume: 0, altitudeFt: 0, gillham: false, trackDeg: 0, groundSpeedKt: 0 },
    ...{ odd: false, latDeg: 0, lonDeg: 0 },
  };
  private readonly surface: SurfacePosition = {
    ...{ typeCode: 7, groundSpeedKt: 0, version: 2, trackValid: false, trackDeg: 0, imf: 0, odd: false, latDeg: 0, lonDeg: 0 },
  };
  private readonly tisb: TisbAccuracy = { nacP: 0, sil: 0 };
  private readonly ground: GroundVelocity = {
    ...{ imf: 0, nacV: 1, rateFpm: 0, rateBaro: true, geomDeltaFt: 0, tisb: null, eastKt: 0, northKt: 0 },
  };
  private readonly through: AirVelocity = {
    ...{ imf: 0, nacV: 0, rateFpm: 0, rateBaro: true, geomDeltaFt: 0, tisb: null, headingDeg: 0, airspeedKt: 0, airspeedTrue: true },
  };
  private readonly target: TargetStateFields = {
    ...{ altitudeFromFms: false, selectedAltitudeFt: 0, qnhHpa: 0, selectedHeadingDeg: 0, nacP: 0 },
    ...{ nicBaro: 1, sil: 3, silSupplement: 0, navModes: 0, imf: 0 },
  };
  private readonly target1: TargetStateVersion1 = {
    ...{ verticalSource: 0, verticalMode: 0, targetAltitudeFt: 0, horizontalSource: 0, horizontalMode: 0, targetHeadingDeg: 0 },
    ...{ track: true, nacP: 0, nicBaro: 1, sil: 0, tcasOff: 0, advisoryActive: 0, emergency: 0 },
  };
  private readonly operational: OperationalStatusFields = {
    ...{ version: 2, surface: false, nicA: 0, nicC: 0, nicBaro: 1, nacP: 0, nacV: 0, sil: 3, silSupplement: 0, gva: 2, sda: 2 },
    ...{ headingMagnetic: 0, trackNotHeading: 1, tcasOperational: true, imf: 0 },
  };

  /** `year`: decimal, for the magnetic field. */
  constructor(table: AircraftTable, random: Random, year: number) {
    this.table = table;
    this.year = year;
    this.random = random;
    this.odd = new Uint8Array(table.fleet.length);
    this.turns = new Uint8Array(table.fleet.length);
    this.rare = new RareFormats(table.fleet.length);
    for (let i = 0; i < this.turns.length; i += 1) this.turns[i] = i % 12;
  }

  /** Sends what a stream of aircraft `i` has to say at `seconds`; length of the frame, 0 where it has nothing. */
  send(i: number, stream: number, seconds: number): 0 | 7 | 14 {
    this.table.state(i, seconds, this.state);
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
        encodeAllCall(this.bytes, 0, identity.address, this.state.onGround ? 4 : 5, 0);
        return 7;
      case STREAM_REPLY:
        return this.sendReply(i, identity, seconds);
      case STREAM_RARE:
        this.again(0.9, 1.1);
        return this.rare.send(this.bytes, this.squitterHeader(identity), identity, this.state, this.table.squawk(i, seconds), seconds);
      default:
        this.again(4, 6);
        return 0;
    }
  }

  private again(minS: number, maxS: number): void {
    this.delayUs = this.random.between(minS, maxS) * SECOND_US;
  }

  private standing(): boolean {
    return this.state.onGround && this.state.groundSpeedKt < STANDING_KT;
  }

  private squitterHeader(identity: Identity): SquitterHeader {
    const { header } = this;
    const controlField = controlFields[identity.link];
    header.df = controlField === undefined ? 17 : 18;
    header.capability = controlField ?? (this.state.onGround ? 4 : 5);
    header.address = identity.address;
    return header;
  }

  private sendPosition(i: number, identity: Identity, seconds: number): 0 | 14 {
    const { state } = this;
    if (isCoarse(identity)) return this.sendCoarsePosition(i, identity);
    const odd = this.odd[i] === 1;
    this.odd[i]! ^= 1;
    if (!state.onGround) {
      const { airborne } = this;
      airborne.typeCode = identity.typeCode;
      airborne.nicB = imfOf(identity);
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
      encodeAirbornePosition(this.bytes, 0, this.squitterHeader(identity), airborne);
      this.again(0.4, 0.6);
      return 14;
    }
    const { surface } = this;
    const standing = this.standing();
    surface.typeCode = surfaceTypeCode(identity.typeCode);
    surface.imf = imfOf(identity);
    surface.groundSpeedKt = state.groundSpeedKt;
    surface.version = identity.version;
    surface.trackValid = !standing;
    surface.trackDeg = trackDeg(state);
    surface.odd = odd;
    surface.latDeg = state.latDeg;
    surface.lonDeg = state.lonDeg;
    encodeSurfacePosition(this.bytes, 0, this.squitterHeader(identity), surface);
    this.again(standing ? 4.8 : 0.4, standing ? 5.2 : 0.6);
    return 14;
  }

  /** A radar's track: in the air only. */
  private sendCoarsePosition(i: number, identity: Identity): 0 | 14 {
    const { state, coarse } = this;
    this.again(0.9, 1.1);
    if (state.onGround) return 0;
    coarse.imf = imfOf(identity);
    coarse.serviceVolume = identity.base & 0xf;
    coarse.altitudeFt = state.altitudeFt;
    coarse.gillham = identity.gillham;
    coarse.trackDeg = trackDeg(state);
    coarse.groundSpeedKt = state.groundSpeedKt;
    coarse.odd = this.odd[i] === 1;
    this.odd[i]! ^= 1;
    coarse.latDeg = state.latDeg;
    coarse.lonDeg = state.lonDeg;
    encodeCoarsePosition(this.bytes, 0, identity.address, coarse);
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
      const { through } = this;
      through.rateFpm = state.rateFpm;
      through.geomDeltaFt = air.geomDeltaFt;
      through.tisb = this.tisbAccuracy(identity);
      through.imf = imfOf(identity);
      through.headingDeg = headingMagneticDeg(state, air, this.year);
      through.airspeedKt = air.tasKt;
      encodeAirVelocity(this.bytes, 0, this.squitterHeader(identity), through);
      return 14;
    }
    const { ground } = this;
    ground.nacV = identity.nacV;
    ground.rateFpm = state.rateFpm;
    ground.rateBaro = identity.address % 4 !== 0;
    ground.geomDeltaFt = air.geomDeltaFt;
    ground.tisb = this.tisbAccuracy(identity);
    ground.imf = imfOf(identity);
    ground.eastKt = state.east * state.groundSpeedKt;
    ground.northKt = state.north * state.groundSpeedKt;
    encodeGroundVelocity(this.bytes, 0, this.squitterHeader(identity), ground);
    return 14;
  }

  /** What only velocities of TIS-B tell; null for others. */
  private tisbAccuracy(identity: Identity): TisbAccuracy | null {
    if (!isTisb(identity)) return null;
    this.tisb.nacP = identity.nacP;
    this.tisb.sil = identity.sil;
    return this.tisb;
  }

  private sendIdentification(i: number, identity: Identity): 14 {
    const standing = this.standing();
    this.again(standing ? 9.8 : 4.8, standing ? 10.2 : 5.2);
    const { category } = identity.aircraftClass;
    encodeIdentification(this.bytes, 0, this.squitterHeader(identity), category, this.table.flights, i * PACKED_FLIGHT_BYTES);
    return 14;
  }

  private sendOperational(identity: Identity): 14 {
    const { operational: fields, state } = this;
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
    fields.imf = imfOf(identity);
    encodeOperationalStatus(this.bytes, 0, this.squitterHeader(identity), fields);
    return 14;
  }

  private sendTarget(i: number, identity: Identity): 0 | 14 {
    const { target, state } = this;
    this.again(1.2, 1.3);
    if (state.onGround) return 0;
    if (identity.version === 1) return this.sendTargetVersion1(i, identity);
    airDataOf(state, this.air);
    target.altitudeFromFms = identity.address % 16 === 0;
    target.selectedAltitudeFt = this.selectedAltitudeFt(i);
    target.qnhHpa = settingHpa(state);
    target.selectedHeadingDeg = headingMagneticDeg(state, this.air, this.year);
    target.nacP = identity.nacP;
    target.sil = identity.sil;
    target.navModes = navModes(state);
    target.imf = imfOf(identity);
    encodeTargetState(this.bytes, 0, this.squitterHeader(identity), target);
    return 14;
  }

  private sendTargetVersion1(i: number, identity: Identity): 14 {
    const { target1, state } = this;
    target1.targetAltitudeFt = this.selectedAltitudeFt(i);
    target1.nacP = identity.nacP;
    target1.sil = identity.sil;
    aimVersion1(state, target1);
    encodeTargetStateVersion1(this.bytes, 0, this.squitterHeader(identity), target1);
    return 14;
  }

  private selectedAltitudeFt(i: number): number {
    return selectedAltitudeFt(this.state, this.table.cruiseFt[i]!, this.table.destinationFt[i]!);
  }

  private sendEmergency(i: number, identity: Identity, seconds: number): 14 {
    const emergency = this.table.emergency(i, seconds);
    this.again(emergency === 0 ? 4.8 : 0.7, emergency === 0 ? 5.2 : 0.9);
    const squawk = identity.version === 2 ? this.table.squawk(i, seconds) : 0;
    encodeEmergency(this.bytes, 0, this.squitterHeader(identity), emergency, squawk, imfOf(identity));
    return 14;
  }

  /** Replies in a cycle of twelve: surveillance, Comm-B registers where the aircraft has them, air-air. */
  private sendReply(i: number, identity: Identity, seconds: number): 7 | 14 {
    const { bytes, state } = this;
    this.again(state.onGround ? 2 : 0.7, state.onGround ? 4 : 1.3);
    const turn = this.turns[i]!;
    this.turns[i] = (turn + 1) % 12;
    const squawk = this.table.squawk(i, seconds);
    const flightStatus = (state.onGround ? 1 : 0) + (hasAlert(squawk) ? 2 : 0);
    const { address, gillham } = identity;
    if (turn === 4 || turn === 10) {
      encodeAirAir(bytes, 0, address, state.onGround, state.altitudeFt, gillham);
      return 7;
    }
    const message = this.register(i, identity, turn);
    // 1 and 7 surveillance or Comm-B identity, 3 and 9 Comm-B identity, the rest altitude.
    if ((turn & 1) === 1 && turn !== 5) encodeIdentityReply(bytes, 0, address, flightStatus, squawk, message);
    else encodeAltitudeReply(bytes, 0, address, flightStatus, state.altitudeFt, gillham, message);
    return message === null ? 7 : 14;
  }

  /** The register that a turn of the cycle asks for; null for a short reply. Empty where the aircraft does not serve it. */
  private register(i: number, identity: Identity, turn: number): Uint8Array | null {
    const { message, state, air } = this;
    if (turn === 0 || turn === 1 || turn === 6) return null;
    if (turn === 7) messageIdentification(message, this.table.flights, i * PACKED_FLIGHT_BYTES);
    else if (!identity.equipped || state.onGround) message.fill(0);
    else if (turn === 2) messageVerticalIntention(message, this.selectedAltitudeFt(i), -1, settingHpa(state), navModes(state));
    else if (turn === 3 || turn === 8) {
      airDataOf(state, air);
      messageTrackAndTurn(message, air.rollDeg, trackDeg(state), state.groundSpeedKt, state.turnDegPerS, air.tasKt);
    } else if (turn === 5 || turn === 9) {
      airDataOf(state, air);
      messageHeadingAndSpeed(message, headingMagneticDeg(state, air, this.year), air.iasKt, air.mach, state.rateFpm, state.rateFpm);
    } else this.seldom(identity);
    return message;
  }

  private seldom(identity: Identity): void {
    if (identity.address % 3 === 0) messageDataLink(this.message);
    else if (identity.address % 3 === 1) messageCapability(this.message);
    else this.message.fill(0);
  }
}

/** The surface type code of the same accuracy as an airborne one. */
function surfaceTypeCode(typeCode: number): number {
  return typeCode >= GEOMETRIC_TYPE_CODE ? typeCode - 15 : Math.min(8, typeCode - 4);
}

/** Codes that raise the permanent alert. */
function hasAlert(squawk: number): boolean {
  return squawk === 7500 || squawk === 7600 || squawk === 7700;
}
