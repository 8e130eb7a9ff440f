// Every altitude and identity code in whole frames: 8,192 of 13 bits, 4,096 of 12 bits. The tables are built in the opposite direction,
// from altitude to code, as in the standard (ICAO Annex 10 vol. IV §3.1.1.7.12.2.3 and its appendix, §3.1.2.6.5.4).
import { describe, expect, test } from 'vitest';
import { decodeFrame } from '../../pipeline/decode/decode.ts';
import { ABSENT, Message } from '../../pipeline/decode/message.ts';
import { sealed } from './frames.ts';

/** Pulses of the 13-bit field, first bit first. Bit 7 is M in altitudes and X in identities, bit 9 is Q or D1. */
const PULSES = ['C1', 'A1', 'C2', 'A2', 'C4', 'A4', 'M', 'B1', 'Q', 'B2', 'D2', 'B4', 'D4'] as const;
type Pulse = (typeof PULSES)[number] | 'D1';

const M = 1 << 6;
const Q = 1 << 4;
const message = new Message();

function codeOf(pulses: ReadonlySet<Pulse>): number {
  return PULSES.reduce((code, pulse, i) => (pulses.has(pulse) || (pulse === 'Q' && pulses.has('D1')) ? code | (0x1000 >> i) : code), 0);
}

/** Every 100 ft from −1,200: the pulses of a transponder. */
function gillhamCodes(): Map<number, number> {
  const HUNDREDS: readonly (readonly Pulse[])[] = [['C4'], ['C2', 'C4'], ['C2'], ['C1', 'C2'], ['C1']];
  /** Most significant first. */
  const FIVE_HUNDREDS: readonly Pulse[] = ['D2', 'D4', 'A1', 'A2', 'A4', 'B1', 'B2', 'B4'];
  const codes = new Map<number, number>();
  for (let step = 0; step < 256 * 5; step += 1) {
    const five = Math.floor(step / 5);
    const gray = five ^ (five >> 1);
    const hundred = five % 2 === 0 ? step % 5 : 4 - (step % 5);
    const pulses = new Set<Pulse>(HUNDREDS[hundred]);
    FIVE_HUNDREDS.forEach((pulse, i) => {
      if (gray & (0x80 >> i)) pulses.add(pulse);
    });
    codes.set(codeOf(pulses), -1200 + 100 * step);
  }
  return codes;
}

const gillham = gillhamCodes();

function altitudeOf13(code: number): number {
  if (code & M) return ABSENT;
  if (!(code & Q)) return gillham.get(code) ?? ABSENT;
  const n = [12, 11, 10, 9, 8, 7, 5, 3, 2, 1, 0].reduce((value, bit) => 2 * value + ((code >> bit) & 1), 0);
  return 25 * n - 1000;
}

/** A reply of 7 or 14 bytes with this 13-bit field, decoded. */
function decodedReply(df: number, code: number): Message {
  const bytes = new Uint8Array(df < 16 ? 7 : 14);
  bytes.set([df << 3, 0, code >> 8, code & 0xff]);
  decodeFrame(sealed(bytes, 0x4b_9696), 0, bytes.length as 7 | 14, message);
  return message;
}

test('there are 1,280 Gillham codes, each of another altitude', () => {
  expect(gillham.size).toBe(1280);
  expect([Math.min(...gillham.values()), Math.max(...gillham.values())]).toEqual([-1200, 126_700]);
});

describe.each([0, 4, 16, 20])('DF %i', (df) => {
  test('all 8,192 altitude codes', () => {
    for (let code = 0; code < 8192; code += 1) {
      const { altitudeBaroFt } = decodedReply(df, code).surveillance;
      if (altitudeBaroFt !== altitudeOf13(code)) expect([code, altitudeBaroFt]).toEqual([code, altitudeOf13(code)]);
    }
  });
});

describe.each([5, 21])('DF %i', (df) => {
  test('all 8,192 identity codes: 4,096 squawks, the bit in between does not matter', () => {
    const digits = (['A', 'B', 'C', 'D'] as const).map((group) =>
      ['4', '2', '1'].map((weight) => codeOf(new Set([`${group}${weight}` as Pulse]))),
    );
    const seen = new Set<number>();
    for (let code = 0; code < 8192; code += 1) {
      const squawk = digits.reduce((number, bits) => 10 * number + bits.reduce((digit, bit) => 2 * digit + (code & bit ? 1 : 0), 0), 0);
      const decoded = decodedReply(df, code).surveillance.squawk;
      if (decoded !== squawk) expect([code, decoded]).toEqual([code, squawk]);
      seen.add(squawk);
    }
    expect(seen.size).toBe(4096);
  });
});

describe.each([9, 18, 20, 22, 0])('TC %i', (typeCode) => {
  test('all 4,096 altitude codes: the 13-bit one without M', () => {
    for (let code = 0; code < 4096; code += 1) {
      const bytes = new Uint8Array(14);
      bytes.set([0x8d, 0x4b, 0x96, 0x96, typeCode << 3, code >> 4, (code & 15) << 4]);
      decodeFrame(sealed(bytes, 0), 0, 14, message);
      const { altitudeBaroFt, altitudeGeomFt } = message.position;
      const expected = altitudeOf13(((code & 0xfc0) << 1) | (code & 0x3f));
      const altitudeFt = typeCode >= 20 ? altitudeGeomFt : altitudeBaroFt;
      if (altitudeFt !== expected) expect([code, altitudeFt]).toEqual([code, expected]);
      expect(typeCode >= 20 ? altitudeBaroFt : altitudeGeomFt).toBe(ABSENT);
    }
  });
});
