// `npm run verify:truth` as a test: every difference has a listed cause, and every listed cause a difference; with the shared data and with the sets of the
// repository alone.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir, sharedData, sharedDir } from '../support/requirements.ts';
import { truthFolder, verifyTruth } from './verify-truth.ts';

const shared = sharedData('truth');

/** Values of each group at least, so that a missing set is noticed; whether all are equal. */
const groups = [
  ['ADS-B fields', 27_000, false],
  ['altitude', 7500, true],
  ['identity', 0, true],
  ['call sign', 0, true],
  ['register choice', 10_300, false],
  ['fields in a register', 39_000, true],
  ['state', 4500, false],
] as const;

it.skipIf(!shared.met)(`the truth of the shared data ${shared.reason}`, async () => {
  const truth = await verifyTruth(join(sharedDir, 'data'));
  expect([truth.unexplained, truth.unused, truth.passed]).toEqual([[], [], true]);
  for (const [group, least, isExact] of groups) {
    const { compared, equal } = truth.count(group);
    expect([group, compared >= least, !isExact || equal === compared]).toEqual([group, true, true]);
  }
});

it('the sets of the repository, where there is no shared data', async () => {
  const report = (await verifyTruth(join(projectDir, 'test/golden/sets'))).report();
  expect(report).toMatch(/^truth: 3 sets, from /);
  expect(report).toMatch(/^truth: passed: 4 differences with a listed cause, 0 without/m);
  expect(truthFolder('nowhere')).toBeNull();
});
