// Round trips of packed frames, with every field at its extremes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createReceivedFrame,
  FLAG_LONG,
  PACKED_DATA,
  PACKED_FLAGS,
  PACKED_FRAME_BYTES,
  PACKED_SIGNAL,
  PACKED_TIME_SPAN_US,
  packedCounter,
  packedReceiver,
  packedTimeUs,
  packFrame,
  viewOf,
} from '../../schemas/packed-frame.ts';

const runs = { numRuns: 1000 };
const between = (min: number, max: number): fc.Arbitrary<number> => fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));

describe('a packed frame', () => {
  const frame = fc.record({
    sinceBaseUs: between(0, PACKED_TIME_SPAN_US),
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
