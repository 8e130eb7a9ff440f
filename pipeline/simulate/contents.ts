// The content of a simulated frame before it is coded: the sender's numbers. This is all that a receiver can know.
// A transmitter has one `Contents` and overwrites it for each frame; `kind` gives the part of the last one. Kinds 3, 9 and 13 to 15 are those of rare messages in traffic for tests.
import type { AirVelocity, GroundVelocity, TisbAccuracy } from './encode/motion.ts';
import type { AirbornePosition, SquitterHeader, SurfacePosition } from './encode/squitter.ts';
import type { OperationalStatusFields, TargetStateFields } from './encode/status.ts';

export const SENT_NOTHING = 0;
export const SENT_AIRBORNE_POSITION = 1;
export const SENT_SURFACE_POSITION = 2;
/** TC 19 over the ground, and through the air. */
export const SENT_GROUND_VELOCITY = 4;
export const SENT_AIR_VELOCITY = 5;
export const SENT_IDENTIFICATION = 6;
export const SENT_OPERATIONAL = 7;
export const SENT_TARGET = 8;
export const SENT_EMERGENCY = 10;
export const SENT_ALL_CALL = 11;
/** DF 0, 4, 5, 20, 21: `reply`. */
export const SENT_REPLY = 12;

/** Register in the MB field of a long reply. */
export const REGISTER_NONE = 0;
/** Zeros from a transponder that does not serve the requested register. */
export const REGISTER_EMPTY = 1;
export const REGISTER_DATA_LINK = 0x10;
export const REGISTER_CAPABILITY = 0x17;
export const REGISTER_IDENTIFICATION = 0x20;
export const REGISTER_INTENTION = 0x40;
export const REGISTER_TURN = 0x50;
export const REGISTER_SPEED = 0x60;

export class Contents {
  /** SENT_* */
  kind = SENT_NOTHING;
  /** Extended squitters; DF 11 uses its capability too. */
  readonly header: SquitterHeader = { df: 17, capability: 5, address: 0 };
  readonly airborne: AirbornePosition = {
    ...{ typeCode: 11, surveillanceStatus: 0, nicB: 0, altitudeFt: 0, gillham: false, odd: false, latDeg: 0, lonDeg: 0 },
  };
  readonly surface: SurfacePosition = {
    ...{ typeCode: 7, groundSpeedKt: 0, version: 2, trackValid: false, trackDeg: 0, imf: 0, odd: false, latDeg: 0, lonDeg: 0 },
  };
  readonly tisb: TisbAccuracy = { nacP: 0, sil: 0 };
  readonly ground: GroundVelocity = {
    ...{ imf: 0, nacV: 1, rateFpm: 0, rateBaro: true, geomDeltaFt: 0, tisb: null, eastKt: 0, northKt: 0 },
  };
  readonly through: AirVelocity = {
    ...{ imf: 0, nacV: 0, rateFpm: 0, rateBaro: true, geomDeltaFt: 0, tisb: null, headingDeg: 0, airspeedKt: 0, airspeedTrue: true },
  };
  readonly target: TargetStateFields = {
    ...{ altitudeFromFms: false, selectedAltitudeFt: 0, qnhHpa: 0, selectedHeadingDeg: 0, nacP: 0 },
    ...{ nicBaro: 1, sil: 3, silSupplement: 0, navModes: 0, imf: 0 },
  };
  readonly operational: OperationalStatusFields = {
    ...{ version: 2, surface: false, nicA: 0, nicC: 0, nicBaro: 1, nacP: 0, nacV: 0, sil: 3, silSupplement: 0, gva: 2, sda: 2 },
    ...{ headingMagnetic: 0, trackNotHeading: 1, tcasOperational: true, imf: 0 },
  };
  /** Identifications and TC 28. Squawks are decimal numbers, 0 when none is sent. The call sign is in the table. */
  category = 0;
  emergency = 0;
  squawk = 0;
  readonly reply = { df: 4, onGround: false, flightStatus: 0, altitudeFt: 0, gillham: false, squawk: 0, register: REGISTER_NONE };
  readonly intention = { mcpAltitudeFt: 0, qnhHpa: 0, navModes: 0 };
  readonly turn = { rollDeg: 0, trackDeg: 0, groundSpeedKt: 0, trackRateDegPerS: 0, tasKt: 0 };
  readonly speed = { magHeadingDeg: 0, iasKt: 0, mach: 0, rateFpm: 0 };
}
