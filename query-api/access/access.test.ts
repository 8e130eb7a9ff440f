// The access layer with its embedded store, feeders and keys: who a caller is, and what it may do.
import { describe, expect, test } from 'vitest';
import { feederKey, feederRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { DAY_MS, FEEDER, HOME, Scene, START_MS } from '../../test/support/access-scene.ts';
import { testIds, testSecret } from '../../test/support/secret.ts';
import type { Lease } from './access.ts';
import { keyOf } from './key.ts';

const bearer = (generation: number) => ({ authorization: `Bearer ${keyOf({ feeder: FEEDER, generation }, testSecret)}` });
const code = (code: string) => expect.objectContaining({ code });

describe('the tier of a caller', () => {
  test('is contributor from the address of one feeder, until 24 h without; then the rest of the trial', () => {
    const scene = new Scene();
    scene.feed();
    expect(scene.who(HOME)).toMatchObject({ tier: 'contributor', isFeeder: true, principal: `feeder/${FEEDER}` });
    scene.nowMs += DAY_MS;
    scene.feed(FEEDER, { contributorUntilMs: scene.nowMs });
    expect(scene.who(HOME)).toMatchObject({ tier: 'trial', isFeeder: true, trialEndMs: START_MS + limits.trialMs });
  });

  test('of two feeders with one address is that of the better one, and they are one caller there', () => {
    const scene = new Scene();
    scene.feed();
    scene.feed('b'.repeat(16), { contributorUntilMs: 0 });
    expect(scene.who(HOME)).toMatchObject({
      tier: 'contributor',
      isShared: true,
      principal: expect.stringMatching(/^address\//),
    });
  });

  test('has no limits for the operator, and for all where access is open; there a wrong key is refused, too', () => {
    expect(new Scene({ unlimited: ['192.0.2.0/24'] }).who('192.0.2.1')).toMatchObject({ tier: 'anonymous', principal: 'operator' });
    const open = new Scene({ profile: 'open' });
    expect(open.who('192.0.2.1')).toMatchObject({ tier: 'anonymous', isFeeder: false });
    expect(() => open.who('192.0.2.1', { authorization: 'Bearer x' })).toThrow(code('access.wrong_key'));
  });
});

describe('a key', () => {
  test('is its feeder from any address, also the one before for a while; others are refused, from the feeder’s address, too', () => {
    const scene = new Scene();
    scene.feed();
    expect(() => scene.who('192.0.2.1', bearer(1))).toThrow(code('access.wrong_key'));
    scene.keys(3, { previousEndsMs: scene.nowMs + 7 * DAY_MS });
    for (const generation of [2, 3])
      expect(scene.who('192.0.2.1', bearer(generation))).toMatchObject({ principal: `feeder/${FEEDER}`, tier: 'contributor' });
    expect(() => scene.who(HOME, bearer(1))).toThrow(code('access.old_key'));
    expect(() => scene.who(HOME, bearer(4))).toThrow(code('access.wrong_key'));
    scene.nowMs += 7 * DAY_MS;
    expect(() => scene.who(HOME, bearer(2))).toThrow(code('access.old_key'));
    const caller = scene.who(HOME, bearer(3));
    scene.keys(4, { revokedBelow: 4 });
    expect(() => scene.who(HOME, bearer(3))).toThrow(code('access.revoked_key'));
    expect(() => scene.access.check(caller)).toThrow(code('access.revoked_key'));
  });

  test('of a banned feeder is refused, and so is its address', () => {
    const scene = new Scene();
    scene.feed();
    scene.keys(1);
    const caller = scene.who(HOME);
    const ban = { reason: 'noise', sinceMs: 1, addressHash: testIds.addressHash(HOME) };
    scene.feeders.apply(feederKey('ban', FEEDER), feederRecord({ ban }));
    for (const headers of [{}, bearer(1)])
      expect(() => scene.who(HOME, headers)).toThrow(expect.objectContaining({ code: 'access.banned', details: { reason: 'noise' } }));
    expect(() => scene.who('192.0.2.1', bearer(1))).toThrow(code('access.banned'));
    expect(() => scene.access.check(caller)).toThrow(code('access.banned'));
  });
});

describe('a turn', () => {
  test('comes once in an interval, all addresses of an IPv6 network and all keys of a feeder together', () => {
    const scene = new Scene();
    scene.ask('2001:db8::1');
    scene.nowMs += 5000;
    expect(() => scene.ask('2001:db8::2')).toThrow(expect.objectContaining({ code: 'access.rate', retryAfterS: 13 }));
    scene.nowMs += 13_000;
    scene.ask('2001:db8::3').giveBack();
    scene.ask('2001:db8::3');
    expect(Object.fromEntries(scene.access.refused)).toEqual({ 'access.rate trial': 1 });
  });

  test('of a private address that is refused says that a gateway may stand between', () => {
    const scene = new Scene();
    scene.ask('10.0.0.1');
    expect(() => scene.ask('10.0.0.1')).toThrow(/gateway or proxy/);
  });
});

test('the bytes of a day are counted until 00:00 UTC, whatever they were for', () => {
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
});

describe('an open socket', () => {
  test('follows its caller: whose feeder comes and goes, and who shares an address with others', () => {
    const scene = new Scene();
    const caller = scene.who(HOME);
    expect([caller.tier, scene.access.check(caller)]).toEqual(['trial', 'trial']);
    scene.feed();
    scene.feed('b'.repeat(16), { contributorUntilMs: 0 });
    expect([scene.access.check(caller), scene.access.check(scene.who(HOME))]).toEqual(['contributor', 'contributor']);
    scene.nowMs += limits.trialMs;
    expect(scene.access.check(caller)).toBe('free');
  });
});

test('sockets of a tier are limited, and free again when they close', () => {
  const scene = new Scene();
  scene.feed();
  const caller = scene.who(HOME);
  const leases = [0, 1, 2].map(() => scene.access.open(caller) as Lease);
  expect(() => scene.access.open(caller)).toThrow(code('access.too_many_sockets'));
  leases[1]!.close();
  scene.access.open(caller);
  expect(scene.access.check(caller)).toBe('contributor');
  scene.nowMs += DAY_MS;
  expect(scene.access.check(caller)).toBe('trial');
});
