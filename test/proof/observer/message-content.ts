// The content of a transmission, value by value: what its sender flew or had set, and the result of coding it in the message.

import {
  REGISTER_IDENTIFICATION,
  REGISTER_INTENTION,
  REGISTER_SPEED,
  REGISTER_TURN,
  SENT_AIR_VELOCITY,
  SENT_AIRBORNE_POSITION,
  SENT_ALL_CALL,
  SENT_EMERGENCY,
  SENT_GROUND_VELOCITY,
  SENT_IDENTIFICATION,
  SENT_OPERATIONAL,
  SENT_REPLY,
  SENT_SURFACE_POSITION,
  SENT_TARGET,
} from '../../../pipeline/simulate/contents.ts';
import type { GroundVelocity } from '../../../pipeline/simulate/encode/motion.ts';
import {
  type AdvisoryFields,
  type RareContents,
  REGISTER_ADVISORY,
  SENT_ADVISORY,
  SENT_COARSE_POSITION,
  SENT_COMM_D,
  SENT_TARGET_VERSION_1,
  SENT_TEST,
} from '../simulated/rare-contents.ts';
import type { TargetStateVersion1 } from '../simulated/target-state.ts';
import {
  altitudeStepFt,
  angleInSteps,
  type CodedPosition,
  codedAltitudeFt,
  codedPosition,
  inSignedSteps,
  inSteps,
  movementCode,
  type PositionForm,
  rounded,
} from './coding.ts';

export type Value = number | string;

/** One value of a transmission. */
export interface MessageValue {
  readonly name: string;
  /** The form in which a receiver shows it. */
  readonly value: Value;
  /** The number before coding, and the step of the coding; null for exact values. */
  readonly flown: number | null;
  readonly step: number;
  readonly isAngle: boolean;
}

export interface MessagePosition extends CodedPosition {
  readonly form: PositionForm;
  readonly odd: boolean;
  readonly typeCode: number;
  readonly flownLatDeg: number;
  readonly flownLonDeg: number;
}

/** Air/ground state in a message: on the ground, in the air, or not stated to be on the ground. */
export type AirGround = 'ground' | 'airborne' | 'either';

export interface MessageContent {
  readonly values: readonly MessageValue[];
  readonly position: MessagePosition | null;
  readonly airGround: AirGround | null;
  /** Movement code of a surface position: receivers decode it by the version that they know. */
  readonly movement: number | null;
  /** ADS-B version of an operational status. */
  readonly version: number | null;
  /** The register of a Comm-B reply; 0 for other messages. */
  readonly register: number;
  readonly typeCode: number;
}

class Builder {
  readonly values: MessageValue[] = [];
  position: MessagePosition | null = null;
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

  setPosition(form: PositionForm, typeCode: number, odd: boolean, latDeg: number, lonDeg: number): void {
    this.position = { ...codedPosition(latDeg, lonDeg, odd, form), form, odd, typeCode, flownLatDeg: latDeg, flownLonDeg: lonDeg };
  }
}

/** The content of a transmitter's last frame. `flight` is the call sign of the leg. */
export function contentOf(sent: RareContents, flight: string): MessageContent {
  const content = new Builder();
  if (sent.header.df === 17) content.airGround = ofCapability(sent.header.capability);
  contentReaders[sent.kind]?.(sent, content, flight.padEnd(8));
  return content;
}

type ContentReader = (sent: RareContents, content: Builder, flight: string) => void;

const contentReaders: Readonly<Record<number, ContentReader>> = {
  [SENT_AIRBORNE_POSITION]: sayAirborne,
  [SENT_SURFACE_POSITION]: addSurface,
  [SENT_COARSE_POSITION]: sayCoarse,
  [SENT_GROUND_VELOCITY]: sayGroundVelocity,
  [SENT_AIR_VELOCITY]: sayAirVelocity,
  [SENT_IDENTIFICATION]: (sent, content, flight) => {
    content.exact('category', sent.category.toString(16).toUpperCase());
    content.exact('flight', flight);
  },
  [SENT_OPERATIONAL]: sayOperational,
  [SENT_TARGET]: sayTarget,
  [SENT_TARGET_VERSION_1]: (sent, content) => addTargetVersion1(sent.target1, content),
  [SENT_EMERGENCY]: (sent, content) => {
    content.exact('emergency', EMERGENCIES[sent.emergency]!);
    addSquawk(sent.squawk, content);
  },
  [SENT_ALL_CALL]: (sent, content) => {
    content.airGround = ofCapability(sent.header.capability);
  },
  [SENT_REPLY]: sayReply,
  [SENT_TEST]: (sent, content) => addSquawk(sent.squawk, content),
  [SENT_ADVISORY]: (sent, content) => content.exact('acas_ra', advisoryText(sent.advisory, true)),
  [SENT_COMM_D]: (_, content) => {
    content.airGround = null;
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

function addSquawk(squawk: number, content: Builder): void {
  if (squawk !== 0) content.exact('squawk', String(squawk).padStart(4, '0'));
}

function sayAirborne({ airborne }: RareContents, content: Builder): void {
  const { typeCode, surveillanceStatus, altitudeFt, gillham } = airborne;
  content.typeCode = typeCode;
  content.altitude(typeCode >= 20 ? 'alt_geom' : 'alt_baro', altitudeFt, gillham);
  const alert = surveillanceStatus === 1 || surveillanceStatus === 2;
  content.exact('alert', alert ? 1 : 0);
  if (!alert) content.exact('spi', surveillanceStatus === 3 ? 1 : 0);
  if (typeCode !== 0) content.setPosition('airborne', typeCode, airborne.odd, airborne.latDeg, airborne.lonDeg);
}

function addSurface({ surface }: RareContents, content: Builder): void {
  content.typeCode = surface.typeCode;
  content.airGround = 'ground';
  content.movement = movementCode(surface.groundSpeedKt, surface.version ?? 2);
  if (surface.trackValid) content.angle('track', surface.trackDeg, 360 / 128);
  content.setPosition('surface', surface.typeCode, surface.odd, surface.latDeg, surface.lonDeg);
}

function sayCoarse({ coarse }: RareContents, content: Builder): void {
  content.airGround = null;
  content.altitude('alt_baro', coarse.altitudeFt, coarse.gillham);
  content.angle('track', coarse.trackDeg, 360 / 32);
  const step = Math.floor((coarse.groundSpeedKt + 16) / 32);
  const gs = step === 0 ? 8 : 32 * step;
  content.values.push({ name: 'gs', value: gs, flown: coarse.groundSpeedKt, step: 32, isAngle: false });
  const alert = coarse.surveillanceStatus === 1 || coarse.surveillanceStatus === 2;
  content.exact('alert', alert ? 1 : 0);
  if (!alert) content.exact('spi', coarse.surveillanceStatus === 3 ? 1 : 0);
  content.setPosition('coarse', 0, coarse.odd, coarse.latDeg, coarse.lonDeg);
}

const DELTA_FT_MAX = 3137;
const SUBSONIC_KT_MAX = 1022;

/** Rate, altitude difference and accuracy of TC 19; TIS-B may carry the accuracy in place of the difference. */
function addVertical(velocity: Omit<GroundVelocity, 'eastKt' | 'northKt'>, content: Builder): void {
  const { rateFpm, geomDeltaFt, nacV, tisb = null } = velocity;
  content.number(velocity.rateBaro || tisb !== null ? 'baro_rate' : 'geom_rate', rateFpm, 64, 0);
  const hasDelta = Math.abs(geomDeltaFt) <= DELTA_FT_MAX;
  if (hasDelta) content.number('geom_delta', geomDeltaFt, 25, 0);
  if (tisb === null) {
    content.exact('nac_v', nacV);
    return;
  }
  content.exact('nac_p', tisb.nacP);
  if (hasDelta) return;
  content.exact('nac_v', nacV);
  content.exact('sil', tisb.sil);
}

function sayGroundVelocity({ ground }: RareContents, content: Builder): void {
  const { eastKt, northKt } = ground;
  const step = Math.abs(eastKt) > SUBSONIC_KT_MAX || Math.abs(northKt) > SUBSONIC_KT_MAX ? 4 : 1;
  const east = inSteps(eastKt, step);
  const north = inSteps(northKt, step);
  const speed = Math.hypot(east, north);
  content.values.push({
    name: 'gs',
    value: rounded(speed, 1),
    flown: Math.hypot(eastKt, northKt),
    step: step * Math.SQRT2,
    isAngle: false,
  });
  if (speed > 0) {
    const track = (Math.atan2(east, north) * 180) / Math.PI;
    const flown = ((Math.atan2(eastKt, northKt) * 180) / Math.PI + 360) % 360;
    const stepDeg = (2 * Math.atan2(step * Math.SQRT1_2, Math.max(speed, 1)) * 180) / Math.PI;
    content.values.push({ name: 'track', value: rounded((track + 360) % 360, 2) % 360, flown, step: stepDeg, isAngle: true });
  }
  addVertical(ground, content);
}

function sayAirVelocity({ through }: RareContents, content: Builder): void {
  content.angle('heading', through.headingDeg, 360 / 1024);
  content.number(through.airspeedTrue ? 'tas' : 'ias', through.airspeedKt, through.airspeedKt > SUBSONIC_KT_MAX ? 4 : 1, 0);
  addVertical(through, content);
}

function sayOperational({ operational }: RareContents, content: Builder): void {
  const { version, surface } = operational;
  content.typeCode = 31;
  content.version = version;
  if (version === 0) return;
  content.exact('nac_p', operational.nacP);
  content.exact('sil', operational.sil);
  if (!surface) content.exact('nic_baro', operational.nicBaro);
  if (version < 2) return;
  content.exact('sil_type', operational.silSupplement === 1 ? 'persample' : 'perhour');
  content.exact('sda', operational.sda);
  if (surface) content.exact('nac_v', operational.nacV);
  else content.exact('gva', operational.gva);
}

function sayTarget({ target }: RareContents, content: Builder): void {
  content.typeCode = 29;
  content.number(target.altitudeFromFms ? 'nav_altitude_fms' : 'nav_altitude_mcp', target.selectedAltitudeFt, 32, 0);
  content.values.push({
    ...{ name: 'nav_qnh', value: rounded(800 + inSteps(target.qnhHpa - 800, 0.8), 1), flown: target.qnhHpa },
    ...{ step: 0.8, isAngle: false },
  });
  content.angle('nav_heading', target.selectedHeadingDeg, 180 / 256);
  content.exact('nav_modes', modesOf(target.navModes));
  content.exact('nic_baro', target.nicBaro);
  content.exact('nac_p', target.nacP);
  content.exact('sil', target.sil);
  content.exact('sil_type', target.silSupplement === 1 ? 'persample' : 'perhour');
}

/** Version 1 has no mode bits: the modes follow from what is acquired or held, and from the source of the target. DO-260A §2.2.3.2.7.1. */
function addTargetVersion1(target: TargetStateVersion1, content: Builder): void {
  content.typeCode = 29;
  const fromPanel = target.verticalSource === 1;
  const fromFms = target.verticalSource === 3;
  if (fromPanel) content.number('nav_altitude_mcp', target.targetAltitudeFt, 100, 0);
  if (fromFms) content.number('nav_altitude_fms', target.targetAltitudeFt, 100, 0);
  content.angle('nav_heading', target.targetHeadingDeg, 1);
  const vertical = fromFms ? VNAV : target.verticalSource === 2 && target.verticalMode === 2 ? ALTHOLD : AUTOPILOT;
  content.exact('nav_modes', modesOf(vertical | (target.horizontalSource === 3 ? LNAV : AUTOPILOT)));
  content.exact('nic_baro', target.nicBaro);
  content.exact('nac_p', target.nacP);
  content.exact('sil', target.sil);
  content.exact('emergency', EMERGENCIES[target.emergency]!);
}

function sayReply(sent: RareContents, content: Builder): void {
  const { reply } = sent;
  const { df } = reply;
  content.airGround = reply.onGround ? 'ground' : 'either';
  content.register = df === 20 || df === 21 ? reply.register : 0;
  if (df === 5 || df === 21) content.exact('squawk', String(reply.squawk).padStart(4, '0'));
  else content.altitude('alt_baro', reply.altitudeFt, reply.gillham);
  if (df !== 0 && df !== 16) {
    content.exact('alert', reply.flightStatus >= 2 && reply.flightStatus <= 4 ? 1 : 0);
    content.exact('spi', reply.flightStatus >= 4 ? 1 : 0);
  }
  if (df === 16) content.exact('acas_ra', advisoryText(sent.advisory, false));
}

/** The content of a Comm-B reply's register: separate, because a receiver first has to find the register. */
export function registerContentOf(sent: RareContents, flight: string): readonly MessageValue[] {
  const content = new Builder();
  const { intention, turn, speed } = sent;
  switch (sent.reply.register) {
    case REGISTER_IDENTIFICATION:
      content.exact('flight', flight.padEnd(8));
      break;
    case REGISTER_ADVISORY:
      content.exact('acas_ra', advisoryText(sent.advisory, true));
      break;
    case REGISTER_INTENTION:
      content.number('nav_altitude_mcp', intention.mcpAltitudeFt, 16, 0);
      content.values.push({
        ...{ name: 'nav_qnh', value: rounded(800 + inSteps(intention.qnhHpa - 800, 0.1), 1), flown: intention.qnhHpa },
        ...{ step: 0.1, isAngle: false },
      });
      content.exact('nav_modes', modesOf(intention.navModes & (VNAV | ALTHOLD | APPROACH)));
      break;
    case REGISTER_TURN:
      content.signed('roll', turn.rollDeg, 45 / 256, 2);
      content.angle('track', turn.trackDeg, 90 / 512);
      content.number('gs', turn.groundSpeedKt, 2, 1);
      content.signed('track_rate', turn.trackRateDegPerS, 8 / 256, 2);
      content.number('tas', turn.tasKt, 2, 0);
      break;
    case REGISTER_SPEED:
      content.angle('mag_heading', speed.magHeadingDeg, 90 / 512);
      content.number('ias', speed.iasKt, 1, 0);
      content.number('mach', speed.mach, 0.004, 3);
      content.signed('baro_rate', speed.rateFpm, 32, 0);
      content.signed('geom_rate', speed.rateFpm, 32, 0);
      break;
  }
  return content.values;
}

/** An advisory as one text: its bits, whether it has ended, its threat. */
function advisoryText({ ara, rac, ended, threat, threatAddress }: AdvisoryFields, withThreat: boolean): string {
  const active = (ara >> 7).toString(2).padStart(7, '0');
  const about = !withThreat ? '00' : threat === 1 ? `01 ${threatAddress.toString(16).padStart(6, '0')}` : threat === 2 ? '10' : '00';
  return `${active} ${rac.toString(2).padStart(4, '0')} ${ended ? 1 : 0} ${about}`;
}
