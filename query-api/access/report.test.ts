// The report of a caller: why it has its tier.
import { expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { HOME, Scene } from '../../test/support/access-scene.ts';
import { testIds } from '../../test/support/secret.ts';
import { unlimitedAccess } from './access.ts';
import { type Caller, plainCaller } from './caller.ts';
import type { Report } from './report.ts';

const ADDRESS = '192.0.2.1';
const reportOf = (scene: Scene, caller: Caller = scene.who(ADDRESS)): Report => scene.access.report(caller) as Report;

test('why a caller has its tier', () => {
  const scene = new Scene();
  const reasonOf = (address: string) => reportOf(scene, scene.who(address)).reason;
  expect(reasonOf(HOME)).toBe('trial');
  scene.feed();
  expect(reasonOf(HOME)).toBe('contributor');
  scene.feed(undefined, { contributorUntilMs: 0 });
  expect(reasonOf(HOME)).toBe('feeder-quiet');
  scene.feed('b'.repeat(16), { contributorUntilMs: 0 });
  expect(reportOf(scene, scene.who(HOME)).hint).toMatch(/gateway or proxy/);
  expect(reasonOf(ADDRESS)).toBe('trial');
  scene.nowMs += limits.trialMs;
  expect(reasonOf(ADDRESS)).toBe('trial-over');
  const nameless = { ...plainCaller(`address/${testIds.ofAddress(ADDRESS)}`, 'free') };
  expect(reportOf(scene, nameless).reason).toBe('no-trial');
  const operator = new Scene({ unlimited: [ADDRESS] });
  expect(reportOf(operator)).toMatchObject({ reason: 'operator', limits: null });
  expect(reportOf(new Scene({ profile: 'open' }))).toMatchObject({ reason: 'open', limits: null });
  expect(unlimitedAccess.report(plainCaller(ADDRESS))).toMatchObject({ reason: 'open', limits: null });
});
