// The frame header: formats, parity, addresses, sender. No value of one frame survives into the next.
import { describe, expect, test } from 'vitest';
import { decodeHex, frameBytes, squitter, withParity } from '../../test/golden/frames.ts';
import { decodeFrame } from './decode.ts';
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_ALL_CALL,
  KIND_COARSE_POSITION,
  KIND_EXTENDED_OTHER,
  KIND_NONE,
  Message,
  ORIGIN_ADSB,
  ORIGIN_ADSB_NON_TRANSPONDER,
  ORIGIN_ADSR,
  ORIGIN_TISB_COARSE,
  ORIGIN_TISB_FINE,
  ORIGIN_TISB_MANAGEMENT,
  ORIGIN_TISB_OTHER,
  ORIGIN_UNKNOWN,
  REJECT_DF_UNSUPPORTED,
  REJECT_MALFORMED,
  REJECT_NO_AIRCRAFT,
  REJECT_NONE,
  REJECT_PARITY,
} from './message.ts';

describe('formats', () => {
  const supported = [0, 4, 5, 11, 16, 17, 18, 20, 21, 24, 25, 26, 27, 28, 29, 30, 31];

  test('each DF is accepted at its own length and refused at the other', () => {
    for (let df = 0; df < 32; df += 1) {
      for (const length of [7, 14] as const) {
        const head = (df << 3).toString(16).padStart(2, '0');
        const { reject, kind } = decodeHex(withParity(head.padEnd(2 * length - 6, '0')));
        const fits = length === (df < 16 ? 7 : 14);
        const expected = supported.includes(df) ? (fits ? REJECT_NONE : REJECT_MALFORMED) : REJECT_DF_UNSUPPORTED;
        expect([df, length, reject]).toEqual([df, length, expected]);
        if (reject !== REJECT_NONE) expect(kind).toBe(KIND_NONE);
      }
    }
  });
});

describe('parity', () => {
  test('a damaged DF 17 is refused but decoded', () => {
    const message = decodeHex('8dada5265851e6616376c2eb4462');
    expect(message).toMatchObject({ reject: REJECT_PARITY, remainder: 1, kind: KIND_AIRBORNE_POSITION, address: 0xada526 });
    expect(message.position.altitudeBaroFt).toBe(15_350);
  });

  test('DF 11: 7 bits of interrogator code pass, anything above is a parity error', () => {
    expect(decodeHex('5d4bab45cfa079')).toMatchObject({ reject: REJECT_NONE, kind: KIND_ALL_CALL, address: 0x4bab45, interrogatorId: 0 });
    expect(decodeHex(withParity('5d4bab45', 0x7f))).toMatchObject({ reject: REJECT_NONE, interrogatorId: 127, capability: 5 });
    expect(decodeHex(withParity('5d4bab45', 0x80))).toMatchObject({ reject: REJECT_PARITY, interrogatorId: 0, address: 0x4bab45 });
  });
});

describe('DF 18', () => {
  const position = [11, 5, 0, 2, 0, 1, 0xc38, 12, 0, 2, 1000, 17, 2000, 17];
  const withImf = [11, 5, 0, 2, 1, 1, 0xc38, 12, 0, 2, 1000, 17, 2000, 17];
  const received = (cf: number, groups: readonly number[]) => decodeHex(squitter(groups, `${(0x90 | cf).toString(16)}3c6586`));

  test.each([
    [0, ORIGIN_ADSB_NON_TRANSPONDER, false, false],
    [1, ORIGIN_ADSB_NON_TRANSPONDER, true, true],
    [2, ORIGIN_TISB_FINE, false, true],
    [5, ORIGIN_TISB_OTHER, true, true],
    [6, ORIGIN_ADSR, false, true],
  ])('CF %i: origin %i, non-ICAO %s, with the IMF bit %s', (cf, origin, nonIcao, nonIcaoWithImf) => {
    expect(received(cf, position)).toMatchObject({ origin, addressNonIcao: nonIcao, kind: KIND_AIRBORNE_POSITION, capability: ABSENT });
    expect(received(cf, withImf)).toMatchObject({ origin, addressNonIcao: nonIcaoWithImf });
    expect(received(cf, withImf).position).toMatchObject(cf < 2 ? { nicB: 1, imf: ABSENT } : { nicB: ABSENT, imf: 1 });
  });

  test('CF 3, 4 and 7 have no type code; 4 and 7 are not about an aircraft', () => {
    expect(received(3, position)).toMatchObject({
      origin: ORIGIN_TISB_COARSE,
      kind: KIND_COARSE_POSITION,
      typeCode: 0,
      addressNonIcao: false,
    });
    expect(received(3, [1, 1])).toMatchObject({ origin: ORIGIN_TISB_COARSE, addressNonIcao: true, reject: REJECT_NONE });
    const none = { kind: KIND_EXTENDED_OTHER, typeCode: 0, reject: REJECT_NO_AIRCRAFT };
    expect(received(4, position)).toMatchObject({ origin: ORIGIN_TISB_MANAGEMENT, ...none });
    expect(received(7, position)).toMatchObject({ origin: ORIGIN_UNKNOWN, addressNonIcao: true, ...none });
    expect(decodeHex(squitter(position, '943c6586').replace(/..$/, '00'))).toMatchObject({ reject: REJECT_PARITY });
  });

  test.each([
    [[5, 5], 20],
    [[13, 5], 7],
    [[19, 5, 1, 3], 8],
    [[28, 5, 1, 3], 55],
    [[29, 5, 0, 2], 50],
    [[29, 5, 1, 2], 50],
    [[31, 5, 0, 3], 55],
  ] as [number[], number][])('the IMF bit of TC %j is bit %i + 1', (head, imfIndex) => {
    const used = head.reduce((sum, width, i) => sum + (i % 2) * width, 0);
    for (const cf of [2, 6])
      for (const imf of [0, 1]) expect(received(cf, [...head, 0, imfIndex - used, imf, 1]).addressNonIcao).toBe(imf === 1);
  });

  test('an identification has no IMF bit', () => {
    for (const cf of [2, 6]) expect(received(cf, [4, 5, 7, 3, 0xffffff, 24, 0xffffff, 24])).toMatchObject({ addressNonIcao: false });
  });
});

test('one message, many frames: the whole header is written each time', () => {
  const message = new Message();
  const decode = (hex: string) => {
    const bytes = frameBytes(hex);
    decodeFrame(bytes, 0, bytes.length as 7 | 14, message);
    return message;
  };
  decode(squitter([31, 5, 1, 3], '963c6586').replace(/..$/, '00'));
  expect(message).toMatchObject({ reject: REJECT_PARITY, origin: ORIGIN_ADSR, subtype: 1 });
  expect(decode('200015301c0ff2')).toMatchObject({
    reject: REJECT_NONE,
    df: 4,
    origin: ORIGIN_ADSB,
    typeCode: 0,
    subtype: 0,
    addressAnnounced: false,
    addressNonIcao: false,
    capability: ABSENT,
    address: 0x4bab45,
  });
});
