// Evidence is a likelihood: the shares of all codes add up to one, and random bits reach a score no more often than stated.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distanceEvidence, evidence, evidenceOfCodes, evidenceOfDistance, evidenceOfField, IMPOSSIBLE, signed } from './evidence.ts';

/** Total probability of all codes of the table. */
const total = (table: Int16Array): number =>
  table.reduce((sum, ofCode) => sum + (ofCode === IMPOSSIBLE ? 0 : 2 ** (ofCode / 10)), 0) / table.length;

test('a reserved bit that is zero counts 10, a code as frequent as any other 0', () => {
  expect(evidence(1, 1, 2)).toBe(10);
  expect(evidence(1, 1024, 1024)).toBe(0);
  expect(evidence(0.25, 512, 1024)).toBe(-10);
});

describe('the shares of a table', () => {
  const codes = evidenceOfCodes(256, [
    [-4, 4, 0.6],
    [-20, 30, 0.3],
    [-100, 100, 0.1],
  ]);

  test('add up to one, whatever the bands', () => {
    expect(total(codes)).toBeCloseTo(1, 1);
    expect(total(evidenceOfField(0.9, codes))).toBeCloseTo(1, 1);
  });

  test('belong to the first band that contains the code; a code in none is impossible', () => {
    expect([codes[0], codes[0x100 - 4]]).toEqual([codes[4], codes[4]]);
    expect(codes[5]).toBeLessThan(codes[4]!);
    expect(codes[0x100 - 100]).toBe(codes[100]);
    expect(codes[101]).toBe(IMPOSSIBLE);
  });

  test('a code under a clear status bit must be 0', () => {
    const field = evidenceOfField(0.9, codes);
    expect(field[0]).toBe(evidence(0.1, 1, 512));
    expect(field[1]).toBe(IMPOSSIBLE);
    expect(field[256 + 3]).toBe(codes[3]! + evidence(0.9, 1, 2));
  });
});

test('distances count both directions, and the last band applies to all larger distances', () => {
  const table = evidenceOfDistance(1024, [
    [2, 0.8],
    [10, 0.2],
  ]);
  expect(distanceEvidence(table, -2)).toBe(evidence(0.8, 5, 1024));
  expect(distanceEvidence(table, 3)).toBe(evidence(0.2, 16, 1024));
  expect(distanceEvidence(table, 500)).toBe(distanceEvidence(table, 10));
});

test("two's complement", () => {
  fc.assert(fc.property(fc.integer({ min: -512, max: 511 }), (value) => signed(value & 0x3ff, 10) === value));
});
