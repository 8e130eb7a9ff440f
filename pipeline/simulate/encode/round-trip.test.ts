// The encoder against the decoder: what goes in comes out, within the step of each field, for every message the simulator sends.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../decode/decode.ts';
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_ALL_CALL,
  KIND_COMM_B,
  KIND_EMERGENCY,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_SURVEILLANCE,
  KIND_TARGET_STATE,
  KIND_VELOCITY,
  Message,
  ORIGIN_ADSB,
  ORIGIN_ADSB_NON_TRANSPONDER,
  ORIGIN_ADSR,
  ORIGIN_TISB_FINE,
  REJECT_NONE,
} from '../../decode/message.ts';
import { encodeCpr } from './cpr.ts';
import { encodeAirVelocity, encodeGroundVelocity } from './motion.ts';
import { encodeAirAir, encodeAllCall, encodeAltitudeReply, encodeIdentityReply } from './reply.ts';
import { encodeAirbornePosition, encodeIdentification, encodeSurfacePosition, packFlight, type SquitterHeader } from './squitter.ts';
import { encodeEmergency, encodeOperationalStatus, encodeTargetState } from './status.ts';

// Frames stand in the middle of a buffer, so that a wrong offset shows.
const AT = 5;
const buffer = new Uint8Array(32);
const message = new Message();
const cpr = { lat: 0, lon: 0 };

function decoded(byteLength: 7 | 14): Message {
  decodeFrame(buffer, AT, byteLength, message);
  expect(message.reject).toBe(REJECT_NONE);
  return message;
}

const address = fc.integer({ min: 1, max: 0xff_ffff });
const squawk = fc
  .tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: 7 })))
  .map((d) => d[0]! * 1000 + d[1]! * 100 + d[2]! * 10 + d[3]!);
const latDeg = fc.double({ min: -89.9, max: 89.9, noNaN: true });
const lonDeg = fc.double({ min: -180, max: 180, noNaN: true, maxExcluded: true });
const altitudeFt = fc.integer({ min: -1000, max: 60_000 });
const bit = fc.integer({ min: 0, max: 1 });
const header: fc.Arbitrary<SquitterHeader> = fc.oneof(
  fc.record({ df: fc.constant(17 as const), capability: fc.integer({ min: 0, max: 7 }), address }),
  fc.record({ df: fc.constant(18 as const), capability: fc.constantFrom(0, 1, 2, 5, 6), address }),
);

function expectHeader(sent: SquitterHeader): void {
  expect(message.df).toBe(sent.df);
  expect(message.address).toBe(sent.address);
  expect(message.addressAnnounced).toBe(true);
  if (sent.df === 17) {
    expect(message.origin).toBe(ORIGIN_ADSB);
    expect(message.capability).toBe(sent.capability);
    expect(message.addressNonIcao).toBe(false);
    return;
  }
  const origins: Record<number, number> = {
    0: ORIGIN_ADSB_NON_TRANSPONDER,
    1: ORIGIN_ADSB_NON_TRANSPONDER,
    2: ORIGIN_TISB_FINE,
    5: ORIGIN_TISB_FINE,
    6: ORIGIN_ADSR,
  };
  expect(message.origin).toBe(origins[sent.capability]);
  expect(message.addressNonIcao).toBe(sent.capability === 1 || sent.capability === 5);
}

/** Steps of 25 ft up to 50,175 ft, of 100 ft above or by choice. */
function expectAltitude(found: number, sent: number, gillham: boolean): void {
  expect(Math.abs(found - sent)).toBeLessThanOrEqual(gillham || sent > 50_175 ? 50 : 12.5);
}

/** Smallest angle between two, degrees. */
function angleBetween(a: number, b: number): number {
  return Math.abs(((a - b + 540) % 360) - 180);
}

describe('extended squitters', () => {
  test('identification', () => {
    const flight = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 '), maxLength: 8 });
    const category = fc.tuple(fc.integer({ min: 0xa, max: 0xd }), fc.integer({ min: 0, max: 7 })).map(([set, number]) => set * 16 + number);
    const packed = new Uint8Array(9);
    fc.assert(
      fc.property(header, flight, category, (sent, text, kind) => {
        packFlight(text, packed, 2);
        encodeIdentification(buffer, AT, sent, kind, packed, 2);
        const { identification } = decoded(14);
        expect(message.kind).toBe(KIND_IDENTIFICATION);
        expectHeader(sent);
        expect(String.fromCharCode(...identification.flight)).toBe(text.padEnd(8));
        expect(identification.flightValid).toBe(true);
        expect(identification.category).toBe(kind);
      }),
    );
  });

  test('airborne position', () => {
    const typeCode = fc.oneof(fc.integer({ min: 9, max: 18 }), fc.integer({ min: 20, max: 22 }));
    const position = fc.record({
      ...{ typeCode, surveillanceStatus: fc.integer({ min: 0, max: 3 }), nicB: fc.constant(0), altitudeFt, gillham: fc.boolean() },
      ...{ odd: fc.boolean(), latDeg, lonDeg },
    });
    fc.assert(
      fc.property(header, position, (sent, fields) => {
        encodeAirbornePosition(buffer, AT, sent, fields);
        const { position: found } = decoded(14);
        expect(message.kind).toBe(KIND_AIRBORNE_POSITION);
        expectHeader(sent);
        expect(message.typeCode).toBe(fields.typeCode);
        expect(found.odd).toBe(fields.odd);
        expect(found.surveillanceStatus).toBe(fields.surveillanceStatus);
        const geometric = fields.typeCode >= 20;
        expectAltitude(geometric ? found.altitudeGeomFt : found.altitudeBaroFt, fields.altitudeFt, fields.gillham);
        expect(geometric ? found.altitudeBaroFt : found.altitudeGeomFt).toBe(ABSENT);
        encodeCpr(fields.latDeg, fields.lonDeg, fields.odd, false, cpr);
        // The decoder takes TC 15 at a corner of the zones for the empty position that some transponders send.
        if (fields.typeCode !== 15 || cpr.lat !== 0) expect([found.cprLat, found.cprLon]).toEqual([cpr.lat, cpr.lon]);
      }),
    );
  });

  test('surface position', () => {
    const position = fc.record({
      ...{
        typeCode: fc.integer({ min: 5, max: 8 }),
        groundSpeedKt: fc.double({ min: 0, max: 174, noNaN: true }),
        trackValid: fc.boolean(),
      },
      ...{ trackDeg: fc.double({ min: 0, max: 360, noNaN: true }), imf: fc.constant(0), odd: fc.boolean(), latDeg, lonDeg },
    });
    fc.assert(
      fc.property(header, position, (sent, fields) => {
        encodeSurfacePosition(buffer, AT, sent, fields);
        const { position: found } = decoded(14);
        expect(message.kind).toBe(KIND_SURFACE_POSITION);
        expectHeader(sent);
        expect(found.odd).toBe(fields.odd);
        encodeCpr(fields.latDeg, fields.lonDeg, fields.odd, true, cpr);
        expect([found.cprLat, found.cprLon]).toEqual([cpr.lat, cpr.lon]);
        const step = fields.groundSpeedKt > 100 ? 5 : fields.groundSpeedKt > 70 ? 2 : 1;
        expect(Math.abs(found.groundSpeedDeciKt / 10 - fields.groundSpeedKt)).toBeLessThanOrEqual(step / 2 + 0.1);
        if (!fields.trackValid) expect(found.trackCentideg).toBe(ABSENT);
        else expect(angleBetween(found.trackCentideg / 100, fields.trackDeg)).toBeLessThanOrEqual(1.42);
      }),
    );
  });

  test('velocity over the ground', () => {
    const speed = fc.double({ min: -1800, max: 1800, noNaN: true });
    const velocity = fc.record({
      ...{ eastKt: speed, northKt: speed, rateFpm: fc.double({ min: -32_000, max: 32_000, noNaN: true }), rateBaro: fc.boolean() },
      ...{ geomDeltaFt: fc.double({ min: -3100, max: 3100, noNaN: true }), nacV: fc.integer({ min: 0, max: 4 }), imf: fc.constant(0) },
    });
    fc.assert(
      fc.property(header, velocity, (sent, fields) => {
        encodeGroundVelocity(buffer, AT, sent, fields);
        const { velocity: found } = decoded(14);
        expect(message.kind).toBe(KIND_VELOCITY);
        expectHeader(sent);
        const { eastKt, northKt } = fields;
        const step = Math.abs(eastKt) > 1022 || Math.abs(northKt) > 1022 ? 4 : 1;
        expect(message.subtype).toBe(step === 4 ? 2 : 1);
        const speedKt = Math.sqrt(eastKt * eastKt + northKt * northKt);
        expect(Math.abs(found.groundSpeedDeciKt / 10 - speedKt)).toBeLessThanOrEqual(step * 0.75 + 0.05);
        if (speedKt > 60) {
          const track = (Math.atan2(eastKt, northKt) * 180) / Math.PI;
          expect(angleBetween(found.trackCentideg / 100, track + 360)).toBeLessThanOrEqual(0.7);
        }
        expect(Math.abs((fields.rateBaro ? found.baroRateFpm : found.geomRateFpm) - fields.rateFpm)).toBeLessThanOrEqual(32);
        expect(fields.rateBaro ? found.geomRateFpm : found.baroRateFpm).toBe(ABSENT);
        expect(Math.abs(found.geomDeltaFt - fields.geomDeltaFt)).toBeLessThanOrEqual(12.5);
        expect(found.nacV).toBe(fields.nacV);
      }),
    );
  });

  test('velocity through the air', () => {
    const velocity = fc.record({
      ...{ headingDeg: fc.double({ min: 0, max: 360, noNaN: true }), airspeedKt: fc.double({ min: 0, max: 2000, noNaN: true }) },
      ...{
        airspeedTrue: fc.boolean(),
        rateFpm: fc.constant(0),
        rateBaro: fc.boolean(),
        geomDeltaFt: fc.constant(9999),
        nacV: fc.constant(1),
      },
      imf: fc.constant(0),
    });
    fc.assert(
      fc.property(header, velocity, (sent, fields) => {
        encodeAirVelocity(buffer, AT, sent, fields);
        const { velocity: found } = decoded(14);
        expectHeader(sent);
        expect(message.subtype).toBe(fields.airspeedKt > 1022 ? 4 : 3);
        expect(Math.abs((fields.airspeedTrue ? found.tasKt : found.iasKt) - fields.airspeedKt)).toBeLessThanOrEqual(2);
        expect(angleBetween(found.headingCentideg / 100, fields.headingDeg)).toBeLessThanOrEqual(0.18);
        expect(fields.rateBaro ? found.baroRateFpm : found.geomRateFpm).toBe(0);
        expect(found.geomDeltaFt).toBe(ABSENT);
      }),
    );
  });

  test('emergency', () => {
    fc.assert(
      fc.property(header, fc.integer({ min: 0, max: 7 }), squawk, (sent, emergency, code) => {
        encodeEmergency(buffer, AT, sent, emergency, code);
        const { emergency: found } = decoded(14);
        expect(message.kind).toBe(KIND_EMERGENCY);
        expectHeader(sent);
        expect(found.code).toBe(emergency);
        expect(found.squawk).toBe(code === 0 ? ABSENT : code);
      }),
    );
  });

  test('target state', () => {
    const target = fc.record({
      ...{ altitudeFromFms: fc.boolean(), selectedAltitudeFt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 65_000 })) },
      ...{ qnhHpa: fc.oneof(fc.constant(0), fc.double({ min: 801, max: 1208, noNaN: true })) },
      ...{ selectedHeadingDeg: fc.oneof(fc.constant(-1), fc.double({ min: 0, max: 359.6, noNaN: true })) },
      ...{ nacP: fc.integer({ min: 0, max: 11 }), nicBaro: bit, sil: fc.integer({ min: 0, max: 3 }), silSupplement: bit },
      navModes: fc.integer({ min: -1, max: 63 }),
    });
    fc.assert(
      fc.property(header, target, (sent, fields) => {
        encodeTargetState(buffer, AT, sent, fields);
        const { targetState: found } = decoded(14);
        expect(message.kind).toBe(KIND_TARGET_STATE);
        expectHeader(sent);
        const given = fields.altitudeFromFms ? found.navAltitudeFmsFt : found.navAltitudeMcpFt;
        if (fields.selectedAltitudeFt < 0) expect(given).toBe(ABSENT);
        else expect(Math.abs(given - fields.selectedAltitudeFt)).toBeLessThanOrEqual(16);
        expect(fields.altitudeFromFms ? found.navAltitudeMcpFt : found.navAltitudeFmsFt).toBe(ABSENT);
        if (fields.qnhHpa === 0) expect(found.navQnhDeciHpa).toBe(ABSENT);
        else expect(Math.abs(found.navQnhDeciHpa / 10 - fields.qnhHpa)).toBeLessThanOrEqual(0.41);
        if (fields.selectedHeadingDeg < 0) expect(found.navHeadingCentideg).toBe(ABSENT);
        else expect(angleBetween(found.navHeadingCentideg / 100, fields.selectedHeadingDeg)).toBeLessThanOrEqual(0.36);
        expect(found.navModes).toBe(fields.navModes < 0 ? ABSENT : fields.navModes);
        expect([found.nacP, found.nicBaro, found.sil]).toEqual([fields.nacP, fields.nicBaro, fields.sil]);
        expect(found.silType).toBe(fields.silSupplement === 1 ? 2 : 1);
      }),
    );
  });

  test('operational status, three versions', () => {
    const status = fc.record({
      ...{ version: fc.integer({ min: 0, max: 2 }), surface: fc.boolean(), nicA: bit, nicC: bit, nicBaro: bit },
      ...{
        nacP: fc.integer({ min: 0, max: 11 }),
        nacV: fc.integer({ min: 0, max: 4 }),
        sil: fc.integer({ min: 0, max: 3 }),
        silSupplement: bit,
      },
      ...{ gva: fc.integer({ min: 0, max: 3 }), sda: fc.integer({ min: 0, max: 3 }), headingMagnetic: bit, trackNotHeading: bit },
      tcasOperational: fc.boolean(),
    });
    fc.assert(
      fc.property(header, status, (sent, fields) => {
        encodeOperationalStatus(buffer, AT, sent, fields);
        const { operationalStatus: found } = decoded(14);
        expect(message.kind).toBe(KIND_OPERATIONAL_STATUS);
        expectHeader(sent);
        const { version, surface } = fields;
        const since = (first: number, value: number) => (version >= first ? value : ABSENT);
        expect([found.version, found.surface]).toEqual([version, surface]);
        expect([found.nicA, found.nacP, found.sil]).toEqual([since(1, fields.nicA), since(1, fields.nacP), since(1, fields.sil)]);
        expect(found.headingMagnetic).toBe(since(1, fields.headingMagnetic));
        expect(found.nicBaro).toBe(surface ? ABSENT : since(1, fields.nicBaro));
        expect(found.trackNotHeading).toBe(surface ? since(1, fields.trackNotHeading) : ABSENT);
        expect(found.sda).toBe(since(2, fields.sda));
        expect(found.gva).toBe(surface ? ABSENT : since(2, fields.gva));
        expect([found.nacV, found.nicC]).toEqual(surface ? [since(2, fields.nacV), since(2, fields.nicC)] : [ABSENT, ABSENT]);
        if (version === 2) expect(found.silType).toBe(fields.silSupplement === 1 ? 2 : 1);
      }),
    );
  });
});

describe('replies', () => {
  const flightStatus = fc.integer({ min: 0, max: 5 });
  const mb = fc.option(fc.uint8Array({ minLength: 7, maxLength: 7 }), { nil: null });

  function expectReply(df: number, sentAddress: number, status: number, content: Uint8Array | null): void {
    expect(message.kind).toBe(content === null ? KIND_SURVEILLANCE : KIND_COMM_B);
    expect(message.df).toBe(df + (content === null ? 0 : 16));
    expect(message.address).toBe(sentAddress);
    expect(message.addressAnnounced).toBe(false);
    expect(message.surveillance.onGround).toBe(status <= 3 ? status & 1 : ABSENT);
    expect(message.surveillance.alert).toBe(status >= 2 && status <= 4 ? 1 : 0);
    expect(message.surveillance.spi).toBe(status >= 4 ? 1 : 0);
    if (content !== null) expect([...buffer.subarray(message.commB.at, message.commB.at + 7)]).toEqual([...content]);
  }

  test('altitude, DF 4 and 20', () => {
    fc.assert(
      fc.property(address, flightStatus, altitudeFt, fc.boolean(), mb, (sent, status, altitude, gillham, content) => {
        encodeAltitudeReply(buffer, AT, sent, status, altitude, gillham, content);
        decoded(content === null ? 7 : 14);
        expectReply(4, sent, status, content);
        expectAltitude(message.surveillance.altitudeBaroFt, altitude, gillham);
      }),
    );
  });

  test('identity, DF 5 and 21', () => {
    fc.assert(
      fc.property(address, flightStatus, squawk, mb, (sent, status, code, content) => {
        encodeIdentityReply(buffer, AT, sent, status, code, content);
        decoded(content === null ? 7 : 14);
        expectReply(5, sent, status, content);
        expect(message.surveillance.squawk).toBe(code);
      }),
    );
  });

  test('air-air, DF 0', () => {
    fc.assert(
      fc.property(address, fc.boolean(), altitudeFt, fc.boolean(), (sent, onGround, altitude, gillham) => {
        encodeAirAir(buffer, AT, sent, onGround, altitude, gillham);
        const { surveillance } = decoded(7);
        expect([message.df, message.address, surveillance.onGround]).toEqual([0, sent, onGround ? 1 : 0]);
        expectAltitude(surveillance.altitudeBaroFt, altitude, gillham);
      }),
    );
  });

  test('all-call and acquisition squitter, DF 11', () => {
    fc.assert(
      fc.property(address, fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 79 }), (sent, capability, interrogator) => {
        encodeAllCall(buffer, AT, sent, capability, interrogator);
        decoded(7);
        expect(message.kind).toBe(KIND_ALL_CALL);
        expect([message.address, message.capability, message.interrogatorId]).toEqual([sent, capability, interrogator]);
      }),
    );
  });
});
