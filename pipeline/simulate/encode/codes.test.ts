// Altitude and identity codes against known values. The decoder, which has the published Gillham table, reads all others back.
import { describe, expect, test } from 'vitest';
import { altitudeCode12, altitudeCode13, identityCode13 } from './codes.ts';
import { movementCode } from './squitter.ts';

describe('codes', () => {
  test('25-ft steps', () => {
    expect(altitudeCode12(38_000, false)).toBe(0xc38);
    expect(altitudeCode12(-1000, false)).toBe(0x010);
    expect(altitudeCode12(-5000, false)).toBe(0x010);
    expect(altitudeCode12(50_175, false)).toBe(0xfff);
    expect(altitudeCode13(50_175, false)).toBe(0x1fbf);
  });

  test('above 50,175 ft there are only 100-ft steps', () => {
    expect(altitudeCode13(50_200, false)).toBe(altitudeCode13(50_200, true));
    expect(altitudeCode13(50_200, false) & 0x10).toBe(0);
  });

  test('identity', () => {
    expect(identityCode13(0)).toBe(0);
    expect(identityCode13(7777)).toBe(0x1fbf);
    expect(identityCode13(1000)).toBe(0x0800);
    expect(identityCode13(4)).toBe(0x0001);
  });

  test('movement: each step begins above the previous one', () => {
    const speeds = [0, 0.1, 0.125, 0.13, 1, 1.01, 2, 2.01, 15, 15.5, 70, 70.5, 100, 101, 175, 176];
    expect(speeds.map((speed) => movementCode(speed))).toEqual([1, 2, 2, 3, 8, 9, 12, 13, 38, 39, 93, 94, 108, 109, 123, 124]);
    // Before version 2: steps of 0.125 kt up to 1 kt; slower is stopped.
    expect([0.1, 0.125, 0.13, 0.25, 0.26, 1, 1.01].map((speed) => movementCode(speed, 0))).toEqual([1, 1, 2, 2, 3, 8, 9]);
  });
});
