// Registrations by address: each once, the ends of each rule, and the agreement with real aircraft.
import { describe, expect, it } from 'vitest';
import { filesOf, standingData } from '../../../test/support/golden-archives.ts';
import { registrationOf, registrationRules } from './registrations.ts';
import { stateBlocks } from './states.ts';

describe('registrations by address', () => {
  it.each([
    [0xa0_0001, 'N1'],
    [0xa0_0003, 'N1AA'],
    [0xa0_0259, 'N1ZZ'],
    [0xad_f7c7, 'N99999'],
    [0x3c_6444, 'D-AIBD'],
    [0x39_3322, 'F-GMZC'],
    [0x44_8421, 'OO-AAA'],
    [0xc0_0001, 'C-FAAA'],
    [0x84_0000, 'JA0000'],
    [0x71_ba00, 'HL7200'],
    [0x7c_0000, 'VH-AAA'],
  ])('%#: %s', (address, registration) => {
    expect(registrationOf(address)).toBe(registration);
  });

  it('are empty in blocks without a rule, and between the ends of rules', () => {
    for (const address of [0, 0x40_0f1e, 0x48_4444, 0xa0_0000, 0xad_f7c8, 0xff_ffff]) expect(registrationOf(address)).toBe('');
  });

  it('are in the block of their state and never in two rules', () => {
    for (const [i, rule] of registrationRules.entries()) {
      expect(rule.last).toBeGreaterThan(rule.first);
      if (i > 0) expect(rule.first).toBeGreaterThan(registrationRules[i - 1]!.last);
      expect(stateBlocks.some(({ first, last, country }) => country === rule.country && first <= rule.first && rule.last <= last)).toBe(
        true,
      );
    }
  });

  it('are of one address each', () => {
    for (const rule of registrationRules) {
      const seen = new Set<string>();
      let count = 0;
      for (let address = rule.first; address <= Math.min(rule.last, rule.first + 102_000); address += 1) {
        const registration = rule.registration(address);
        if (registration === '') continue;
        count += 1;
        seen.add(registration);
      }
      expect([rule.country, seen.size]).toEqual([rule.country, count]);
      expect(registrationOf(rule.last), rule.country).not.toBe('');
    }
  });

  it('agree with real aircraft that people reported', async () => {
    const tallies = new Map(registrationRules.map((rule) => [rule, { same: 0, all: 0 }]));
    const files = await filesOf(standingData, (path) => path.includes('aircraft/'));
    for (const line of [...files.values()].flatMap((bytes) => bytes.toString().split('\n'))) {
      const [hex = '', registration = ''] = line.split(',', 2);
      const address = Number.parseInt(hex, 16);
      const rule = registrationRules.find(({ first, last }) => first <= address && address <= last);
      if (rule === undefined || registration === '' || rule.registration(address) === '') continue;
      const tally = tallies.get(rule)!;
      tally.all += 1;
      if (rule.registration(address) === registration) tally.same += 1;
    }
    const compared = [...tallies].filter(([, { all }]) => all >= 20);
    expect(compared.length).toBeGreaterThan(20);
    expect(compared.filter(([, { same, all }]) => same / all < 0.95).map(([rule]) => rule.registration(rule.first))).toEqual([]);
  });
});
