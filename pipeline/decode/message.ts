// The content of one frame, as scaled integers. One `Message` is created once and overwritten by every decode: copy what you keep. `kind`
// gives the valid part; the other parts hold old values. Inside a part, ABSENT marks what the frame does not contain.
import { ABSENT } from '../../schemas/absent.ts';

/** Marks a value that the frame does not carry. Outside the range of every field. */
export { ABSENT };

/** The part of a message that the frame filled. */
export const KIND_NONE = 0;
/** DF 0, 4, 5, 16 without an RA: `surveillance`. */
export const KIND_SURVEILLANCE = 1;
/** DF 20, 21: `surveillance` and `commB`. */
export const KIND_COMM_B = 2;
/** DF 11: header only, and `interrogatorId`. */
export const KIND_ALL_CALL = 3;
/** TC 1-4. */
export const KIND_IDENTIFICATION = 4;
/** TC 5-8. */
export const KIND_SURFACE_POSITION = 5;
/** TC 0, 9-18, 20-22. TC 0 has no position (`position.cprLat` ABSENT). */
export const KIND_AIRBORNE_POSITION = 6;
/** TC 19. */
export const KIND_VELOCITY = 7;
/** TC 28 subtype 1. */
export const KIND_EMERGENCY = 8;
/** TC 28 subtype 2 and DF 16 with an RA: `advisory`; with DF 16 `surveillance` too. */
export const KIND_ADVISORY = 9;
/** TC 29. */
export const KIND_TARGET_STATE = 10;
/** TC 31. */
export const KIND_OPERATIONAL_STATUS = 11;
/** An extended squitter whose type code has no decoder: header, `typeCode`, `subtype`. */
export const KIND_EXTENDED_OTHER = 12;
/** TC 23 subtype 7: `testMessage`. */
export const KIND_TEST = 13;
/** DF 18 with CF 3: `position` and `coarse`. */
export const KIND_COARSE_POSITION = 14;
/** DF 24: `commD`. */
export const KIND_COMM_D = 15;

/** Why a frame is unusable. Reasons that need state (unknown address …) are in the fold. */
export const REJECT_NONE = 0;
export const REJECT_DF_UNSUPPORTED = 1;
export const REJECT_PARITY = 2;
export const REJECT_MALFORMED = 3;
/** Not about an aircraft (DF 18 with CF 4), or of a reserved format (CF 7). */
export const REJECT_NO_AIRCRAFT = 4;

/** The register that an MB field is read as. The values are BDS codes. */
export const REGISTER_NONE = 0;
export const REGISTER_1_0 = 0x10;
export const REGISTER_1_7 = 0x17;
export const REGISTER_2_0 = 0x20;
export const REGISTER_3_0 = 0x30;
export const REGISTER_4_0 = 0x40;
export const REGISTER_4_4 = 0x44;
export const REGISTER_4_5 = 0x45;
export const REGISTER_5_0 = 0x50;
export const REGISTER_6_0 = 0x60;
/** All zeros: the transponder does not serve the requested register. */
export const REGISTER_EMPTY = 0xff;

/** Sender of an extended squitter, from DF and CF (DO-260B §2.2.3.2.1.5 and table 2-14). */
export const ORIGIN_ADSB = 0;
export const ORIGIN_ADSB_NON_TRANSPONDER = 1;
export const ORIGIN_TISB_FINE = 2;
export const ORIGIN_TISB_COARSE = 3;
export const ORIGIN_TISB_MANAGEMENT = 4;
export const ORIGIN_ADSR = 5;
export const ORIGIN_UNKNOWN = 6;
/** TIS-B fine, with a non-ICAO address (CF 5). */
export const ORIGIN_TISB_OTHER = 7;

/** DF 0, 4, 5, 16, 20, 21. */
export class Surveillance {
  /** DF 0, 4, 16, 20; ABSENT when the code is unknown or illegal. */
  altitudeBaroFt = ABSENT;
  /** DF 5, 21: the four octal digits as a decimal number, 7700 for 7700. */
  squawk = ABSENT;
  /** 1 on the ground, 0 airborne, ABSENT unknown: from FS (DF 4, 5, 20, 21) or VS (DF 0, 16). */
  onGround = ABSENT;
  /** 1 or 0 from FS; ABSENT in DF 0, 16. */
  alert = ABSENT;
  spi = ABSENT;
}

/**
 * Content of DR and UM in DF 20 and 21: zero, as in nearly all replies; an announced Comm-B broadcast; anything else, more frequent in
 * noise.
 */
export const HEADER_PLAIN = 0;
export const HEADER_BROADCAST = 1;
export const HEADER_RARE = 2;

/**
 * MB field of DF 20, 21. `inferRegister` (comm-b.ts) finds its register on request: until then `register` and all members after it hold old
 * values. After it, only that register's values are valid.
 */
export class CommB {
  /** Offset of the seven MB bytes in the frame. */
  at = 0;
  /** Bits 1-28 and 29-56 of MB. */
  high = 0;
  low = 0;
  /** HEADER_*. */
  header = HEADER_PLAIN;
  inferred = false;
  /** REGISTER_*: the register that the field is read as; REGISTER_NONE when it is not clear. */
  register = REGISTER_NONE;
  /** The two registers that fit best, and their scores (evidence.ts). */
  best = REGISTER_NONE;
  bestScore = 0;
  second = REGISTER_NONE;
  secondScore = 0;

  /** 1,0: version of the Mode S subnetwork. */
  dataLinkVersion = 0;
  /** 1,7: one bit per register; the first of `SERVED_REGISTERS` is bit 26. */
  served = 0;
  /** 2,0: as in `Identification`; invalid when filled with zeros. */
  readonly flight = new Uint8Array(8);
  flightValid = false;
  /** 4,0. */
  navAltitudeMcpFt = ABSENT;
  navAltitudeFmsFt = ABSENT;
  navQnhDeciHpa = ABSENT;
  /** Bits of navModeNames. */
  navModes = ABSENT;
  /** 4,4. */
  windSpeedKt = 0;
  windDirectionCentideg = 0;
  humidityDeciPercent = ABSENT;
  /** 4,4 and 4,5. */
  temperatureCentiC = 0;
  pressureHpa = ABSENT;
  /** 0 nil, 1 light, 2 moderate, 3 severe; the same scale for the next four. */
  turbulence = ABSENT;
  /** 4,5. */
  windShear = ABSENT;
  microburst = ABSENT;
  icing = ABSENT;
  wakeVortex = ABSENT;
  radioHeightFt = ABSENT;
  /** 5,0. */
  rollCentideg = ABSENT;
  trackCentideg = ABSENT;
  groundSpeedDeciKt = ABSENT;
  trackRateCentidegPerS = ABSENT;
  tasKt = ABSENT;
  /** 6,0. */
  magHeadingCentideg = ABSENT;
  iasKt = ABSENT;
  machMilli = ABSENT;
  baroRateFpm = ABSENT;
  /** Inertial. */
  geomRateFpm = ABSENT;
}

/** TC 1-4. */
export class Identification {
  /** Eight 6-bit characters as ASCII codes; characters that are not allowed are '?'. */
  readonly flight = new Uint8Array(8);
  /** True when every character is a letter, digit or space. */
  flightValid = false;
  /** 0xA0 to 0xD7: set letter A-D in the high nibble, category in the low one. */
  category = 0;
}

/** TC 0, 5-18, 20-22; coarse TIS-B. */
export class Position {
  odd = false;
  /** 17-bit CPR, coarse ones with five zeros at the end; ABSENT when the frame has no position. */
  cprLat = ABSENT;
  cprLon = ABSENT;
  /** Airborne only. TC 9-18, 0: barometric. */
  altitudeBaroFt = ABSENT;
  /** TC 20-22: height above the ellipsoid. */
  altitudeGeomFt = ABSENT;
  /** Airborne: surveillance status 0-3 (1 permanent alert, 2 temporary alert, 3 SPI); ABSENT on the surface. */
  surveillanceStatus = ABSENT;
  /** Airborne, version 2: NIC supplement B; version 0, 1: single antenna. ABSENT on the surface. */
  nicB = ABSENT;
  /** TIS-B and ADS-R: ICAO/Mode A flag; ABSENT otherwise. */
  imf = ABSENT;
  /** Surface only: movement field 0-127, decoded by version in the fold (0 = no information). */
  movement = ABSENT;
  /** Middle of the step. Surface: version 2 coding, and version 0 coding; coarse: the first only. */
  groundSpeedDeciKt = ABSENT;
  groundSpeedV0DeciKt = ABSENT;
  /** Surface: heading or track, by the HRD/TRK bit of the operational status. Coarse: track. */
  trackCentideg = ABSENT;
}

/** Fields that only DF 18 with CF 3 has. */
export class Coarse {
  /** Service volume (TIS-B site), 0-15. */
  serviceVolume = 0;
}

/** TC 19. */
export class Velocity {
  /** Subtypes 1, 2. */
  groundSpeedDeciKt = ABSENT;
  trackCentideg = ABSENT;
  /** Subtypes 3, 4. The operational status says whether the reference is magnetic or true. */
  headingCentideg = ABSENT;
  iasKt = ABSENT;
  tasKt = ABSENT;
  baroRateFpm = ABSENT;
  geomRateFpm = ABSENT;
  /** Geometric minus barometric altitude. */
  geomDeltaFt = ABSENT;
  nacV = ABSENT;
  /** TIS-B only. */
  nacP = ABSENT;
  sil = ABSENT;
}

/** TC 28 subtype 1. */
export class Emergency {
  /** Code 0-7. */
  code = 0;
  /** As in `Surveillance.squawk`; ABSENT when 0 is sent for none. */
  squawk = ABSENT;
}

/** An ACAS resolution advisory report: advisory.ts. */
export class Advisory {
  /** The whole report, as in the ME, MV or MB field. */
  readonly bytes = new Uint8Array(7);
  /** Active advisory, 14 bits; bit 13 is the first of the field. */
  ara = 0;
  /** Complements received, 4 bits: do not pass below, do not pass above, do not turn left, do not turn right. */
  rac = 0;
  /** 1: the advisory has ended. */
  rat = 0;
  /** 1: more than one threat. */
  mte = 0;
  /** 0 no identity, 1 address, 2 altitude, range and bearing; ABSENT in DF 16, which does not contain it. */
  tti = ABSENT;
  threatAddress = ABSENT;
  threatAltitudeFt = ABSENT;
  /** Tenths of a nautical mile; 0 is less than 0.05 NM, 126 more than 12.55 NM. */
  threatRangeDeciNm = ABSENT;
  /** Relative to the aircraft's nose, clockwise: middle of a step of 6°. */
  threatBearingDeg = ABSENT;
}

/** TC 23 subtype 7, national use: the Mode A code. */
export class TestMessage {
  /** As in `Surveillance.squawk`; ABSENT when 0 is sent for none. */
  squawk = ABSENT;
}

/** DF 24. */
export class CommD {
  /** 1 when the segments list the received segments of an uplinked message, 0 when they carry a message. */
  acknowledgement = 0;
  /** Number of this segment, 0-15. */
  segment = 0;
}

/** TC 29 subtype 0 (version 1) and 1 (version 2). */
export class TargetState {
  navAltitudeMcpFt = ABSENT;
  navAltitudeFmsFt = ABSENT;
  navQnhDeciHpa = ABSENT;
  navHeadingCentideg = ABSENT;
  /** Bits of navModeNames; ABSENT when the status bit marks the modes as invalid. */
  navModes = ABSENT;
  nicBaro = ABSENT;
  nacP = ABSENT;
  sil = ABSENT;
  /** Index into silTypeNames. */
  silType = ABSENT;
  /** Subtype 0 only. */
  emergency = ABSENT;
}

/** TC 31. */
export class OperationalStatus {
  version = 0;
  /** True for subtype 1. */
  surface = false;
  nicA = ABSENT;
  nicC = ABSENT;
  nicBaro = ABSENT;
  nacP = ABSENT;
  nacV = ABSENT;
  sil = ABSENT;
  silType = ABSENT;
  gva = ABSENT;
  sda = ABSENT;
  /** 1: headings are magnetic; 0: true. */
  headingMagnetic = ABSENT;
  /** Surface: 1 when the position message contains the track, 0 when it contains the heading. */
  trackNotHeading = ABSENT;
}

/** One decoded frame. */
export class Message {
  kind = KIND_NONE;
  /** REJECT_NONE, or why the frame is unusable. `kind` is then filled as far as decoding got. */
  reject = REJECT_NONE;
  df = 0;
  /** Parity remainder: 0 in an intact DF 17/18; the interrogator's id in DF 11; the address in DF 0, 4, 5, 16, 20, 21, 24. */
  remainder = 0;
  /** The AA field (DF 11, 17, 18) or the remainder (others). */
  address = 0;
  /** True when the address comes from the AA field, false when it is a parity remainder. */
  addressAnnounced = false;
  /** True when the 24 bits are not an ICAO address (TIS-B track files, anonymous). */
  addressNonIcao = false;
  /** ORIGIN_*, DF 17 and 18. */
  origin = ORIGIN_ADSB;
  /** DF 11, 17: capability; 4 = on the ground, 5 = airborne. ABSENT otherwise. */
  capability = ABSENT;
  /** DF 11: interrogator id (remainder), 0 for a spontaneous squitter. */
  interrogatorId = 0;
  /** Extended squitters. */
  typeCode = 0;
  subtype = 0;
  readonly surveillance = new Surveillance();
  readonly commB = new CommB();
  readonly identification = new Identification();
  readonly position = new Position();
  readonly coarse = new Coarse();
  readonly velocity = new Velocity();
  readonly emergency = new Emergency();
  readonly advisory = new Advisory();
  readonly testMessage = new TestMessage();
  readonly commD = new CommD();
  readonly targetState = new TargetState();
  readonly operationalStatus = new OperationalStatus();
}
