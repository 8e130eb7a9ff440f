// Round trips of packed frames, with every field at its extremes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as packed from '../../schemas/packed-frame.ts';

const { FLAG_LONG, PACKED_DATA, PACKED_FLAGS, PACKED_FRAME_BYTES: AT, PACKED_SIGNAL } = packed;
const between = (min: number, max: number): fc.Arbitrary<number> => fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
const frames = fc.record({
  sinceBaseUs: between(0, packed.PACKED_TIME_SPAN_US),
  baseTimeUs: between(0, 2 ** 51),
  counter: between(0, 2 ** 48 - 1),
  signal: between(0, 255),
  flags: between(0, 15),
  receiver: between(0, 0xffff),
  bytes: fc.constantFrom(7 as const, 14 as const).chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
  before: fc.nat(5),
});

test('a packed frame keeps all values, in its 28 bytes and no others', () => {
  fc.assert(
    fc.property(frames, ({ sinceBaseUs, baseTimeUs, bytes, before, ...values }) => {
      const around = new Uint8Array(3 * AT).fill(0xa5);
      const frame = packed.createReceivedFrame(Uint8Array.of(...new Uint8Array(before), ...bytes), before, bytes.length as 7 | 14);
      packed.packFrame(packed.viewOf(around), AT, baseTimeUs, { ...frame, ...values, timeUs: baseTimeUs + sinceBaseUs });
      const [timeUs, counter, receiver] = [packed.packedTimeUs, packed.packedCounter, packed.packedReceiver].map((read) =>
        read(around, AT),
      );
      expect({ timeUs, counter, receiver, signal: around[AT + PACKED_SIGNAL], flags: around[AT + PACKED_FLAGS] }).toEqual({
        ...values,
        ...{ timeUs: sinceBaseUs, flags: (values.flags & ~FLAG_LONG) | (bytes.length === 14 ? FLAG_LONG : 0) },
      });
      expect([...around.subarray(AT + PACKED_DATA, 2 * AT)]).toEqual([...bytes, ...new Uint8Array(14 - bytes.length)]);
      expect([...around.subarray(0, AT), ...around.subarray(2 * AT)].every((byte) => byte === 0xa5)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
