// The round trip of replies, and of ACAS reports in each format that carries one.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeAdvisory, encodeAirAirAdvisory, messageAdvisory } from '../../../test/proof/simulated/advisory.ts';
import {
  AT,
  address,
  altitudeFt,
  bit,
  buffer,
  decoded,
  expectAltitude,
  expectHeader,
  expectNear,
  header,
  message,
  number,
  orUnknown,
  squawk,
  upTo,
} from '../../../test/support/round-trip.ts';
import { ABSENT, KIND_ALL_CALL, KIND_COMM_B, KIND_COMM_D, KIND_RESOLUTION, KIND_SURVEILLANCE, Resolution } from '../../decode/message.ts';
import { decodeResolution, holdsResolutionReport } from '../../decode/resolution.ts';
import { type AdvisoryFields, THREAT_ADDRESS, THREAT_POSITION, THREAT_UNKNOWN } from '../contents.ts';
import { encodeAirAir, encodeAllCall, encodeAltitudeReply, encodeCommD, encodeIdentityReply } from './reply.ts';

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
    fc.assert(
      fc.property(address, flightStatus, altitudeFt, fc.boolean(), mb, (sent, status, altitude, gillham, content) => {
        encodeAltitudeReply(buffer, AT, sent, status, altitude, gillham, content);
        decoded(content === null ? 7 : 14);
        expectReply(4, sent, status, content);
        expectAltitude(message.surveillance.altitudeBaroFt, altitude, gillham);
        expect(message.surveillance.squawk).toBe(ABSENT);
      }),
    );
  });

  test('identity, DF 5 and 21', () => {
    fc.assert(
      fc.property(address, flightStatus, squawk, mb, (sent, status, code, content) => {
        encodeIdentityReply(buffer, AT, sent, status, code, content);
        decoded(content === null ? 7 : 14);
        expectReply(5, sent, status, content);
        expect([message.surveillance.squawk, message.surveillance.altitudeBaroFt]).toEqual([code, ABSENT]);
      }),
    );
  });

  test('air-air, DF 0', () => {
    fc.assert(
      fc.property(address, fc.boolean(), altitudeFt, fc.boolean(), (sent, onGround, altitude, gillham) => {
        encodeAirAir(buffer, AT, sent, onGround, altitude, gillham);
        const { surveillance } = decoded(7);
        expect([message.kind, message.df, message.address]).toEqual([KIND_SURVEILLANCE, 0, sent]);
        expectAltitude(surveillance.altitudeBaroFt, altitude, gillham);
        const { squawk: code, onGround: ground, alert, spi } = surveillance;
        expect([code, ground, alert, spi]).toEqual([ABSENT, onGround ? 1 : 0, ABSENT, ABSENT]);
      }),
    );
  });

  test('all-call and acquisition squitter, DF 11', () => {
    fc.assert(
      fc.property(address, upTo(7), upTo(79), (sent, capability, interrogator) => {
        encodeAllCall(buffer, AT, sent, capability, interrogator);
        decoded(7);
        expect([message.kind, message.addressAnnounced]).toEqual([KIND_ALL_CALL, true]);
        expect([message.address, message.capability, message.interrogatorId]).toEqual([sent, capability, interrogator]);
      }),
    );
  });

  test('Comm-D, DF 24', () => {
    fc.assert(
      fc.property(
        address,
        fc.boolean(),
        upTo(15),
        fc.uint8Array({ minLength: 10, maxLength: 10 }),
        (sent, acknowledgement, segment, md) => {
          encodeCommD(buffer, AT, sent, acknowledgement, segment, md);
          decoded(14);
          expect([message.kind, message.df, message.address, message.addressAnnounced]).toEqual([KIND_COMM_D, 24, sent, false]);
          expect(message.commD).toEqual({ acknowledgement: acknowledgement ? 1 : 0, segment });
          expect([...buffer.subarray(AT + 1, AT + 11)]).toEqual([...md]);
        },
      ),
    );
  });
});

describe('ACAS reports', () => {
  /** With an advisory, active or ended, and consistent complements. */
  const report: fc.Arbitrary<AdvisoryFields> = fc
    .record({
      ...{ ara: upTo(0x3fff), rac: fc.constantFrom(0, 4, 8), ended: fc.boolean(), multipleThreats: fc.boolean() },
      ...{ threat: fc.constantFrom(THREAT_UNKNOWN, THREAT_ADDRESS, THREAT_POSITION), threatAddress: address },
      ...{ threatAltitudeFt: orUnknown(fc.integer({ min: -1200, max: 126_000 })), threatRangeNm: orUnknown(number(0, 12.6)) },
      threatBearingDeg: orUnknown(number(0, 359.99)),
    })
    .filter(({ ara, ended, multipleThreats }) => (ara & 0x2000) !== 0 || ended || multipleThreats);

  function expectReport(found: Resolution, fields: AdvisoryFields, withThreat: boolean): void {
    const { threat } = fields;
    expect([found.ara, found.rac, found.rat, found.mte]).toEqual([
      fields.ara,
      fields.rac,
      fields.ended ? 1 : 0,
      fields.multipleThreats ? 1 : 0,
    ]);
    expect(found.tti).toBe(withThreat ? threat : ABSENT);
    expect(found.threatAddress).toBe(withThreat && threat === THREAT_ADDRESS ? fields.threatAddress : ABSENT);
    const ifPosition = (value: number) => (withThreat && threat === THREAT_POSITION ? value : Number.NaN);
    expectNear(found.threatAltitudeFt, ifPosition(fields.threatAltitudeFt), 50);
    expectNear(found.threatRangeDeciNm, ifPosition(fields.threatRangeNm * 10), 0.5);
    expectNear(found.threatBearingDeg, ifPosition(fields.threatBearingDeg), 3);
  }

  test('broadcast, TC 28 subtype 2', () => {
    fc.assert(
      fc.property(header, report, (sent, fields) => {
        encodeAdvisory(buffer, AT, sent, fields);
        const { resolution } = decoded(14);
        expect([message.kind, message.typeCode, message.subtype]).toEqual([KIND_RESOLUTION, 28, 2]);
        expectHeader(sent);
        expectReport(resolution, fields, true);
        expect([...resolution.bytes]).toEqual([...buffer.subarray(AT + 4, AT + 11)]);
      }),
      { numRuns: 300 },
    );
  });

  test('air-air, DF 16', () => {
    fc.assert(
      fc.property(address, bit, altitudeFt, fc.boolean(), report, (sent, onGround, altitude, gillham, fields) => {
        encodeAirAirAdvisory(buffer, AT, sent, onGround === 1, altitude, gillham, fields);
        const { resolution, surveillance } = decoded(14);
        expect([message.kind, message.df, message.address, surveillance.onGround]).toEqual([KIND_RESOLUTION, 16, sent, onGround]);
        expectAltitude(surveillance.altitudeBaroFt, altitude, gillham);
        expectReport(resolution, fields, false);
      }),
      { numRuns: 300 },
    );
  });

  test('register 3,0', () => {
    const register = new Uint8Array(7);
    const found = new Resolution();
    fc.assert(
      fc.property(report, (fields) => {
        messageAdvisory(register, fields);
        expect(holdsResolutionReport(register, 0)).toBe(true);
        decodeResolution(register, 0, true, found);
        expectReport(found, fields, true);
      }),
      { numRuns: 300 },
    );
  });
});
