// The register of a reply: published examples, replies on which decoders disagree, replies without a value, and noise.
import { describe, expect, test } from 'vitest';
import { decodeHex, frameBytes } from '../../test/golden/frames.ts';
import { Random } from '../simulate/flights/random.ts';
import { inferRegister } from './comm-b.ts';
import { decodeFrame } from './decode.ts';
import { messageFields } from './json.ts';
import { Message, REGISTER_EMPTY, REGISTER_NONE } from './message.ts';

/** The fields of a reply with this MB field, in DF 21 (no altitude) unless the header says otherwise. */
function fieldsOf(mb: string, header = 'a8000800'): Record<string, unknown> {
  const hex = `${header}${mb}000000`;
  return messageFields(decodeHex(hex), frameBytes(hex), 0);
}

function registerOf(hex: string): number {
  const message = decodeHex(hex);
  inferRegister(message);
  return message.commB.register;
}

describe('examples of "The 1090 MHz Riddle" (J. Sun, 2nd edition, chapters 16 to 18)', () => {
  test.each([
    ['a800178d10010080f50000d5893c', { bds: '1,0' }],
    [
      'a0000638fa81c10000000081a92f',
      { bds: '1,7', bds_served: ['0,5', '0,6', '0,7', '0,8', '0,9', '2,0', '4,0', '5,0', '5,1', '5,2', '6,0'] },
    ],
    ['a000083e202cc371c31de0aa1ccf', { bds: '2,0', flight: 'KLM1017 ' }],
    ['a000029c85e42f313000007047d3', { bds: '4,0', nav_altitude_mcp: 3008, nav_altitude_fms: 3008, nav_qnh: 1020 }],
    ['a0001692185bd5cf400000dfc696', { bds: '4,4', ws: 22, wd: 344.53, oat: -48.75 }],
    ['a00004190001fb80000000000000', { bds: '4,5', oat: -4.5 }],
    ['a000139381951536e024d4ccf6b5', { bds: '5,0', roll: 2.11, track: 114.26, gs: 438, track_rate: 0.13, tas: 424 }],
    ['a00004128f39f91a7e27c46adc21', { bds: '6,0', mag_heading: 42.71, ias: 252, mach: 0.42, baro_rate: -1920, geom_rate: -1920 }],
  ])('%s', (hex, expected) => {
    expect(messageFields(decodeHex(hex), frameBytes(hex), 0)).toMatchObject(expected);
  });
});

describe('real replies on which decoders disagree (junzis/pyModeS sample data)', () => {
  test.each([
    // 26,375 ft: Mach 0.688 is 279 kt there. As 5,0 the roll would be 22.5° without an airspeed.
    ['a0001117901a2f2b21c000b31b62', '6,0'],
    // Rolled left and turning right: no 5,0.
    // Rolled left and turning right: not 5,0.
    // Selected altitude 32,000 ft, climbing. As 1,7 the transponder would serve 4,0, but not 2,1, 5,0 and 6,0, and 0,5 without 0,6.
    ['a0001280be800000000000000000', '4,0'],
    // An FMS altitude of 80 ft means none; all else is 4,0.
    ['a0001838c84c0170a80000000000', '4,0'],
    // The track rate is wrong (15 °/s at no roll); speeds and reserved bits are those of 5,0.
    ['a0001718fffcc5332f04da000000', '5,0'],
  ])('%s is %s', (hex, bds) => {
    expect(messageFields(decodeHex(hex), frameBytes(hex), 0)['bds']).toBe(bds);
  });

  test('where roll, rate and speeds fit 5,0 as well as airspeed and Mach number fit 6,0, the bits do not decide: no register', () => {
    const fields = fieldsOf('8a79bf19a23c3c');
    expect(fields['bds_candidates']).toEqual(['5,0', '6,0']);
    expect(Object.keys(fields)).not.toContain('bds');
    expect(Object.keys(fields)).not.toContain('ias');
  });

  test('the same with its altitude, 10,300 ft, is 6,0', () => {
    // AC code of 10,300 ft in 25-ft steps.
    expect(fieldsOf('8a79bf19a23c3c', 'a0000714')).toMatchObject({ alt_baro: 10_300, bds: '6,0', ias: 223, mach: 0.408 });
  });
});

describe('replies without a value', () => {
  test('all zeros are an empty reply', () => {
    expect(registerOf('a8000800'.padEnd(28, '0'))).toBe(REGISTER_EMPTY);
    expect(fieldsOf('00000000000000')).not.toHaveProperty('bds');
  });

  test('2,0 with zeros has no call sign, 3,0 with zeros no advisory', () => {
    expect(fieldsOf('20000000000000')).toMatchObject({ bds: '2,0' });
    expect(fieldsOf('20000000000000')).not.toHaveProperty('flight');
    expect(fieldsOf('30000000000000')).toMatchObject({ bds: '3,0' });
  });

  test('a filler of zeros in a call sign makes it invalid', () => {
    expect(fieldsOf('202cc371c31d80')).toMatchObject({ bds: '2,0' });
    expect(fieldsOf('202cc371c31d80')).not.toHaveProperty('flight');
  });

  test('register 6,1, mostly zeros, is not taken for another register', () => {
    expect(fieldsOf('e10c8f00000000')).not.toHaveProperty('bds');
    expect(fieldsOf('e1088b00000000')).not.toHaveProperty('bds');
  });
});

describe('DR and UM', () => {
  const header = (dr: number, um: number): string => (0xa800_0800 + dr * 0x8_0000 + um * 0x2000).toString(16);
  const clear = '81951536e024d4';
  const weak = 'dffa07307cff94';

  test('DR 4 and 5, which announce a broadcast for 18 s, do not change the result', () => {
    for (const dr of [0, 4, 5])
      expect([fieldsOf(clear, header(dr, 0))['bds'], fieldsOf(weak, header(dr, 0))['bds']]).toEqual(['5,0', '6,0']);
  });

  test('other values, rare in replies and frequent in noise, require more evidence', () => {
    for (const rare of [header(0, 1), header(7, 0), header(31, 58)]) {
      expect([fieldsOf(clear, rare)['bds'], fieldsOf(weak, rare)['bds']]).toEqual(['5,0', undefined]);
    }
  });
});

test('fewer than one in a thousand fields of random bits is taken for a register (measured: 0.03 %)', () => {
  const bytes = frameBytes('a8000800'.padEnd(28, '0'));
  const message = new Message();
  const random = new Random(7, 1, 0);
  const count = 200_000;
  let identified = 0;
  for (let i = 0; i < count; i += 1) {
    for (let at = 4; at < 11; at += 1) bytes[at] = 256 * random.share();
    decodeFrame(bytes, 0, 14, message);
    inferRegister(message);
    if (message.commB.register !== REGISTER_NONE) identified += 1;
  }
  expect(identified / count).toBeLessThan(0.001);
});
