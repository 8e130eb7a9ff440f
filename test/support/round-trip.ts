// Shared by the round-trip tests: arbitrary headers, numbers and coordinates, and a frame of the encoder through the decoder.
import fc from 'fast-check';
import { expect } from 'vitest';
import { decodeFrame } from '../../pipeline/decode/decode.ts';
import {
  ABSENT,
  Message,
  ORIGIN_ADSB,
  ORIGIN_ADSB_NON_TRANSPONDER,
  ORIGIN_ADSR,
  ORIGIN_TISB_FINE,
  ORIGIN_TISB_OTHER,
  REJECT_NONE,
} from '../../pipeline/decode/message.ts';
import type { SquitterHeader } from '../../pipeline/simulate/encode/squitter.ts';

/** Frames are in the middle of a buffer, so that a wrong offset is noticed. */
export const AT = 5;
export const buffer = new Uint8Array(32);
/** One message for all frames: values of an earlier frame must not remain. */
export const message = new Message();

/** Decodes the frame at `buffer[AT]`. */
export function decoded(byteLength: 7 | 14): Message {
  decodeFrame(buffer, AT, byteLength, message);
  expect(message.reject).toBe(REJECT_NONE);
  return message;
}

export const address = fc.integer({ min: 1, max: 0xff_ffff });
export const squawk = fc
  .tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: 7 })))
  .map((d) => d[0]! * 1000 + d[1]! * 100 + d[2]! * 10 + d[3]!);
export const latDeg = fc.double({ min: -89.9, max: 89.9, noNaN: true });
export const lonDeg = fc.double({ min: -180, max: 180, noNaN: true, maxExcluded: true });
export const bit = fc.integer({ min: 0, max: 1 });
export const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
export const number = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });
/** A number that may also be unknown: NaN for the encoder, ABSENT from the decoder. */
export const orUnknown = (value: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.option(value, { nil: Number.NaN, freq: 6 }) as fc.Arbitrary<number>;
export const altitudeFt = orUnknown(fc.integer({ min: -1000, max: 60_000 }));

/** DF 17 with any capability. */
const ownHeader: fc.Arbitrary<SquitterHeader> = fc.record({ df: fc.constant(17 as const), capability: upTo(7), address });
/** DF 17 and every control field of DF 18 that has a type code. */
export const header: fc.Arbitrary<SquitterHeader> = fc.oneof(
  ownHeader,
  fc.record({ df: fc.constant(18 as const), capability: fc.constantFrom(0, 1, 2, 5, 6), address }),
);

const ORIGINS: Record<number, number> = {
  0: ORIGIN_ADSB_NON_TRANSPONDER,
  1: ORIGIN_ADSB_NON_TRANSPONDER,
  2: ORIGIN_TISB_FINE,
  5: ORIGIN_TISB_OTHER,
  6: ORIGIN_ADSR,
};

/** TIS-B and ADS-R have the IMF instead of some bit. */
export function isRelayed({ df, capability }: SquitterHeader): boolean {
  return df === 18 && capability >= 2;
}

export function isTisb({ df, capability }: SquitterHeader): boolean {
  return df === 18 && (capability === 2 || capability === 5);
}

/** Checks format, sender and address. `imf` is the frame's IMF, if it has one and CF leaves the decision to it. */
function expectHeader(sent: SquitterHeader, imf = 0): void {
  const { df, capability } = sent;
  expect([message.df, message.address, message.addressAnnounced]).toEqual([df, sent.address, true]);
  expect(message.origin).toBe(df === 17 ? ORIGIN_ADSB : ORIGINS[capability]);
  expect(message.capability).toBe(df === 17 ? capability : ABSENT);
  const byImf = df === 18 && (capability === 2 || capability === 6) && imf === 1;
  expect(message.addressNonIcao).toBe((df === 18 && (capability === 1 || capability === 5)) || byImf);
}

/** Decodes the extended squitter at `buffer[AT]`, and checks its kind, type code and subtype, format, sender and address. */
export function decodedSquitter(sent: SquitterHeader, [kind, typeCode, subtype]: readonly number[], imf = 0): Message {
  decoded(14);
  expect([message.kind, message.typeCode, message.subtype]).toEqual([kind, typeCode, subtype ?? message.subtype]);
  expectHeader(sent, imf);
  return message;
}

/** Runs a check for 300 values. */
export function forAll<Value>(values: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  fc.assert(fc.property(values, check), { numRuns: 300 });
}

/** Checks a number within half a step, NaN as ABSENT. */
export function expectNear(found: number, sent: number, halfStep: number): void {
  if (Number.isNaN(sent)) expect(found).toBe(ABSENT);
  else expect(Math.abs(found - sent)).toBeLessThanOrEqual(halfStep + 1e-9);
}

/** Steps of 25 ft up to 50,175 ft, of 100 ft above or by choice. */
export function expectAltitude(found: number, sent: number, gillham: boolean): void {
  expectNear(found, sent, gillham || sent > 50_175 ? 50 : 12.5);
}

/** Checks hundredths of a degree within `limitDeg`, NaN as ABSENT. */
export function expectAngle(foundCentideg: number, sentDeg: number, limitDeg: number): void {
  if (Number.isNaN(sentDeg)) {
    expect(foundCentideg).toBe(ABSENT);
    return;
  }
  expect(foundCentideg).toBeGreaterThanOrEqual(0);
  expect(foundCentideg).toBeLessThan(36_000);
  expect(Math.abs(((foundCentideg / 100 - sentDeg + 900) % 360) - 180)).toBeLessThanOrEqual(limitDeg);
}
