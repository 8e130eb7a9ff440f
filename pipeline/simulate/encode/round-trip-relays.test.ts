// The round trip of messages that only ground stations send: TIS-B velocities and coarse TIS-B.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AT,
  address,
  altitudeFt,
  bit,
  buffer,
  decoded,
  expectAltitude,
  expectAngle,
  expectHeader,
  expectNear,
  latDeg,
  lonDeg,
  message,
  number,
  orUnknown,
  upTo,
} from '../../../test/support/round-trip.ts';
import { type CprResult, cprGlobalAirborne, cprLocalAirborne } from '../../decode/cpr.ts';
import { ABSENT, KIND_COARSE_POSITION, KIND_VELOCITY, ORIGIN_TISB_COARSE } from '../../decode/message.ts';
import { encodeCoarsePosition } from './coarse.ts';
import { encodeAirVelocity, encodeGroundVelocity } from './motion.ts';
import type { SquitterHeader } from './squitter.ts';

const header: fc.Arbitrary<SquitterHeader> = fc.record({ df: fc.constant(18 as const), capability: fc.constantFrom(2, 5), address });
const speedKt = number(-1500, 1500);
const velocity = fc.record({
  ...{ eastKt: speedKt, northKt: speedKt, headingDeg: orUnknown(number(0, 360)), airspeedKt: orUnknown(number(0, 1500)) },
  ...{ airspeedTrue: fc.boolean(), rateFpm: orUnknown(number(-32_000, 32_000)), rateBaro: fc.boolean(), imf: bit, nacV: upTo(7) },
  ...{ geomDeltaFt: orUnknown(number(-3100, 3100)), tisb: fc.record({ nacP: upTo(15), sil: upTo(3) }) },
});

test('TIS-B velocities contain the accuracy or the altitude difference', () => {
  fc.assert(
    fc.property(header, velocity, fc.boolean(), (sent, fields, overGround) => {
      if (overGround) encodeGroundVelocity(buffer, AT, sent, fields);
      else encodeAirVelocity(buffer, AT, sent, fields);
      const { velocity: found } = decoded(14);
      expect(message.kind).toBe(KIND_VELOCITY);
      expectHeader(sent, fields.imf);
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
    }),
    { numRuns: 300 },
  );
});

const even: CprResult = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };
const coarse = fc.record({
  ...{ imf: bit, surveillanceStatus: upTo(3), serviceVolume: upTo(15), altitudeFt, gillham: fc.boolean() },
  ...{ trackDeg: orUnknown(number(0, 360)), groundSpeedKt: orUnknown(number(0, 1960)), odd: fc.boolean(), latDeg, lonDeg },
});

test('coarse TIS-B, every field', () => {
  fc.assert(
    fc.property(address, coarse, (of, fields) => {
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
    }),
    { numRuns: 300 },
  );
});

test('coarse TIS-B positions, near a reference and from a pair, are accurate to half a step of 2^-12 of a zone', () => {
  const flat = { imf: 0, surveillanceStatus: 0, serviceVolume: 0, altitudeFt: 0, gillham: false, trackDeg: 0, groundSpeedKt: 0 };
  fc.assert(
    fc.property(latDeg, lonDeg, fc.boolean(), (lat, lon, odd) => {
      const field = (isOdd: boolean) => {
        encodeCoarsePosition(buffer, AT, 1, { ...flat, odd: isOdd, latDeg: lat, lonDeg: lon });
        const { cprLat, cprLon } = decoded(14).position;
        return [cprLat, cprLon] as const;
      };
      const [evenLat, evenLon] = field(false);
      const [oddLat, oddLon] = field(true);
      const check = (found: boolean) => {
        if (!found) return;
        expect(Math.abs(even.latitudeMicrodeg / 1e6 - lat)).toBeLessThanOrEqual(6.11 / 4096 / 2 + 1e-6);
        const off = Math.abs(even.longitudeMicrodeg / 1e6 - lon);
        // Near the poles a zone may span the full circle.
        const zones = Math.max(1, Math.floor(59 * Math.cos((lat * Math.PI) / 180)) - 2);
        expect(Math.min(off, 360 - off)).toBeLessThanOrEqual(360 / zones / 4096 / 2 + 1e-6);
      };
      check(cprLocalAirborne(odd ? oddLat : evenLat, odd ? oddLon : evenLon, odd, Math.round(lat * 1e6), Math.round(lon * 1e6), even));
      check(cprGlobalAirborne(evenLat, evenLon, oddLat, oddLon, odd, even));
    }),
    { numRuns: 500 },
  );
});
