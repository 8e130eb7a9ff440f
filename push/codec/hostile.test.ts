// Damaged frames: one clear error, never a loop, a crash or memory without bound.
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { everyIndex, listingOf } from '../../test/support/wire-objects.ts';
import { AIRCRAFT_ALLOWED, AircraftDecoder, BODY_BYTES_ALLOWED, FrameError, HEADER_BYTES, MARK, readBody, readHeader } from './decoder.ts';
import { AircraftEncoder, finished } from './encoder.ts';
import { packFrame } from './pack.ts';
import { Writer } from './writer.ts';

const STREAM = 's';

/** A full and a delta of some aircraft. */
function frames(mayDeflate: boolean): [Uint8Array, Uint8Array] {
  const encoder = new AircraftEncoder({ stream: STREAM, mayDeflate });
  const at = (seq: number, numbers: readonly number[]): Uint8Array => {
    const nowMs = NOW_MS + 1000 * seq;
    const { listing } = listingOf(
      numbers.map((i) => ({ ...fullState(i), seenMs: nowMs, positionMs: nowMs - i, altitudeBaroFt: 100 * seq * i })),
      nowMs,
    );
    return encoder.delta(seq, nowMs, listing, everyIndex(listing));
  };
  at(1, [1, 2, 3, 4, 5]);
  const full = encoder.full();
  return [full, at(2, [2, 3, 4, 5, 6])];
}

const headOf = (seq = 1) => ({ isFull: true, stream: STREAM, seq, nowMs: NOW_MS, mayDeflate: false });

/** A frame whose body is written by hand. */
function frameOf(write: (body: Writer) => void): Uint8Array {
  const body = new Writer();
  write(body);
  return finished(packFrame(headOf(), body.written(), [], false));
}

async function outcome(...list: Uint8Array[]): Promise<unknown> {
  const decoder = new AircraftDecoder();
  try {
    for (const frame of list) await decoder.decode(frame);
    return null;
  } catch (error) {
    return error;
  }
}

describe('damaged frames', () => {
  test.each([true, false])(
    'every truncated frame is refused; wrong bytes give an aircraft list or one kind of error (deflated: %s)',
    async (mayDeflate) => {
      const [full, delta] = frames(mayDeflate);
      for (let length = 0; length < full.length; length += 1) expect(await outcome(full.subarray(0, length))).toBeInstanceOf(FrameError);
      expect(await outcome(full)).toBeNull();
      const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(damage, fc.boolean(), async (changes, inFull) => {
          const list = [Uint8Array.from(full), Uint8Array.from(delta)] as const;
          for (const [at, byte] of changes) (inFull ? list[0] : list[1])[at % (inFull ? full : delta).length] = byte;
          const error = await outcome(...list);
          if (error !== null) expect(error).toBeInstanceOf(FrameError);
        }),
        { numRuns: 1000 },
      );
    },
  );

  test('after an error only a full is accepted', async () => {
    const [full, delta] = frames(false);
    const damaged = Uint8Array.from(delta);
    damaged[HEADER_BYTES + STREAM.length] = 200;
    const decoder = new AircraftDecoder();
    await decoder.decode(full);
    await expect(decoder.decode(damaged)).rejects.toMatchObject({ code: 'format' });
    await expect(decoder.decode(delta)).rejects.toMatchObject({ code: 'gap' });
    expect(await decoder.decode(full)).toMatchObject({ type: 'full' });
    expect(await decoder.decode(delta)).toMatchObject({ type: 'delta' });
  });

  test('another version, a wrong checksum, and bodies that inflate to more than announced or announce too much', async () => {
    const changed = (mayDeflate: boolean, at: number): Uint8Array => {
      const bytes = Uint8Array.from(frames(mayDeflate)[0]);
      bytes.set([bytes.at(at)! + 1], at < 0 ? bytes.length + at : at);
      return bytes;
    };
    const bomb = (announced: number, inflated: number): Uint8Array => {
      const head = Buffer.alloc(HEADER_BYTES);
      head.set([MARK, 1, 0, 0]);
      head.writeDoubleLE(NOW_MS, 8);
      head.writeUInt32LE(announced, 16);
      return Buffer.concat([head, deflateSync(Buffer.alloc(inflated))]);
    };
    const refused: [string, Uint8Array][] = [
      ['of another version', changed(false, 0)],
      ['cannot be inflated', changed(true, -1)],
      ['longer than announced', bomb(1000, 50_000_000)],
      ['shorter than announced', bomb(2000, 1000)],
      ['truncated', bomb(1_000_000, 10)],
      ['lengths', bomb(BODY_BYTES_ALLOWED + 1, 50_000_000)],
    ];
    for (const [message, frame] of refused)
      expect(await outcome(frame)).toMatchObject({ code: 'format', message: expect.stringContaining(message) });
  });

  test('counts, keys and fields out of their bounds', async () => {
    const numbers = (values: number[]): Uint8Array =>
      frameOf((body) => {
        for (const value of values) body.unsigned(value);
      });
    const named = frameOf((body) => {
      body.unsigned(1);
      body.text('__proto__');
      for (const value of [0, 0, 1, 0, 0]) body.unsigned(value);
    });
    const refused: [string, Uint8Array][] = [
      ['too many aircraft', numbers([0, 0, AIRCRAFT_ALLOWED + 1, ...new Array<number>(AIRCRAFT_ALLOWED + 1).fill(0)])],
      ['a count that is too large', numbers([0, 0, 5])],
      ['a number out of its range', numbers([0, 0, 1, 2 ** 25])],
      ['a number that is too large', numbers([0, 0, 1, Number.MAX_SAFE_INTEGER * 2])],
      ['too many fields', numbers([256])],
      ['a column without a field', numbers([0, 0, 0, 3, 0])],
      ['a field that cannot be', named],
    ];
    for (const [message, frame] of refused) expect(await outcome(frame)).toMatchObject({ message: `frame: ${message}` });
  });

  test('fields of a kind that is not known yet are skipped', async () => {
    const frame = frameOf((body) => {
      body.unsigned(2);
      body.text('future');
      for (const value of [99, 0, 1]) body.unsigned(value);
      body.text('messages');
      for (const value of [0, 0, 1]) body.unsigned(value);
      // No aircraft removed, one added: 4b1234. Two columns: three unknown bytes; for the first aircraft 7.
      for (const value of [0, 1, 0x4b1234, 0, 3, 200, 9, 1, 3, 1, 0, 15]) body.unsigned(value);
    });
    const header = readHeader(frame);
    const body = await readBody(frame, header);
    expect(new AircraftDecoder().apply(header, body)).toMatchObject({ ac: [{ hex: '4b1234', messages: 7 }] });
  });
});
