// What a transmission says, value by value: what its sender flew or had set, and what the message's steps leave of it.
import {
  type Contents,
  REGISTER_ADVISORY,
  REGISTER_IDENTIFICATION,
  REGISTER_INTENTION,
  REGISTER_SPEED,
  REGISTER_TURN,
  SENT_ADVISORY,
  SENT_AIR_VELOCITY,
  SENT_AIRBORNE_POSITION,
  SENT_ALL_CALL,
  SENT_COARSE_POSITION,
  SENT_COMM_D,
  SENT_EMERGENCY,
  SENT_GROUND_VELOCITY,
  SENT_IDENTIFICATION,
  SENT_OPERATIONAL,
  SENT_REPLY,
  SENT_SURFACE_POSITION,
  SENT_TARGET,
  SENT_TARGET_VERSION_1,
  SENT_TEST,
} from '../simulate/contents.ts';
import type { AdvisoryFields } from '../simulate/encode/advisory.ts';
import type { GroundVelocity } from '../simulate/encode/motion.ts';
import type { TargetStateVersion1 } from '../simulate/encode/target-state.ts';
import {
  altitudeStepFt,
  angleInSteps,
  type CodedPlace,
  codedAltitudeFt,
  codedPlace,
  inSignedSteps,
  inSteps,
  movementCode,
  type PlaceForm,
  rounded,
} from './coding.ts';

export type Value = number | string;

/** One value of a transmission. */
export interface SaidValue {
  readonly name: string;
  /** As a receiver shows it. */
  readonly value: Value;
  /** The number before it was coded, and the step that it was coded in; null where it is coded exactly. */
  readonly flown: number | null;
  readonly step: number;
  readonly isAngle: boolean;
}

export interface SaidPlace extends CodedPlace {
  readonly form: PlaceForm;
  readonly odd: boolean;
  readonly typeCode: number;
  readonly flownLatDeg: number;
  readonly flownLonDeg: number;
}

/** What a message says of the place of an aircraft: on the ground, in the air, or only that it is not said to be on the ground. */
export type AirGround = 'ground' | 'airborne' | 'either';

export interface Said {
  readonly values: readonly SaidValue[];
  readonly place: SaidPlace | null;
  readonly airGround: AirGround | null;
  /** Movement code of a surface position: receivers read it by the version that they know. */
  readonly movement: number | null;
  /** ADS-B version of an operational status. */
  readonly version: number | null;
  /** The register of a Comm-B reply; 0 of other messages. */
  readonly register: number;
  readonly typeCode: number;
}

class Builder {
  readonly values: SaidValue[] = [];
  place: SaidPlace | null = null;
  airGround: AirGround | null = null;
  movement: number | null = null;
  version: number | null = null;
  register = 0;
  typeCode = -1;

  exact(name: string, value: Value): void {
    this.values.push({ name, value, flown: null, step: 0, isAngle: false });
  }

  number(name: string, flown: number, step: number, decimals: number): void {
    this.values.push({ name, value: rounded(inSteps(flown, step), decimals), flown, step, isAngle: false });
  }

  signed(name: string, flown: number, step: number, decimals: number): void {
    this.values.push({ name, value: rounded(inSignedSteps(flown, step), decimals), flown, step, isAngle: false });
  }

  angle(name: string, flown: number, step: number): void {
    this.values.push({ name, value: angleInSteps(flown, step), flown, step, isAngle: true });
  }

  altitude(name: string, flown: number, gillham: boolean): void {
    this.values.push({ name, value: codedAltitudeFt(flown, gillham), flown, step: altitudeStepFt(flown, gillham), isAngle: false });
  }

  position(form: PlaceForm, typeCode: number, odd: boolean, latDeg: number, lonDeg: number): void {
    this.place = { ...codedPlace(latDeg, lonDeg, odd, form), form, odd, typeCode, flownLatDeg: latDeg, flownLonDeg: lonDeg };
  }
}

/** What the last frame of a transmitter says. `flight`: the call sign of the leg. */
export function whatIsSaid(sent: Contents, flight: string): Said {
  const said = new Builder();
  if (sent.header.df === 17) said.airGround = ofCapability(sent.header.capability);
  speakers[sent.kind]?.(sent, said, flight.padEnd(8));
  return said;
}

type Speaker = (sent: Contents, said: Builder, flight: string) => void;

const speakers: Readonly<Record<number, Speaker>> = {
  [SENT_AIRBORNE_POSITION]: sayAirborne,
  [SENT_SURFACE_POSITION]: saySurface,
  [SENT_COARSE_POSITION]: sayCoarse,
  [SENT_GROUND_VELOCITY]: sayGroundVelocity,
  [SENT_AIR_VELOCITY]: sayAirVelocity,
  [SENT_IDENTIFICATION]: (sent, said, flight) => {
    said.exact('category', sent.category.toString(16).toUpperCase());
    said.exact('flight', flight);
  },
  [SENT_OPERATIONAL]: sayOperational,
  [SENT_TARGET]: sayTarget,
  [SENT_TARGET_VERSION_1]: (sent, said) => sayTargetVersion1(sent.target1, said),
  [SENT_EMERGENCY]: (sent, said) => {
    said.exact('emergency', EMERGENCIES[sent.emergency]!);
    saySquawk(sent.squawk, said);
  },
  [SENT_ALL_CALL]: (sent, said) => {
    said.airGround = ofCapability(sent.header.capability);
  },
  [SENT_REPLY]: sayReply,
  [SENT_TEST]: (sent, said) => saySquawk(sent.squawk, said),
  [SENT_ADVISORY]: (sent, said) => said.exact('acas_ra', advisoryText(sent.advisory, true)),
  [SENT_COMM_D]: (_, said) => {
    said.airGround = null;
  },
};

const EMERGENCIES = ['none', 'general', 'lifeguard', 'minfuel', 'nordo', 'unlawful', 'downed', 'reserved'];
/** By bit. */
const MODES = ['autopilot', 'vnav', 'althold', 'approach', 'lnav', 'tcas'];
const AUTOPILOT = 1;
const VNAV = 2;
const ALTHOLD = 4;
const APPROACH = 8;
const LNAV = 16;

function ofCapability(capability: number): AirGround | null {
  return capability === 4 ? 'ground' : capability === 5 ? 'airborne' : null;
}

function modesOf(bits: number): string {
  return MODES.filter((_, bit) => ((bits >> bit) & 1) === 1).join(' ');
}

function saySquawk(squawk: number, said: Builder): void {
  if (squawk !== 0) said.exact('squawk', String(squawk).padStart(4, '0'));
}

function sayAirborne({ airborne }: Contents, said: Builder): void {
  const { typeCode, surveillanceStatus, altitudeFt, gillham } = airborne;
  said.typeCode = typeCode;
  said.altitude(typeCode >= 20 ? 'alt_geom' : 'alt_baro', altitudeFt, gillham);
  const alert = surveillanceStatus === 1 || surveillanceStatus === 2;
  said.exact('alert', alert ? 1 : 0);
  if (!alert) said.exact('spi', surveillanceStatus === 3 ? 1 : 0);
  if (typeCode !== 0) said.position('airborne', typeCode, airborne.odd, airborne.latDeg, airborne.lonDeg);
}

function saySurface({ surface }: Contents, said: Builder): void {
  said.typeCode = surface.typeCode;
  said.airGround = 'ground';
  said.movement = movementCode(surface.groundSpeedKt, surface.version ?? 2);
  if (surface.trackValid) said.angle('track', surface.trackDeg, 360 / 128);
  said.position('surface', surface.typeCode, surface.odd, surface.latDeg, surface.lonDeg);
}

function sayCoarse({ coarse }: Contents, said: Builder): void {
  said.airGround = null;
  said.altitude('alt_baro', coarse.altitudeFt, coarse.gillham);
  said.angle('track', coarse.trackDeg, 360 / 32);
  const step = Math.floor((coarse.groundSpeedKt + 16) / 32);
  const gs = step === 0 ? 8 : 32 * step;
  said.values.push({ name: 'gs', value: gs, flown: coarse.groundSpeedKt, step: 32, isAngle: false });
  const alert = coarse.surveillanceStatus === 1 || coarse.surveillanceStatus === 2;
  said.exact('alert', alert ? 1 : 0);
  if (!alert) said.exact('spi', coarse.surveillanceStatus === 3 ? 1 : 0);
  said.position('coarse', 0, coarse.odd, coarse.latDeg, coarse.lonDeg);
}

const DELTA_FT_MAX = 3137;
const SUBSONIC_KT_MAX = 1022;

/** Rate, difference of altitudes and accuracy of TC 19; TIS-B has its accuracy in place of the difference. */
function sayVertical(velocity: Omit<GroundVelocity, 'eastKt' | 'northKt'>, said: Builder): void {
  const { rateFpm, geomDeltaFt, nacV, tisb = null } = velocity;
  said.number(velocity.rateBaro || tisb !== null ? 'baro_rate' : 'geom_rate', rateFpm, 64, 0);
  const hasDelta = Math.abs(geomDeltaFt) <= DELTA_FT_MAX;
  if (hasDelta) said.number('geom_delta', geomDeltaFt, 25, 0);
  if (tisb === null) {
    said.exact('nac_v', nacV);
    return;
  }
  said.exact('nac_p', tisb.nacP);
  if (hasDelta) return;
  said.exact('nac_v', nacV);
  said.exact('sil', tisb.sil);
}

function sayGroundVelocity({ ground }: Contents, said: Builder): void {
  const { eastKt, northKt } = ground;
  const step = Math.abs(eastKt) > SUBSONIC_KT_MAX || Math.abs(northKt) > SUBSONIC_KT_MAX ? 4 : 1;
  const east = inSteps(eastKt, step);
  const north = inSteps(northKt, step);
  const speed = Math.hypot(east, north);
  said.values.push({ name: 'gs', value: rounded(speed, 1), flown: Math.hypot(eastKt, northKt), step: step * Math.SQRT2, isAngle: false });
  if (speed > 0) {
    const track = (Math.atan2(east, north) * 180) / Math.PI;
    const flown = ((Math.atan2(eastKt, northKt) * 180) / Math.PI + 360) % 360;
    const stepDeg = (2 * Math.atan2(step * Math.SQRT1_2, Math.max(speed, 1)) * 180) / Math.PI;
    said.values.push({ name: 'track', value: rounded((track + 360) % 360, 2) % 360, flown, step: stepDeg, isAngle: true });
  }
  sayVertical(ground, said);
}

function sayAirVelocity({ through }: Contents, said: Builder): void {
  said.angle('heading', through.headingDeg, 360 / 1024);
  said.number(through.airspeedTrue ? 'tas' : 'ias', through.airspeedKt, through.airspeedKt > SUBSONIC_KT_MAX ? 4 : 1, 0);
  sayVertical(through, said);
}

function sayOperational({ operational }: Contents, said: Builder): void {
  const { version, surface } = operational;
  said.typeCode = 31;
  said.version = version;
  if (version === 0) return;
  said.exact('nac_p', operational.nacP);
  said.exact('sil', operational.sil);
  if (!surface) said.exact('nic_baro', operational.nicBaro);
  if (version < 2) return;
  said.exact('sil_type', operational.silSupplement === 1 ? 'persample' : 'perhour');
  said.exact('sda', operational.sda);
  if (surface) said.exact('nac_v', operational.nacV);
  else said.exact('gva', operational.gva);
}

function sayTarget({ target }: Contents, said: Builder): void {
  said.typeCode = 29;
  said.number(target.altitudeFromFms ? 'nav_altitude_fms' : 'nav_altitude_mcp', target.selectedAltitudeFt, 32, 0);
  said.values.push({
    ...{ name: 'nav_qnh', value: rounded(800 + inSteps(target.qnhHpa - 800, 0.8), 1), flown: target.qnhHpa },
    ...{ step: 0.8, isAngle: false },
  });
  said.angle('nav_heading', target.selectedHeadingDeg, 180 / 256);
  said.exact('nav_modes', modesOf(target.navModes));
  said.exact('nic_baro', target.nicBaro);
  said.exact('nac_p', target.nacP);
  said.exact('sil', target.sil);
  said.exact('sil_type', target.silSupplement === 1 ? 'persample' : 'perhour');
}

/** Version 1 names no modes: they follow from what is acquired or kept, and from where the target comes. DO-260A §2.2.3.2.7.1. */
function sayTargetVersion1(target: TargetStateVersion1, said: Builder): void {
  said.typeCode = 29;
  const fromPanel = target.verticalSource === 1;
  const fromFms = target.verticalSource === 3;
  if (fromPanel) said.number('nav_altitude_mcp', target.targetAltitudeFt, 100, 0);
  if (fromFms) said.number('nav_altitude_fms', target.targetAltitudeFt, 100, 0);
  said.angle('nav_heading', target.targetHeadingDeg, 1);
  const vertical = fromFms ? VNAV : target.verticalSource === 2 && target.verticalMode === 2 ? ALTHOLD : AUTOPILOT;
  said.exact('nav_modes', modesOf(vertical | (target.horizontalSource === 3 ? LNAV : AUTOPILOT)));
  said.exact('nic_baro', target.nicBaro);
  said.exact('nac_p', target.nacP);
  said.exact('sil', target.sil);
  said.exact('emergency', EMERGENCIES[target.emergency]!);
}

function sayReply(sent: Contents, said: Builder): void {
  const { reply } = sent;
  const { df } = reply;
  said.airGround = reply.onGround ? 'ground' : 'either';
  said.register = df === 20 || df === 21 ? reply.register : 0;
  if (df === 5 || df === 21) said.exact('squawk', String(reply.squawk).padStart(4, '0'));
  else said.altitude('alt_baro', reply.altitudeFt, reply.gillham);
  if (df !== 0 && df !== 16) {
    said.exact('alert', reply.flightStatus >= 2 && reply.flightStatus <= 4 ? 1 : 0);
    said.exact('spi', reply.flightStatus >= 4 ? 1 : 0);
  }
  if (df === 16) said.exact('acas_ra', advisoryText(sent.advisory, false));
}

/** What the register of a Comm-B reply says: apart, as a receiver has to find out first which register it is. */
export function whatTheRegisterSays(sent: Contents, flight: string): readonly SaidValue[] {
  const said = new Builder();
  const { intention, turn, speed } = sent;
  switch (sent.reply.register) {
    case REGISTER_IDENTIFICATION:
      said.exact('flight', flight.padEnd(8));
      break;
    case REGISTER_ADVISORY:
      said.exact('acas_ra', advisoryText(sent.advisory, true));
      break;
    case REGISTER_INTENTION:
      said.number('nav_altitude_mcp', intention.mcpAltitudeFt, 16, 0);
      said.values.push({
        ...{ name: 'nav_qnh', value: rounded(800 + inSteps(intention.qnhHpa - 800, 0.1), 1), flown: intention.qnhHpa },
        ...{ step: 0.1, isAngle: false },
      });
      said.exact('nav_modes', modesOf(intention.navModes & (VNAV | ALTHOLD | APPROACH)));
      break;
    case REGISTER_TURN:
      said.signed('roll', turn.rollDeg, 45 / 256, 2);
      said.angle('track', turn.trackDeg, 90 / 512);
      said.number('gs', turn.groundSpeedKt, 2, 1);
      said.signed('track_rate', turn.trackRateDegPerS, 8 / 256, 2);
      said.number('tas', turn.tasKt, 2, 0);
      break;
    case REGISTER_SPEED:
      said.angle('mag_heading', speed.magHeadingDeg, 90 / 512);
      said.number('ias', speed.iasKt, 1, 0);
      said.number('mach', speed.mach, 0.004, 3);
      said.signed('baro_rate', speed.rateFpm, 32, 0);
      said.signed('geom_rate', speed.rateFpm, 32, 0);
      break;
  }
  return said.values;
}

/** An advisory as one text: its bits, whether it has ended, what it says of the threat. */
function advisoryText({ ara, rac, ended, threat, threatAddress }: AdvisoryFields, withThreat: boolean): string {
  const active = (ara >> 7).toString(2).padStart(7, '0');
  const about = !withThreat ? '00' : threat === 1 ? `01 ${threatAddress.toString(16).padStart(6, '0')}` : threat === 2 ? '10' : '00';
  return `${active} ${rac.toString(2).padStart(4, '0')} ${ended ? 1 : 0} ${about}`;
}
