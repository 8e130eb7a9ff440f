// The fields of a `squitter decode` line, one example per kind of message.
import { describe, expect, test } from 'vitest';
import { decodeHex, frameBytes, squitter, withParity } from '../../test/golden/frames.ts';
import { messageFields } from './json.ts';

const fields = (hex: string) => messageFields(decodeHex(hex), frameBytes(hex), 0);

describe('real frames (xoolive/rs1090, MIT; twuillemin/modes, Apache-2.0)', () => {
  test.each([
    ['8dab276023101332c73da0504b6e', { ca: 5, tc: 4, flight: 'DAL2136 ', category: 'A3' }],
    [
      '8dada5265851e6616376c2eb4463',
      { ca: 5, tc: 11, alt_baro: 15_350, cpr_lat: 78_001, cpr_lon: 95_938, cpr_odd: true, nic_b: 0, alert: 0, spi: 0 },
    ],
    [
      '8ca426e0381964d3de133a0f86ac',
      { ca: 4, tc: 7, alt_baro: 'ground', gs: 0, track: 61.88, cpr_lat: 27_119, cpr_lon: 4922, cpr_odd: true },
    ],
    ['8dada52699149f28704029b6c425', { ca: 5, tc: 19, subtype: 1, gs: 358.7, track: 333.86, baro_rate: 960, geom_delta: 1000, nac_v: 2 }],
    ['8d4400cd9b0000b4f87000e71a10', { ca: 5, tc: 19, subtype: 3, tas: 422, baro_rate: -1728, nac_v: 0 }],
    ['8dada526e10e2700000000909293', { ca: 5, tc: 28, subtype: 1, emergency: 'none', squawk: '3526' }],
    [
      '8da05629ea21485cbf3f8cadaeeb',
      {
        ...{ ca: 5, tc: 29, subtype: 1, nav_qnh: 1012.8, nav_altitude_mcp: 16_992, nav_heading: 66.8 },
        ...{ nav_modes: ['autopilot', 'vnav', 'lnav', 'tcas'], nic_baro: 1, nac_p: 9, sil: 3, sil_type: 'perhour' },
      },
    ],
    [
      '8dab2760f8230006004ab84a4446',
      {
        ...{ ca: 5, tc: 31, subtype: 0, version: 2, nic_a: 0, nic_baro: 1, nac_p: 10, sil: 3, sil_type: 'perhour', gva: 2, sda: 2 },
      },
    ],
    ['5d4bab45cfa079', { ca: 5, iid: 0 }],
    ['200015301c0ff2', { alt_baro: 33_000, on_ground: false, alert: 0, spi: 0 }],
    [
      'a800072d20508673e19820fbe64a',
      { squawk: '2366', on_ground: false, alert: 0, spi: 0, mb: '20508673e19820', bds: '2,0', flight: 'THY38Y  ' },
    ],
  ])('%s', (hex, expected) => {
    expect(fields(hex)).toEqual(expected);
  });
});

test('leading zeros of a squawk are kept', () => {
  expect(fields(withParity('28000008', 0x3c6586))).toMatchObject({ squawk: '0200' });
});

test('an unknown SIL type is omitted', () => {
  expect(fields(squitter([31, 5, 0, 3, 0, 32, 1, 3]))).not.toHaveProperty('sil_type');
});

test('a resolution advisory in words and bits, and the altitude in DF 16', () => {
  expect(fields(withParity('80e1953030c1020000000000'.slice(0, 22), 0x4bab45))).toEqual({
    ...{ alt_baro: 33_000, on_ground: false },
    acas_ra: {
      ...{ bytes: '30C10200000000', ARA: '1100000', RAT: '0', MTE: '0', RAC: '1000', TTI: '00' },
      ...{ advisory: 'Level off', advisory_complement: 'Do not pass below' },
    },
  });
  expect(fields(withParity('8dabc515e2c00006a9dfe4'))).toEqual({
    ...{ ca: 5, tc: 28, subtype: 2 },
    acas_ra: {
      ...{ bytes: 'E2C00006A9DFE4', ARA: '1100000', RAT: '0', MTE: '0', RAC: '0000', TTI: '01', threat_id_hex: 'aa77f9' },
      ...{ advisory: 'Level off', advisory_complement: '' },
    },
  });
});

test('SPI is unknown while an alert uses its code', () => {
  const fieldsOf = (status: number) => fields(squitter([11, 5, status, 2]));
  expect(fieldsOf(0)).toMatchObject({ alert: 0, spi: 0 });
  for (const status of [1, 2]) {
    expect(fieldsOf(status)).toMatchObject({ alert: 1 });
    expect(fieldsOf(status)).not.toHaveProperty('spi');
  }
  expect(fieldsOf(3)).toMatchObject({ alert: 0, spi: 1 });
});

test('coarse TIS-B has no type code and 12-bit fields', () => {
  expect(fields('9364efcb836084c1d529e306b242')).toEqual({
    ...{ cf: 3, alt_baro: 111_100, gs: 992, cpr_lat: 3410, cpr_lon: 2531, cpr_odd: true, imf: 1, alert: 0, spi: 0, service_volume: 1 },
  });
});

test('a message without a decoder shows its bytes', () => {
  expect(fields('91adf9cec11c0524407f11538ee5')).toEqual({ cf: 1, tc: 24, subtype: 1, me: 'c11c0524407f11' });
  expect(fields(withParity('943c658601020304050607'))).toEqual({ cf: 4, me: '01020304050607' });
});

test('a test message contains its Mode A code', () => {
  expect(fields('8d89653ebf95b00000000059abfb')).toEqual({ ca: 5, tc: 23, subtype: 7, squawk: '6513' });
});
