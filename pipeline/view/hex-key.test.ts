// Keys of tables and hexes of responses are the same addresses.
import { expect, it } from 'vitest';
import { keyHex } from './hex-key.ts';

it('names an address, and marks one that is not of ICAO', () => {
  for (const hex of ['000000', 'ffffff', '~000001', '~abcdef', '4ca2d1'])
    expect(keyHex(Number.parseInt(hex.replace('~', ''), 16) | (hex.startsWith('~') ? 1 << 24 : 0))).toBe(hex);
});
