// Surveillance replies. Real frames: twuillemin/modes example captures (Apache-2.0), Europe, no date given.
import { describe, expect, test } from 'vitest';
import { decodeHex, withParity } from '../../test/golden/frames.ts';
import { ABSENT, KIND_COMM_B, KIND_SURVEILLANCE, REJECT_NONE } from './message.ts';

describe('real replies', () => {
  test('DF 0, 4, 16, 20: altitude', () => {
    for (const [hex, address, altitudeFt, kind] of [
      ['02e195301ad7b8', 0x4bab45, 33_000, KIND_SURVEILLANCE],
      ['20000c3a8fe1b9', 0x4690f9, 18_850, KIND_SURVEILLANCE],
      ['80e1953058ab06b8003c64431012', 0x4bab45, 33_000, KIND_SURVEILLANCE],
      ['a000153020508673e1982065d86c', 0x4bab45, 33_000, KIND_COMM_B],
    ] as const) {
      const message = decodeHex(hex);
      expect(message).toMatchObject({ reject: REJECT_NONE, kind, address, addressAnnounced: false });
      expect(message.surveillance).toMatchObject({ altitudeBaroFt: altitudeFt, squawk: ABSENT, onGround: 0 });
    }
  });

  test('DF 21: squawk, and the offset of the MB field', () => {
    const message = decodeHex('a800072d20508673e19820fbe64a');
    expect(message).toMatchObject({ kind: KIND_COMM_B, df: 21, address: 0x4bab45 });
    expect(message.surveillance).toMatchObject({ squawk: 2366, altitudeBaroFt: ABSENT, alert: 0, spi: 0 });
    expect(message.commB.at).toBe(4);
  });
});

describe('status', () => {
  test.each([
    [0, 0, 0, 0],
    [1, 1, 0, 0],
    [2, 0, 1, 0],
    [3, 1, 1, 0],
    [4, ABSENT, 1, 1],
    [5, ABSENT, 0, 1],
    [6, ABSENT, ABSENT, ABSENT],
    [7, ABSENT, ABSENT, ABSENT],
  ])('FS %i: on ground %i, alert %i, SPI %i', (status, onGround, alert, spi) => {
    const hex = withParity(`${(0x28 | status).toString(16)}000aaa`, 0x3c6586);
    expect(decodeHex(hex).surveillance).toMatchObject({ onGround, alert, spi });
  });

  test('VS 1 is on the ground; alert and SPI are absent', () => {
    expect(decodeHex(withParity('06000000', 0x3c6586)).surveillance).toEqual({
      altitudeBaroFt: ABSENT,
      squawk: ABSENT,
      onGround: 1,
      alert: ABSENT,
      spi: ABSENT,
    });
  });
});
