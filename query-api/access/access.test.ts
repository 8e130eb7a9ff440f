// The access layer with its embedded store, feeders and keys: who a caller is, and what it may do.
import { describe, expect, test } from 'vitest';
import { feederKey, feederRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { DAY_MS, FEEDER, HOME, Scene, START_MS } from '../../test/support/access-scene.ts';
import { testIds, testSecret } from '../../test/support/secret.ts';
import { plainCaller } from './caller.ts';
import { keyOf } from './key.ts';
import type { Report } from './report.ts';

const code = (code: string) => expect.objectContaining({ code });

describe('the tier of a caller', () => {
  const reasonOf = (scene: Scene, address = HOME) => (scene.access.report(scene.who(address)) as Report).reason;

  test('is trial, then contributor from the address of one feeder, until 24 h without; then the rest of the trial', () => {
    const scene = new Scene();
    expect(reasonOf(scene)).toBe('trial');
    scene.feed();
    expect(scene.who(HOME)).toMatchObject({ tier: 'contributor', isFeeder: true, principal: `feeder/${FEEDER}` });
    expect(reasonOf(scene)).toBe('contributor');
    scene.nowMs += DAY_MS;
    scene.feed(FEEDER, { contributorUntilMs: scene.nowMs });
    expect(scene.who(HOME)).toMatchObject({ tier: 'trial', isFeeder: true, trialEndMs: START_MS + limits.trialMs });
    expect([reasonOf(scene), reasonOf(scene, '192.0.2.1')]).toEqual(['feeder-quiet', 'trial']);
    scene.nowMs += limits.trialMs;
    expect(reasonOf(scene, '192.0.2.1')).toBe('trial-over');
    const nameless = plainCaller(`address/${testIds.ofAddress('192.0.2.3')}`, 'free');
    expect(scene.access.report(nameless)).toMatchObject({ reason: 'no-trial' });
  });

  test('of two feeders with one address is that of the better one, and they are one caller there', () => {
    const scene = new Scene();
    scene.feed();
    scene.feed('b'.repeat(16), { contributorUntilMs: 0 });
    const caller = scene.who(HOME);
    expect(caller).toMatchObject({ tier: 'contributor', isShared: true, principal: expect.stringMatching(/^address\//) });
    expect(scene.access.report(caller)).toMatchObject({ hint: expect.stringMatching(/gateway or proxy/) });
  });

  test('has no limits for the operator, and for all where access is open; there a wrong key is refused, too', () => {
    const operated = new Scene({ unlimited: ['192.0.2.0/24'] });
    expect(operated.who('192.0.2.1')).toMatchObject({ tier: 'anonymous', principal: 'operator' });
    const open = new Scene({ profile: 'open' });
    expect(open.who('192.0.2.1')).toMatchObject({ tier: 'anonymous', isFeeder: false });
    expect(() => open.who('192.0.2.1', { authorization: 'Bearer x' })).toThrow(code('access.wrong_key'));
    expect([reasonOf(operated, '192.0.2.1'), reasonOf(open)]).toEqual(['operator', 'open']);
  });
});

test('a turn comes once in an interval, for all addresses of an IPv6 network together; a private address may be a gateway', () => {
  const scene = new Scene();
  scene.ask('2001:db8::1');
  scene.nowMs += 5000;
  expect(() => scene.ask('2001:db8::2')).toThrow(expect.objectContaining({ code: 'access.rate', retryAfterS: 13 }));
  scene.nowMs += 13_000;
  scene.ask('2001:db8::3').giveBack();
  scene.ask('2001:db8::3');
  expect(Object.fromEntries(scene.access.refused)).toEqual({ 'access.rate trial': 1 });
  scene.ask('10.0.0.1');
  expect(() => scene.ask('10.0.0.1')).toThrow(/gateway or proxy/);
});

test('the bytes of a day are counted until 00:00 UTC, whatever they were for, and the turns of a feeder', () => {
  const scene = new Scene();
  const caller = scene.who('192.0.2.1');
  expect(scene.access.spend(caller, 999_999_999)).toBe(1);
  scene.ask('192.0.2.1');
  scene.access.spend(caller, 1);
  scene.nowMs += 20_000;
  expect(() => scene.ask('192.0.2.1')).toThrow(code('access.budget'));
  expect(() => scene.access.check(caller)).toThrow(code('access.budget'));
  expect(() => scene.access.open(caller)).toThrow(code('access.budget'));
  scene.nowMs = START_MS + DAY_MS / 2;
  scene.ask('192.0.2.1');
  // Its counters belong to the feeder that has the key.
  scene.feed();
  const feeder = scene.who(HOME);
  const turn = scene.ask(HOME);
  scene.access.spend(feeder, 1234);
  expect(scene.access.today(feeder)).toEqual({ requests: 1, bytes: 1234 });
  turn.giveBack();
  expect(scene.access.today(feeder).requests).toBe(0);
  scene.nowMs += DAY_MS;
  expect(scene.access.today(feeder)).toEqual({ requests: 0, bytes: 0 });
});

test('an open socket follows its caller: whose feeder comes and goes or is banned, and who shares an address with others', () => {
  const scene = new Scene();
  const caller = scene.who(HOME);
  expect([caller.tier, scene.access.check(caller)]).toEqual(['trial', 'trial']);
  scene.feed();
  scene.feed('b'.repeat(16), { contributorUntilMs: 0 });
  expect([scene.access.check(caller), scene.access.check(scene.who(HOME))]).toEqual(['contributor', 'contributor']);
  scene.nowMs += limits.trialMs;
  expect(scene.access.check(caller)).toBe('free');
  scene.keys(1);
  const byKey = scene.who('192.0.2.1', { authorization: `Bearer ${keyOf({ feeder: FEEDER, generation: 1 }, testSecret)}` });
  scene.keys(2, { revokedBelow: 2 });
  expect(() => scene.access.check(byKey)).toThrow(code('access.revoked_key'));
  const ban = { reason: 'noise', sinceMs: 1, addressHash: testIds.addressHash(HOME) };
  scene.feeders.apply(feederKey('ban', FEEDER), feederRecord({ ban }));
  for (const each of [caller, byKey]) expect(() => scene.access.check(each)).toThrow(code('access.banned'));
});
