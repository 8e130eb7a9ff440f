// Surveillance replies. Real frames: twuillemin/modes example captures (Apache-2.0), Europe, no date given.
import { describe, expect, test } from 'vitest';
import { decodeHex, withParity } from '../../test/golden/frames.ts';
import { ABSENT } from './message.ts';

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
