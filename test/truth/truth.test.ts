// `npm run verify:truth` as a test: every difference has a listed cause, and every listed cause a difference; with the shared data and with the
// sets of the repository alone. The rules are those of the check.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { projectDir, sharedData, sharedDir } from '../support/requirements.ts';
import { sourceText, TruthData, truthData } from './sets.ts';
import { equalShare } from './tally.ts';
import { isSame } from './values.ts';
import { verdictText, verifyTruth } from './verify-truth.ts';

const truth = sharedData('truth');

describe.skipIf(!truth.met)(`the truth of the shared data ${truth.met ? '' : truth.reason}`, () => {
  it('differs in nothing without a listed cause', { timeout: 120_000 }, async () => {
    const verdict = await verifyTruth(new TruthData(join(sharedDir, 'data')));
    expect(verdict.unexplained).toEqual([]);
    expect(verdict.unused).toEqual([]);
    expect(verdict.registerShare).toBeGreaterThan(0.99);
    expect(verdict.passed).toBe(true);
    const { tally } = verdict;
    for (const group of ['altitude', 'identity', 'call sign', 'fields in a register'] as const)
      expect([group, equalShare(tally.total(group))]).toEqual([group, 1]);
    // The number of values, so that a missing set is noticed.
    expect(tally.total('ADS-B fields').compared).toBeGreaterThan(27_000);
    expect(tally.total('altitude').compared).toBeGreaterThan(7500);
    expect(tally.total('register choice').compared).toBeGreaterThan(10_300);
    expect(tally.total('fields in a register').compared).toBeGreaterThan(39_000);
    expect(tally.total('state').compared).toBeGreaterThan(4500);
    expect(verdictText(verdict)).toMatch(/^truth: passed: \d+ differences with a listed cause, 0 without/m);
  });

  it('has the same rules as ../shared/check', async () => {
    const { same } = (await import(pathToFileURL(join(sharedDir, 'check/lib.mjs')).href)) as { same: typeof isSame };
    const fields =
      'lat gs rc nav_qnh mach roll track_rate seen wd oat track nav_heading mag_heading true_heading alt_baro flight nav_modes'.split(' ');
    const steps = [0, 1e-6, 9e-6, 1.1e-5, 5e-4, 7e-4, 0.05, 0.07, 0.09, 0.11, 0.2, 0.26, 0.9, 1.1, 1.4, 1.6, 2.9, 3.1, 359, 359.8];
    for (const field of fields) {
      for (const step of steps) expect([field, step, isSame(field, 100 + step, 100)]).toEqual([field, step, same(field, 100 + step, 100)]);
      for (const ours of [undefined, null, 'ABC ', 'abc', 'ground', true, false, ['b', 'a'], ['a']])
        for (const theirs of ['ABC', 'ground', true, ['a', 'b']])
          expect([field, ours, theirs, isSame(field, ours, theirs)]).toEqual([field, ours, theirs, same(field, ours, theirs)]);
    }
  });
});

describe('npm run verify:truth', () => {
  it('compares the sets of the repository where there is no shared data', { timeout: 60_000 }, async () => {
    const data = new TruthData(join(projectDir, 'test/golden/sets'));
    expect(sourceText(data)).toMatch(/^truth: 3 of 6 sets, from .*; the others are not in the repository$/);
    expect(verdictText(await verifyTruth(data))).toMatch(/^truth: passed: 4 differences with a listed cause, 0 without/m);
  });

  it('has no data where SQUITTER_SHARED names a folder without it', () => {
    expect(truthData('nowhere')).toBeNull();
  });
});
