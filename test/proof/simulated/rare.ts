// Traffic with every format: each link, and messages that are rare on the air: coarse TIS-B, target states of version 1, advisories of encounters,
// Comm-D, test messages, altitudes without a position. An encounter comes every ten minutes and lasts half a minute: an advisory, then the report
// of its end.
import { SENT_AIRBORNE_POSITION, SENT_REPLY } from '../../../pipeline/simulate/contents.ts';
import { altitudeCode13 } from '../../../pipeline/simulate/encode/codes.ts';
import { COMM_B_BYTES } from '../../../pipeline/simulate/encode/comm-b.ts';
import { encodeReply } from '../../../pipeline/simulate/encode/reply.ts';
import { encodeAirbornePosition, type SquitterHeader } from '../../../pipeline/simulate/encode/squitter.ts';
import { FLIGHT_VEHICLE } from '../../../pipeline/simulate/flights/classes.ts';
import type { Identity, RareIdentity } from '../../../pipeline/simulate/flights/fleet.ts';
import {
  ADSB_STREAMS,
  LINK_ADSB,
  LINK_ADSR,
  LINK_MODE_S,
  LINK_NON_TRANSPONDER,
  LINK_TISB,
  LINK_TISB_TRACK,
  type Link,
  REPLY_STREAMS,
  STREAM_HEARING,
  STREAM_POSITION,
  STREAM_RARE,
  STREAM_TARGET,
  STREAM_VELOCITY,
} from '../../../pipeline/simulate/flights/links.ts';
import { type FlightState, PHASE_APPROACH, PHASE_CRUISE, trackDeg } from '../../../pipeline/simulate/flights/state.ts';
import type { RareFormats } from '../../../pipeline/simulate/traffic.ts';
import type { RareMessages, Transmitter } from '../../../pipeline/simulate/transmit.ts';
import { encodeAdvisory, encodeAirAirAdvisory, messageAdvisory } from './advisory.ts';
import { encodeCoarsePosition } from './coarse.ts';
import { encodeCommD, encodeTestMessage } from './other-formats.ts';
import {
  type AdvisoryFields,
  RareContents,
  REGISTER_ADVISORY,
  SENT_ADVISORY,
  SENT_COARSE_POSITION,
  SENT_COMM_D,
  SENT_TARGET_VERSION_1,
  SENT_TEST,
  THREAT_ADDRESS,
  THREAT_POSITION,
} from './rare-contents.ts';
import {
  encodeTargetStateVersion1,
  MODE_ACQUIRING,
  MODE_KEEPING,
  SOURCE_FMS,
  SOURCE_HOLDING,
  SOURCE_PANEL,
  type TargetStateVersion1,
} from './target-state.ts';

const STREAM_COARSE = STREAM_RARE + 1;
const STREAM_TARGET_VERSION_1 = STREAM_RARE + 2;

/** ADS-B with rare messages; version 1 has target states of its own. */
const EVERY_ADSB: Link = { ...LINK_ADSB, streams: [...LINK_ADSB.streams, STREAM_RARE] };
const EVERY_ADSB_1: Link = {
  ...EVERY_ADSB,
  streams: EVERY_ADSB.streams.map((stream) => (stream === STREAM_TARGET ? STREAM_TARGET_VERSION_1 : stream)),
};
/** Rebroadcast from another link, with a non-ICAO address. */
const LINK_ADSR_OTHER: Link = { ...LINK_ADSR, imf: 1, address: 'other', streams: [...ADSB_STREAMS, STREAM_HEARING] };
/** TIS-B whose address is a Mode A code and a track file: DF 18, CF 2. */
const LINK_TISB_FILE: Link = { ...LINK_TISB, imf: 1, address: 'track', streams: [STREAM_POSITION, STREAM_VELOCITY, STREAM_HEARING] };
/** Coarse TIS-B, DF 18, CF 3: from a Mode S aircraft, and from a track file. */
const LINK_TISB_COARSE: Link = { ...LINK_MODE_S, controlField: 3, streams: [STREAM_COARSE, ...REPLY_STREAMS, STREAM_HEARING] };
const LINK_TISB_COARSE_TRACK: Link = { ...LINK_TISB_COARSE, imf: 1, address: 'track', streams: [STREAM_COARSE, STREAM_HEARING] };

/** Assigned in turn. */
const EVERY_LINK = [
  ...[EVERY_ADSB, LINK_TISB_COARSE, LINK_ADSR_OTHER, EVERY_ADSB, LINK_TISB_FILE, LINK_TISB_COARSE_TRACK, EVERY_ADSB, LINK_TISB],
  ...[LINK_TISB_TRACK, LINK_ADSR, LINK_NON_TRANSPONDER, LINK_MODE_S],
];
const GEOMETRIC_TYPE_CODES = [20, 21];

/** All links but for vehicles; all versions, and some aircraft with GNSS as the only position source. */
const identityOf: RareIdentity = (index, { flight }) => {
  if (flight === FLIGHT_VEHICLE) return null;
  const link = EVERY_LINK[index % EVERY_LINK.length]!;
  if (link !== EVERY_ADSB) return { link };
  const turn = Math.floor(index / EVERY_LINK.length);
  const typeCode = turn % 4 === 3 ? { typeCode: GEOMETRIC_TYPE_CODES[(turn >> 2) % 2]! } : {};
  return { link: turn % 3 === 1 ? EVERY_ADSB_1 : link, version: turn % 3, ...typeCode };
};

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

class Messages implements RareMessages {
  readonly sent = new RareContents();
  /** Frames sent by each aircraft: selects the next one in the cycle. */
  private readonly turns: Uint8Array;
  private readonly message = new Uint8Array(COMM_B_BYTES);
  private readonly segment = new Uint8Array(10);
  /** 1 before an odd coarse position. */
  private readonly odd: Uint8Array;

  constructor(aircraft: number) {
    this.turns = new Uint8Array(aircraft);
    this.odd = new Uint8Array(aircraft);
  }

  send(transmitter: Transmitter, index: number, stream: number, seconds: number): 0 | 14 {
    const { bytes, state, table } = transmitter;
    const identity = table.fleet[index]!;
    if (stream === STREAM_COARSE) return this.sendCoarsePosition(transmitter, identity);
    if (stream === STREAM_TARGET_VERSION_1) return this.sendTarget(transmitter, identity, seconds);
    transmitter.again(0.9, 1.1);
    const header = transmitter.squitterHeader(identity);
    const squawk = table.squawk(index, seconds);
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
    if (turn === 0) encodeAdvisory(bytes, header, advisory);
    else if (turn === 1) encodeAirAirAdvisory(bytes, address, false, state.altitudeFt, gillham, advisory);
    else {
      messageAdvisory(message, advisory);
      encodeReply(bytes, 20, address, 0, altitudeCode13(state.altitudeFt, gillham), message);
    }
  }

  private sendTest(bytes: Uint8Array, header: SquitterHeader, squawk: number): void {
    this.sent.kind = SENT_TEST;
    this.sent.squawk = squawk;
    encodeTestMessage(bytes, header, squawk);
  }

  private sendCommD(bytes: Uint8Array, identity: Identity, seconds: number): void {
    const { segment } = this;
    this.sent.kind = SENT_COMM_D;
    for (let i = 0; i < segment.length; i += 1) segment[i] = (identity.address >>> i) & 0xff;
    encodeCommD(bytes, identity.address, false, Math.floor(seconds) & 0xf, segment);
  }

  private sendAltitude(bytes: Uint8Array, header: SquitterHeader, identity: Identity, state: FlightState): void {
    const { airborne } = this.sent;
    this.sent.kind = SENT_AIRBORNE_POSITION;
    airborne.typeCode = 0;
    airborne.surveillanceStatus = 0;
    airborne.nicB = 0;
    airborne.altitudeFt = state.altitudeFt;
    airborne.gillham = identity.gillham;
    encodeAirbornePosition(bytes, header, airborne);
  }

  /** A radar track, only in the air. */
  private sendCoarsePosition(transmitter: Transmitter, { index, base, link, gillham, address }: Identity): 0 | 14 {
    const { bytes, state } = transmitter;
    const { coarse } = this.sent;
    transmitter.again(0.9, 1.1);
    if (state.onGround) return 0;
    this.sent.kind = SENT_COARSE_POSITION;
    coarse.imf = link.imf;
    coarse.serviceVolume = base & 0xf;
    coarse.altitudeFt = state.altitudeFt;
    coarse.gillham = gillham;
    coarse.trackDeg = trackDeg(state);
    coarse.groundSpeedKt = state.groundSpeedKt;
    coarse.odd = this.odd[index] === 1;
    this.odd[index]! ^= 1;
    coarse.latDeg = state.latDeg;
    coarse.lonDeg = state.lonDeg;
    encodeCoarsePosition(bytes, address, coarse);
    return 14;
  }

  private sendTarget(transmitter: Transmitter, identity: Identity, seconds: number): 0 | 14 {
    const { bytes, state, table } = transmitter;
    const { target1 } = this.sent;
    transmitter.again(1.2, 1.3);
    if (state.onGround) return 0;
    this.sent.kind = SENT_TARGET_VERSION_1;
    target1.targetAltitudeFt = transmitter.selectedAltitudeFt(identity.index);
    target1.nacP = identity.nacP;
    target1.sil = identity.sil;
    aim(state, table.emergency(identity.index, seconds), target1);
    encodeTargetStateVersion1(bytes, transmitter.squitterHeader(identity), target1);
    return 14;
  }
}

/** Version 1 contains the source of a target and whether it is reached. */
function aim(state: FlightState, emergency: number, target: TargetStateVersion1): void {
  const cruise = state.phase === PHASE_CRUISE;
  const approach = state.phase === PHASE_APPROACH;
  target.verticalSource = cruise ? SOURCE_HOLDING : approach ? SOURCE_PANEL : SOURCE_FMS;
  target.verticalMode = cruise ? MODE_KEEPING : MODE_ACQUIRING;
  target.horizontalSource = approach ? SOURCE_PANEL : SOURCE_FMS;
  target.horizontalMode = MODE_KEEPING;
  target.targetHeadingDeg = trackDeg(state);
  target.emergency = emergency;
}

export const rareFormats: RareFormats = { identity: identityOf, messages: (aircraft) => new Messages(aircraft) };
