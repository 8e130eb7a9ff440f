// Encoder against decoder: values come back within the step of each field, for every extended squitter with a type code, from every kind of
// sender, and for replies. pipeline/decode/advisory.test.ts and test/sim/truth.test.ts have ACAS reports.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeCoarsePosition } from '../../../test/proof/simulated/coarse.ts';
import { encodeCommD, encodeTestMessage } from '../../../test/proof/simulated/other-formats.ts';
import {
  encodeTargetStateVersion1,
  MODE_ACQUIRING,
  MODE_KEEPING,
  SOURCE_FMS,
  SOURCE_HOLDING,
  SOURCE_PANEL,
  type TargetStateVersion1,
} from '../../../test/proof/simulated/target-state.ts';
import {
  AT,
  address,
  altitudeFt,
  bit,
  buffer,
  decoded,
  decodedSquitter,
  expectAltitude,
  expectAngle,
  expectNear,
  forAll,
  header,
  isRelayed,
  isTisb,
  latDeg,
  lonDeg,
  message,
  number,
  orUnknown,
  squawk,
  upTo,
} from '../../../test/support/round-trip.ts';
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_ALL_CALL,
  KIND_COARSE_POSITION,
  KIND_COMM_B,
  KIND_COMM_D,
  KIND_EMERGENCY,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_SURVEILLANCE,
  KIND_TARGET_STATE,
  KIND_TEST,
  KIND_VELOCITY,
  ORIGIN_TISB_COARSE,
} from '../../decode/message.ts';
import { encodeCpr } from './cpr.ts';
import { encodeAirVelocity, encodeGroundVelocity } from './motion.ts';
import { encodeAirAir, encodeAllCall, encodeAltitudeReply, encodeIdentityReply } from './reply.ts';
import { encodeAirbornePosition, encodeIdentification, encodeSurfacePosition, packFlight, type SquitterHeader } from './squitter.ts';
import { encodeEmergency, encodeOperationalStatus, encodeTargetState } from './status.ts';

const cpr = { lat: 0, lon: 0 };

describe('identification and position', () => {
  test('identification, all categories', () => {
    const flight = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 '), maxLength: 8 });
    const category = fc.tuple(fc.integer({ min: 0xa, max: 0xd }), upTo(7)).map(([set, kind]) => set * 16 + kind);
    const packed = new Uint8Array(9);
    forAll(fc.tuple(header, flight, category), ([sent, text, kind]) => {
      packFlight(text, packed, 2);
      encodeIdentification(buffer, AT, sent, kind, packed, 2);
      const { identification } = decodedSquitter(sent, [KIND_IDENTIFICATION, 14 - (kind >> 4)]);
      expect(String.fromCharCode(...identification.flight)).toBe(text.padEnd(8));
      expect([identification.flightValid, identification.category]).toEqual([true, kind]);
    });
  });

  test('airborne position, barometric and geometric, and altitude alone', () => {
    const typeCode = fc.oneof(fc.integer({ min: 9, max: 18 }), fc.integer({ min: 20, max: 22 }), fc.constant(0));
    const position = fc.record({
      ...{ typeCode, surveillanceStatus: upTo(3), nicB: bit, altitudeFt, gillham: fc.boolean(), odd: fc.boolean(), latDeg, lonDeg },
    });
    forAll(fc.tuple(header, position), ([sent, fields]) => {
      encodeAirbornePosition(buffer, AT, sent, fields);
      const { position: found } = decodedSquitter(sent, [KIND_AIRBORNE_POSITION, fields.typeCode], fields.nicB);
      expect([found.nicB, found.imf]).toEqual(isRelayed(sent) ? [ABSENT, fields.nicB] : [fields.nicB, ABSENT]);
      expect(found.surveillanceStatus).toBe(fields.surveillanceStatus);
      const geometric = fields.typeCode >= 20;
      expectAltitude(geometric ? found.altitudeGeomFt : found.altitudeBaroFt, fields.altitudeFt, fields.gillham);
      expect(geometric ? found.altitudeBaroFt : found.altitudeGeomFt).toBe(ABSENT);
      expect([found.groundSpeedDeciKt, found.groundSpeedV0DeciKt, found.trackCentideg, found.movement]).toEqual(Array(4).fill(ABSENT));
      if (fields.typeCode === 0) {
        expect([found.cprLat, found.cprLon]).toEqual([ABSENT, ABSENT]);
        return;
      }
      encodeCpr(fields.latDeg, fields.lonDeg, fields.odd, false, cpr);
      expect(found.odd).toBe(fields.odd);
      // The decoder reads TC 15 with only upper latitude bits as the empty position that some transponders send.
      if (fields.typeCode !== 15 || cpr.lon !== 0) expect([found.cprLat, found.cprLon]).toEqual([cpr.lat, cpr.lon]);
    });
  });

  test('surface position, speeds of version 2 and before', () => {
    const position = fc.record({
      ...{ typeCode: fc.integer({ min: 5, max: 8 }), groundSpeedKt: orUnknown(fc.oneof(number(0, 174), number(0, 2))), version: upTo(2) },
      ...{ trackValid: fc.boolean(), trackDeg: number(0, 360), imf: bit, odd: fc.boolean(), latDeg, lonDeg },
    });
    forAll(fc.tuple(header, position), ([sent, fields]) => {
      // In ADS-B this bit says that the time is UTC.
      encodeSurfacePosition(buffer, AT, sent, fields);
      const { position: found } = decodedSquitter(sent, [KIND_SURFACE_POSITION, fields.typeCode], fields.imf);
      expect(found.imf).toBe(isRelayed(sent) ? fields.imf : ABSENT);
      expect(found.odd).toBe(fields.odd);
      encodeCpr(fields.latDeg, fields.lonDeg, fields.odd, true, cpr);
      expect([found.cprLat, found.cprLon]).toEqual([cpr.lat, cpr.lon]);
      expectMovement(fields.version === 2 ? found.groundSpeedDeciKt : found.groundSpeedV0DeciKt, fields.groundSpeedKt, fields.version);
      expectAngle(found.trackCentideg, fields.trackValid ? fields.trackDeg : Number.NaN, 1.42);
      expect([found.altitudeBaroFt, found.altitudeGeomFt, found.surveillanceStatus, found.nicB]).toEqual(Array(4).fill(ABSENT));
    });
  });

  /** Half a step of the movement table, and half a tenth of a knot of rounding. In version 0 and 1, up to 0.125 kt is stopped. */
  function expectMovement(foundDeciKt: number, sentKt: number, version: number): void {
    const slowest = [0.125, 0.125] as const;
    const slow = [1, (version === 2 ? 0.875 / 6 : 0.125) / 2] as const;
    const steps = [slowest, slow, [2, 0.125], [15, 0.25], [70, 0.5], [100, 1], [175, 2.5]] as const;
    const halfStep = steps.find(([upTo]) => sentKt <= upTo)?.[1] ?? Number.NaN;
    expectNear(foundDeciKt === ABSENT ? ABSENT : foundDeciKt / 10, sentKt, halfStep + 0.05);
  }
});

describe('motion', () => {
  const vertical = {
    ...{ rateFpm: orUnknown(number(-32_000, 32_000)), rateBaro: fc.boolean(), geomDeltaFt: orUnknown(number(-3100, 3100)) },
    ...{ nacV: upTo(4), imf: bit },
  };

  function expectVertical(fields: { rateFpm: number; rateBaro: boolean; geomDeltaFt: number; nacV: number }): void {
    const { velocity } = message;
    expectNear(fields.rateBaro ? velocity.baroRateFpm : velocity.geomRateFpm, fields.rateFpm, 32);
    expect(fields.rateBaro ? velocity.geomRateFpm : velocity.baroRateFpm).toBe(ABSENT);
    expectNear(velocity.geomDeltaFt, fields.geomDeltaFt, 12.5);
    expect([velocity.nacV, velocity.nacP, velocity.sil]).toEqual([fields.nacV, ABSENT, ABSENT]);
  }

  test('over the ground', () => {
    const speed = fc.oneof(number(-1022, 1022), number(-4000, 4000));
    const velocity = fc.record({ ...vertical, eastKt: orUnknown(speed), northKt: orUnknown(speed) });
    forAll(fc.tuple(header, velocity), ([sent, fields]) => {
      fc.pre(!isTisb(sent));
      encodeGroundVelocity(buffer, AT, sent, fields);
      const { velocity: found } = decodedSquitter(sent, [KIND_VELOCITY, 19], fields.imf);
      const { eastKt, northKt } = fields;
      const step = Math.abs(eastKt) > 1022 || Math.abs(northKt) > 1022 ? 4 : 1;
      expect(message.subtype).toBe(step === 4 ? 2 : 1);
      const speedKt = Math.sqrt(eastKt * eastKt + northKt * northKt);
      expectNear(found.groundSpeedDeciKt === ABSENT ? ABSENT : found.groundSpeedDeciKt / 10, speedKt, step * 0.71 + 0.05);
      const track = (Math.atan2(eastKt, northKt) * 180) / Math.PI + 360;
      if (Number.isNaN(track)) expect(found.trackCentideg).toBe(ABSENT);
      // Half a step across the track is at most this angle.
      else if (speedKt > 4 * step) expectAngle(found.trackCentideg, track, (42 * step) / speedKt + 0.01);
      expect([found.headingCentideg, found.iasKt, found.tasKt]).toEqual([ABSENT, ABSENT, ABSENT]);
      expectVertical(fields);
    });
  });

  test('through the air', () => {
    const velocity = fc.record({
      ...vertical,
      ...{ headingDeg: orUnknown(number(0, 360)), airspeedKt: orUnknown(number(0, 4000)), airspeedTrue: fc.boolean() },
    });
    forAll(fc.tuple(header, velocity), ([sent, fields]) => {
      fc.pre(!isTisb(sent));
      encodeAirVelocity(buffer, AT, sent, fields);
      const supersonic = fields.airspeedKt > 1022;
      const { velocity: found } = decodedSquitter(sent, [KIND_VELOCITY, 19, supersonic ? 4 : 3], fields.imf);
      expectNear(fields.airspeedTrue ? found.tasKt : found.iasKt, fields.airspeedKt, supersonic ? 2 : 0.5);
      expect(fields.airspeedTrue ? found.iasKt : found.tasKt).toBe(ABSENT);
      expectAngle(found.headingCentideg, fields.headingDeg, 0.18);
      expect([found.groundSpeedDeciKt, found.trackCentideg]).toEqual([ABSENT, ABSENT]);
      expectVertical(fields);
    });
  });
});

describe('status', () => {
  test('emergency', () => {
    forAll(fc.tuple(header, upTo(7), squawk, bit), ([sent, emergency, code, imf]) => {
      encodeEmergency(buffer, AT, sent, emergency, code, imf);
      const { emergency: found } = decodedSquitter(sent, [KIND_EMERGENCY, 28, 1], imf);
      expect(found).toEqual({ code: emergency, squawk: code === 0 ? ABSENT : code });
    });
  });

  test('test message', () => {
    forAll(fc.tuple(header, squawk), ([sent, code]) => {
      encodeTestMessage(buffer, AT, sent, code);
      const { testMessage } = decodedSquitter(sent, [KIND_TEST, 23, 7]);
      expect(testMessage.squawk).toBe(code === 0 ? ABSENT : code);
    });
  });

  test('target state of version 2', () => {
    const target = fc.record({
      ...{ altitudeFromFms: fc.boolean(), selectedAltitudeFt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 65_000 })) },
      ...{ qnhHpa: fc.oneof(fc.constant(0), number(801, 1208)), selectedHeadingDeg: fc.oneof(fc.constant(-1), number(0, 359.6)) },
      ...{ nacP: upTo(15), nicBaro: bit, sil: upTo(3), silSupplement: bit, navModes: fc.integer({ min: -1, max: 63 }), imf: bit },
    });
    forAll(fc.tuple(header, target), ([sent, fields]) => {
      encodeTargetState(buffer, AT, sent, fields);
      const { targetState: found } = decodedSquitter(sent, [KIND_TARGET_STATE, 29, 1], fields.imf);
      const given = (value: number, none: number) => (value === none ? Number.NaN : value);
      const [mcpAltitude, fmsAltitude] = [found.navAltitudeMcpFt, found.navAltitudeFmsFt];
      expectNear(fields.altitudeFromFms ? fmsAltitude : mcpAltitude, given(fields.selectedAltitudeFt, -1), 16);
      expect(fields.altitudeFromFms ? mcpAltitude : fmsAltitude).toBe(ABSENT);
      expectNear(found.navQnhDeciHpa, given(fields.qnhHpa, 0) * 10, 4);
      expectAngle(found.navHeadingCentideg, given(fields.selectedHeadingDeg, -1), 0.36);
      expect(found.navModes).toBe(fields.navModes < 0 ? ABSENT : fields.navModes);
      expect([found.nacP, found.nicBaro, found.sil]).toEqual([fields.nacP, fields.nicBaro, fields.sil]);
      expect([found.silType, found.emergency]).toEqual([fields.silSupplement === 1 ? 2 : 1, ABSENT]);
    });
  });

  /** The modes that follow from what is acquired or held, and from its source. */
  function modesOfVersion1(fields: TargetStateVersion1): number {
    const { verticalSource, verticalMode, horizontalSource, horizontalMode } = fields;
    const engaged = (mode: number) => mode === MODE_ACQUIRING || mode === MODE_KEEPING;
    if (!engaged(verticalMode) && !engaged(horizontalMode)) return ABSENT;
    let modes = 0;
    if (engaged(horizontalMode)) modes |= horizontalSource === SOURCE_FMS ? 16 : 1;
    if (!engaged(verticalMode)) return modes;
    if (verticalSource === SOURCE_FMS) return modes | 2;
    return modes | (verticalMode === MODE_KEEPING && verticalSource === SOURCE_HOLDING ? 4 : 1);
  }

  test('target state of version 1', () => {
    const target = fc.record({
      ...{ verticalSource: upTo(3), verticalMode: upTo(2), targetAltitudeFt: orUnknown(number(-1000, 100_000)) },
      ...{ horizontalSource: upTo(3), horizontalMode: upTo(2), targetHeadingDeg: orUnknown(number(0, 360)), track: fc.boolean() },
      ...{ nacP: upTo(15), nicBaro: bit, sil: upTo(3), tcasOff: bit, advisoryActive: bit, emergency: upTo(7) },
    });
    forAll(fc.tuple(header, target), ([sent, fields]) => {
      encodeTargetStateVersion1(buffer, AT, sent, fields);
      const { targetState: found } = decodedSquitter(sent, [KIND_TARGET_STATE, 29, 0]);
      const { verticalSource, horizontalSource } = fields;
      expectNear(found.navAltitudeMcpFt, verticalSource === SOURCE_PANEL ? fields.targetAltitudeFt : Number.NaN, 50);
      expectNear(found.navAltitudeFmsFt, verticalSource === SOURCE_FMS ? fields.targetAltitudeFt : Number.NaN, 50);
      expectAngle(found.navHeadingCentideg, horizontalSource === 0 ? Number.NaN : fields.targetHeadingDeg, 0.5);
      expect(found.navModes).toBe(modesOfVersion1(fields));
      expect([found.nacP, found.nicBaro, found.sil]).toEqual([fields.nacP, fields.nicBaro, fields.sil]);
      expect([found.emergency, found.silType, found.navQnhDeciHpa]).toEqual([fields.emergency, 0, ABSENT]);
    });
  });

  test('operational status, three versions, in the air and on the ground', () => {
    const status = fc.record({
      ...{ version: upTo(2), surface: fc.boolean(), nicA: bit, nicC: bit, nicBaro: bit, nacP: upTo(15), nacV: upTo(7), sil: upTo(3) },
      ...{ silSupplement: bit, gva: upTo(3), sda: upTo(3), headingMagnetic: bit, trackNotHeading: bit, tcasOperational: fc.boolean() },
      imf: bit,
    });
    forAll(fc.tuple(header, status), ([sent, fields]) => {
      encodeOperationalStatus(buffer, AT, sent, fields);
      const { version, surface } = fields;
      const { operationalStatus: found } = decodedSquitter(sent, [KIND_OPERATIONAL_STATUS, 31, surface ? 1 : 0], fields.imf);
      const since = (first: number, value: number, there = true) => (version >= first && there ? value : ABSENT);
      expect({ ...found }).toEqual({
        ...{ version, surface, nicA: since(1, fields.nicA), nacP: since(1, fields.nacP), sil: since(1, fields.sil) },
        ...{ headingMagnetic: since(1, fields.headingMagnetic), trackNotHeading: since(1, fields.trackNotHeading, surface) },
        ...{ nicBaro: since(1, fields.nicBaro, !surface), sda: since(2, fields.sda), gva: since(2, fields.gva, !surface) },
        ...{ nacV: since(2, fields.nacV, surface), nicC: since(2, fields.nicC, surface) },
        silType: version === 2 ? fields.silSupplement + 1 : since(1, 0),
      });
    });
  });
});

describe('ground stations', () => {
  const tisbHeader: fc.Arbitrary<SquitterHeader> = fc.record({ df: fc.constant(18 as const), capability: fc.constantFrom(2, 5), address });
  const speedKt = number(-1500, 1500);
  const tisbVelocity = fc.record({
    ...{ eastKt: speedKt, northKt: speedKt, headingDeg: orUnknown(number(0, 360)), airspeedKt: orUnknown(number(0, 1500)) },
    ...{ airspeedTrue: fc.boolean(), rateFpm: orUnknown(number(-32_000, 32_000)), rateBaro: fc.boolean(), imf: bit, nacV: upTo(7) },
    ...{ geomDeltaFt: orUnknown(number(-3100, 3100)), tisb: fc.record({ nacP: upTo(15), sil: upTo(3) }) },
  });

  test('TIS-B velocities contain the accuracy or the altitude difference', () => {
    forAll(fc.tuple(tisbHeader, tisbVelocity, fc.boolean()), ([sent, fields, overGround]) => {
      if (overGround) encodeGroundVelocity(buffer, AT, sent, fields);
      else encodeAirVelocity(buffer, AT, sent, fields);
      const { velocity: found } = decodedSquitter(sent, [KIND_VELOCITY, 19], fields.imf);
      expectNear(found.baroRateFpm, fields.rateFpm, 32);
      expect(found.geomRateFpm).toBe(ABSENT);
      expectNear(found.geomDeltaFt, fields.geomDeltaFt, 12.5);
      expect(found.nacP).toBe(fields.tisb.nacP);
      expect([found.nacV, found.sil]).toEqual(Number.isNaN(fields.geomDeltaFt) ? [fields.nacV, fields.tisb.sil] : [ABSENT, ABSENT]);
      if (overGround) {
        const step = message.subtype === 2 ? 4 : 1;
        expectNear(found.groundSpeedDeciKt / 10, Math.sqrt(fields.eastKt ** 2 + fields.northKt ** 2), step * 0.71 + 0.05);
      } else {
        expectNear(fields.airspeedTrue ? found.tasKt : found.iasKt, fields.airspeedKt, 2);
        expectAngle(found.headingCentideg, fields.headingDeg, 0.18);
      }
    });
  });

  const coarse = fc.record({
    ...{ imf: bit, surveillanceStatus: upTo(3), serviceVolume: upTo(15), altitudeFt, gillham: fc.boolean() },
    ...{ trackDeg: orUnknown(number(0, 360)), groundSpeedKt: orUnknown(number(0, 1960)), odd: fc.boolean(), latDeg, lonDeg },
  });

  test('coarse TIS-B, every field', () => {
    forAll(fc.tuple(address, coarse), ([of, fields]) => {
      encodeCoarsePosition(buffer, AT, of, fields);
      const { position: found } = decoded(14);
      expect([message.kind, message.origin, message.address, message.addressNonIcao]).toEqual([
        KIND_COARSE_POSITION,
        ORIGIN_TISB_COARSE,
        of,
        fields.imf === 1,
      ]);
      expect([found.imf, found.surveillanceStatus, found.odd]).toEqual([fields.imf, fields.surveillanceStatus, fields.odd]);
      expect(message.coarse.serviceVolume).toBe(fields.serviceVolume);
      expectAltitude(found.altitudeBaroFt, fields.altitudeFt, fields.gillham);
      expectAngle(found.trackCentideg, fields.trackDeg, 5.63);
      // The middle of a step of 32 kt; the first step is half as wide.
      expectNear(found.groundSpeedDeciKt === ABSENT ? ABSENT : found.groundSpeedDeciKt / 10, fields.groundSpeedKt, 16);
      expect([found.altitudeGeomFt, found.nicB, found.movement, found.groundSpeedV0DeciKt]).toEqual(Array(4).fill(ABSENT));
    });
  });
});

describe('replies', () => {
  const flightStatus = upTo(5);
  const mb = fc.option(fc.uint8Array({ minLength: 7, maxLength: 7 }), { nil: null });

  function expectReply(df: number, sentAddress: number, status: number, content: Uint8Array | null): void {
    const { surveillance } = message;
    expect(message.kind).toBe(content === null ? KIND_SURVEILLANCE : KIND_COMM_B);
    expect([message.df, message.address, message.addressAnnounced]).toEqual([df + (content === null ? 0 : 16), sentAddress, false]);
    expect(surveillance.onGround).toBe(status <= 3 ? status & 1 : ABSENT);
    expect([surveillance.alert, surveillance.spi]).toEqual([status >= 2 && status <= 4 ? 1 : 0, status >= 4 ? 1 : 0]);
    if (content !== null) expect([...buffer.subarray(message.commB.at, message.commB.at + 7)]).toEqual([...content]);
  }

  test('altitude, DF 4 and 20', () => {
    forAll(fc.tuple(address, flightStatus, altitudeFt, fc.boolean(), mb), ([sent, status, altitude, gillham, content]) => {
      encodeAltitudeReply(buffer, AT, sent, status, altitude, gillham, content);
      decoded(content === null ? 7 : 14);
      expectReply(4, sent, status, content);
      expectAltitude(message.surveillance.altitudeBaroFt, altitude, gillham);
      expect(message.surveillance.squawk).toBe(ABSENT);
    });
  });

  test('identity, DF 5 and 21', () => {
    forAll(fc.tuple(address, flightStatus, squawk, mb), ([sent, status, code, content]) => {
      encodeIdentityReply(buffer, AT, sent, status, code, content);
      decoded(content === null ? 7 : 14);
      expectReply(5, sent, status, content);
      expect([message.surveillance.squawk, message.surveillance.altitudeBaroFt]).toEqual([code, ABSENT]);
    });
  });

  test('air-air, DF 0', () => {
    forAll(fc.tuple(address, fc.boolean(), altitudeFt, fc.boolean()), ([sent, onGround, altitude, gillham]) => {
      encodeAirAir(buffer, AT, sent, onGround, altitude, gillham);
      const { surveillance } = decoded(7);
      expect([message.kind, message.df, message.address]).toEqual([KIND_SURVEILLANCE, 0, sent]);
      expectAltitude(surveillance.altitudeBaroFt, altitude, gillham);
      const { squawk: code, onGround: ground, alert, spi } = surveillance;
      expect([code, ground, alert, spi]).toEqual([ABSENT, onGround ? 1 : 0, ABSENT, ABSENT]);
    });
  });

  test('all-call and acquisition squitter, DF 11', () => {
    forAll(fc.tuple(address, upTo(7), upTo(79)), ([sent, capability, interrogator]) => {
      encodeAllCall(buffer, AT, sent, capability, interrogator);
      decoded(7);
      expect([message.kind, message.addressAnnounced]).toEqual([KIND_ALL_CALL, true]);
      expect([message.address, message.capability, message.interrogatorId]).toEqual([sent, capability, interrogator]);
    });
  });

  test('Comm-D, DF 24', () => {
    forAll(
      fc.tuple(address, fc.boolean(), upTo(15), fc.uint8Array({ minLength: 10, maxLength: 10 })),
      ([sent, acknowledgement, segment, md]) => {
        encodeCommD(buffer, AT, sent, acknowledgement, segment, md);
        decoded(14);
        expect([message.kind, message.df, message.address, message.addressAnnounced]).toEqual([KIND_COMM_D, 24, sent, false]);
        expect(message.commD).toEqual({ acknowledgement: acknowledgement ? 1 : 0, segment });
        expect([...buffer.subarray(AT + 1, AT + 11)]).toEqual([...md]);
      },
    );
  });
});
