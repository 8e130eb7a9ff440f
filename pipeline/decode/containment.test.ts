// NIC and Rc by type code, version and supplements.
import { describe, expect, test } from 'vitest';
import { type Containment, containment } from './containment.ts';
import { ABSENT } from './message.ts';

function of(typeCode: number, version: number, nicA = 0, nicB = 0, nicC = 0): [number, number] {
  const out: Containment = { nic: -1, rcM: -1 };
  containment(typeCode, version, nicA, nicB, nicC, out);
  return [out.nic, out.rcM];
}

describe('version 2', () => {
  test.each([
    [5, '---', 11, 8],
    [6, '---', 10, 25],
    [7, '1-0', 9, 75],
    [7, '0-0', 8, 186],
    [7, '1-1', 8, 186],
    [8, '1-1', 7, 371],
    [8, '1-0', 6, 556],
    [8, '0-1', 6, 1112],
    [8, '0-0', 0, 0],
    [9, '---', 11, 8],
    [10, '---', 10, 25],
    [11, '11-', 9, 75],
    [11, '00-', 8, 186],
    [11, '10-', 8, 186],
    [11, '01-', 8, 186],
    [12, '---', 7, 371],
    [13, '01-', 6, 556],
    [13, '00-', 6, 926],
    [13, '11-', 6, 1112],
    [13, '10-', 6, 0],
    [14, '---', 5, 1852],
    [15, '---', 4, 3704],
    [16, '11-', 3, 7408],
    [16, '00-', 2, 14_816],
    [17, '---', 1, 37_040],
    [18, '---', 0, 0],
    [20, '---', 11, 8],
    [21, '---', 10, 25],
    [22, '---', 0, 0],
    [0, '---', 0, 0],
  ])('TC %i, supplements %s: NIC %i, Rc %i m', (typeCode, supplements, nic, rcM) => {
    const choices = [...supplements].map((s) => (s === '-' ? [0, 1, ABSENT] : [Number(s)]));
    for (const a of choices[0]!)
      for (const b of choices[1]!) for (const c of choices[2]!) expect(of(typeCode, 2, a, b, c)).toEqual([nic, rcM]);
  });

  test('versions above 2 count as 2', () => {
    expect(of(11, 3, 1, 1)).toEqual([9, 75]);
  });
});

test('version 1 has one supplement', () => {
  expect([of(7, 1, 1), of(7, 1), of(8, 1, 1, 1, 1)]).toEqual([
    [9, 75],
    [8, 186],
    [0, 0],
  ]);
  expect([of(11, 1, 1), of(11, 1, 0, 1)]).toEqual([
    [9, 75],
    [8, 186],
  ]);
  expect([of(13, 1, 1), of(13, 1, 0, 1)]).toEqual([
    [6, 1112],
    [6, 926],
  ]);
  expect([of(16, 1, 1), of(16, 1, 0, 1)]).toEqual([
    [3, 7408],
    [2, 14_816],
  ]);
});

test('version 0 has none', () => {
  expect([of(7, 0, 1), of(8, 0, 1, 1, 1), of(11, 0, 1, 1), of(13, 0, 1, 1), of(16, 0, 1, 1)]).toEqual([
    [8, 186],
    [0, 0],
    [8, 186],
    [6, 926],
    [2, 18_520],
  ]);
});
