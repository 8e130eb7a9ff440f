// Registrations by address: there and back, the ends of each rule, and how well they agree with a million and a half real aircraft.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../test/support/requirements.ts';
import { openInput } from '../import/inputs.ts';
import { LineReader } from '../import/lines.ts';
import { registrationOf, registrationRules } from './registrations.ts';
import { stateBlocks } from './states.ts';

const real = sharedData('reference', 'flightaware-20250514.csv.xz');

describe('registrations by address', () => {
  it.each([
    [0xa0_0001, 'N1'],
    [0xa0_0002, 'N1A'],
    [0xa0_0003, 'N1AA'],
    [0xa0_001b, 'N1B'],
    [0xa0_0259, 'N1ZZ'],
    [0xa0_025a, 'N10'],
    [0xad_f7c7, 'N99999'],
    [0xa4_d683, 'N40400'],
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

  it('are none in blocks without a rule, and between the ends of rules', () => {
    for (const address of [0, 0x40_0f1e, 0x48_4444, 0xa0_0000, 0xad_f7c8, 0xff_ffff]) expect(registrationOf(address)).toBe('');
  });

  it('lie in the block of their state and never in two rules', () => {
    for (const [i, rule] of registrationRules.entries()) {
      expect(rule.last).toBeGreaterThan(rule.first);
      if (i > 0) expect(rule.first).toBeGreaterThan(registrationRules[i - 1]!.last);
      expect(stateBlocks.some(({ first, last, country }) => country === rule.country && first <= rule.first && rule.last <= last)).toBe(true);
    }
  });

  it.each(registrationRules.map((rule) => [`${rule.country} ${rule.registration(rule.first)}`, rule] as const))(
    '%s and on: there and back',
    (_, rule) => {
      expect(rule.address(rule.registration(rule.first))).toBe(rule.first);
      expect(rule.address(rule.registration(rule.last))).toBe(rule.last);
      fc.assert(
        fc.property(fc.integer({ min: rule.first, max: rule.last }), (address) => {
          const registration = rule.registration(address);
          return registration === '' || rule.address(registration) === address;
        }),
      );
      fc.assert(fc.property(fc.string(), (text) => rule.address(text) === -1 || rule.registration(rule.address(text)) === text));
    },
  );

  it('are walked by the United States rule without a gap', () => {
    const rule = registrationRules.find(({ country }) => country === 'US')!;
    const seen = new Set<string>();
    for (let address = rule.first; address < rule.first + 101_711; address += 1) seen.add(rule.registration(address));
    expect(seen.size).toBe(101_711);
  });

  it.skipIf(!real.met)(`agree with real aircraft; ${real.reason}`, { timeout: 120_000 }, async () => {
    const tallies = new Map(registrationRules.map((rule) => [rule, { same: 0, all: 0 }]));
    const reader = new LineReader({
      line(text) {
        const [hex = '', registration = ''] = text.split(',', 2);
        const address = Number.parseInt(hex, 16);
        const rule = registrationRules.find(({ first, last }) => first <= address && address <= last);
        if (rule === undefined || registration === '' || rule.registration(address) === '') return;
        const tally = tallies.get(rule)!;
        tally.all += 1;
        if (rule.registration(address) === registration) tally.same += 1;
      },
      tooLong() {},
    });
    for await (const { bytes } of (await openInput(real.path)).files()) for await (const piece of bytes) reader.push(piece);
    const shares = [...tallies].map(([rule, { same, all }]) => ({
      rule: `${rule.country} ${rule.registration(rule.first)}`,
      all,
      share: all === 0 ? 0 : Math.round((1000 * same) / all) / 10,
    }));
    expect(shares.filter(({ share }) => share < 95)).toEqual([]);
  });
});
