// Round trips: packed frames and the Avro values of topics, with every field at its extremes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { avroType } from '../../pipeline/log/avro.ts';
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import type { PositionBatch, PositionRow } from '../../schemas/avro/position-batch.ts';
import {
  createReceivedFrame,
  FLAG_LONG,
  PACKED_DATA,
  PACKED_FLAGS,
  PACKED_FRAME_BYTES,
  PACKED_SIGNAL,
  PACKED_TIME_SPAN_US_MAX,
  packedCounter,
  packedReceiver,
  packedTimeUs,
  packFrame,
  viewOf,
} from '../../schemas/packed-frame.ts';
import { aircraftStates } from '../support/aircraft-states.ts';

const runs = { numRuns: 1000 };
const between = (min: number, max: number): fc.Arbitrary<number> => fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
/** Avro's int, and the range of its long in avsc: below −2^52 it loses the last bit. Ours are times and counts, never negative. */
const int = between(-0x8000_0000, 0x7fff_ffff);
const long = between(-(2 ** 52), 2 ** 53 - 2);
const optionalInt = fc.option(int, { nil: null });

describe('a packed frame', () => {
  const frame = fc.record({
    sinceBaseUs: between(0, PACKED_TIME_SPAN_US_MAX),
    counter: between(0, 2 ** 48 - 1),
    signal: between(0, 255),
    flags: between(0, 15),
    receiver: between(0, 0xffff),
    bytes: fc.oneof(fc.uint8Array({ minLength: 7, maxLength: 7 }), fc.uint8Array({ minLength: 14, maxLength: 14 })),
    before: fc.nat(5),
  });

  test('keeps all values, in its 28 bytes and no others', () => {
    fc.assert(
      fc.property(frame, between(0, 2 ** 51), ({ sinceBaseUs, counter, signal, flags, receiver, bytes, before }, baseTimeUs) => {
        const around = new Uint8Array(3 * PACKED_FRAME_BYTES).fill(0xa5);
        const source = new Uint8Array(before + bytes.length);
        source.set(bytes, before);
        const byteLength = bytes.length as 7 | 14;
        const timeUs = baseTimeUs + sinceBaseUs;
        packFrame(viewOf(around), PACKED_FRAME_BYTES, baseTimeUs, {
          ...createReceivedFrame(source, before, byteLength),
          timeUs,
          counter,
          signal,
          flags,
          receiver,
        });
        const at = PACKED_FRAME_BYTES;
        expect([packedTimeUs(around, at), packedCounter(around, at), packedReceiver(around, at)]).toEqual([sinceBaseUs, counter, receiver]);
        expect(around[at + PACKED_SIGNAL]).toBe(signal);
        expect(around[at + PACKED_FLAGS]).toBe((flags & ~FLAG_LONG) | (byteLength === 14 ? FLAG_LONG : 0));
        const kept = new Uint8Array(14);
        kept.set(bytes);
        expect(around.subarray(at + PACKED_DATA, at + PACKED_FRAME_BYTES)).toEqual(kept);
        const others = [...around.subarray(0, at), ...around.subarray(at + PACKED_FRAME_BYTES)];
        expect(others.every((byte) => byte === 0xa5)).toBe(true);
      }),
      runs,
    );
  });
});

describe('an Avro value', () => {
  const frameBatches: fc.Arbitrary<FrameBatch> = fc.record({
    baseTimeUs: long,
    receivers: fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 5 }),
    count: int,
    frames: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  });
  const rows: fc.Arbitrary<PositionRow> = fc.record({
    hex: fc.string({ maxLength: 7 }),
    timeUs: long,
    latitudeMicrodeg: int,
    longitudeMicrodeg: int,
    onGround: fc.boolean(),
    altitudeBaroFt: optionalInt,
    altitudeGeomFt: optionalInt,
    groundSpeedDeciKt: optionalInt,
    trackCentideg: optionalInt,
    baroRateFpm: optionalInt,
    source: int,
    nic: int,
    rcM: int,
    frameOffset: long,
    frameIndex: int,
    callsign: fc.option(fc.string({ unit: 'grapheme', maxLength: 9 }), { nil: null }),
    squawk: optionalInt,
    rssiDeciDbfs: optionalInt,
  });
  const positionBatches: fc.Arbitrary<PositionBatch> = fc.record({ tickMs: long, rows: fc.array(rows, { maxLength: 4 }) });
  const coverage = fc.record({ receiver: int, latitudeDecideg: int, longitudeDecideg: int, spreadNm: int, samples: int });
  const progresses: fc.Arbitrary<FoldProgress> = fc.record({
    partition: int,
    tickMs: long,
    frameOffset: long,
    frames: long,
    messages: long,
    positions: long,
    positionsDropped: long,
    aircraft: int,
    rejected: fc.array(long, { maxLength: 12 }),
    reaches: fc.option(fc.array(coverage, { maxLength: 3 })),
    foldVersion: int,
  });

  // Half a surrogate pair has no UTF-8; the fold writes ASCII.
  const states = aircraftStates.filter(({ flight }) => flight === null || !/\p{Surrogate}/u.test(flight));

  test.each([
    ['FrameBatch', frameBatches],
    ['PositionBatch', positionBatches],
    ['FoldProgress', progresses],
    ['AircraftState', states],
  ] as const)('%s is unchanged after a round trip', (name, values: fc.Arbitrary<object>) => {
    const type = avroType(avroSchemas[name]);
    fc.assert(
      fc.property(values, (value) => {
        const bytes = type.toBuffer(value);
        // Records of avsc have their own classes; JSON compares their content, bytes as lists of numbers.
        expect(JSON.parse(JSON.stringify(type.fromBuffer(bytes)))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(type.toBuffer(type.fromBuffer(bytes))).toEqual(bytes);
      }),
      runs,
    );
  });
});
