// Registrations by address: there and back, the ends of each rule, and how well they agree with a million and a half real aircraft.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../test/support/requirements.ts';
import { openInput } from '../import/inputs.ts';
import { LineReader } from '../import/lines.ts';
import { registrationOf, registrationRules } from './registrations.ts';
import { stateBlocks } from './states.ts';

const plain = sharedData('reference', 'flightaware-20250514.csv.xz');
const archive = sharedData('reference', 'standing-data.tar.xz');

describe('registrations by address', () => {
  it.each([
    [0xa0_0001, 'N1'],
    [0xa0_0002, 'N1A'],
    [0xa0_0003, 'N1AA'],
    [0xa0_001b, 'N1B'],
    [0xa0_0259, 'N1ZZ'],
    [0xa0_025a, 'N10'],
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

  it('are none in blocks without a rule, and between the ends of rules', () => {
    for (const address of [0, 0x40_0f1e, 0x48_4444, 0xa0_0000, 0xad_f7c8, 0xff_ffff]) expect(registrationOf(address)).toBe('');
  });

  it('lie in the block of their state and never in two rules', () => {
    for (const [i, rule] of registrationRules.entries()) {
      expect(rule.last).toBeGreaterThan(rule.first);
      if (i > 0) expect(rule.first).toBeGreaterThan(registrationRules[i - 1]!.last);
      expect(stateBlocks.some(({ first, last, country }) => country === rule.country && first <= rule.first && rule.last <= last)).toBe(
        true,
      );
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

  it.skipIf(!plain.met || !archive.met)('agree with real aircraft (needs the shared reference data)', { timeout: 120_000 }, async () => {
    // Much of the first set was itself made by such rules; the second is what people reported one by one.
    for (const [set, samplesMin] of [[aircraftOf(plain.path), 1] as const, [aircraftOf(archive.path), 20] as const]) {
      const tallies = new Map(registrationRules.map((rule) => [rule, { same: 0, all: 0 }]));
      for await (const [hex, registration] of set) {
        const address = Number.parseInt(hex, 16);
        const rule = registrationRules.find(({ first, last }) => first <= address && address <= last);
        if (rule === undefined || registration === '' || rule.registration(address) === '') continue;
        const tally = tallies.get(rule)!;
        tally.all += 1;
        if (rule.registration(address) === registration) tally.same += 1;
      }
      const compared = [...tallies].filter(([, { all }]) => all >= samplesMin);
      expect(compared.length).toBeGreaterThan(20);
      expect(compared.filter(([, { same, all }]) => same / all < 0.95).map(([rule]) => rule.registration(rule.first))).toEqual([]);
    }
  });
});

/** Address and registration of the rows of a set. */
async function* aircraftOf(path: string): AsyncGenerator<[string, string]> {
  for await (const file of (await openInput(path)).files()) {
    const rows: [string, string][] = [];
    const reader = new LineReader({
      line(text) {
        const [hex = '', registration = ''] = text.split(',', 2);
        rows.push([hex, registration]);
      },
      tooLong() {},
    });
    for await (const piece of file.bytes) {
      if (file.path === '' || file.path.includes('aircraft/')) reader.push(piece);
      yield* rows.splice(0);
    }
    reader.end();
    yield* rows;
  }
}
