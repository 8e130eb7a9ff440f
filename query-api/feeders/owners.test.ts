// Owners of feeders: who becomes one and by what, what they decide, and what ends their sessions.
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import { type FeederKeys, feederKey, feederRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type OwnersScene, ownersScene } from '../../test/support/access-scene.ts';
import { testIds, testSecret } from '../../test/support/secret.ts';
import type { Access } from '../access/access.ts';
import type { Caller, CallerHeaders } from '../access/caller.ts';
import { keyOf, LAST_GENERATION } from '../access/key.ts';
import { claimed, revoked, rotated } from './keys.ts';
import type { FeederOwners } from './owners.ts';

const UUID = '7c0ffee7-1dea-4bad-8ace-5eed0fadedab';
const FEEDER = testIds.ofUuid(UUID);
const OTHER = testIds.ofUuid('01234567-89ab-cdef-0123-456789abcdef');
const HOME = '198.51.100.7';
const BASE_URL = 'https://planes.example';
const OURS = { host: 'planes.example' };

let nowMs: number;
let scene: OwnersScene;
let owners: FeederOwners;
let feeders: FeederTable;
let access: Access;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 5, 12);
  scene = ownersScene({ baseUrl: BASE_URL, nowMs: () => nowMs, rules: { unlimited: ['203.0.113.9'] } });
  onTestFinished(scene.close);
  ({ owners, feeders, access } = scene);
});

const feed = (id: string, address: string | null = HOME, state?: 'gone'): void => scene.feed(id, address, state);
const decide = (keys: FeederKeys): void => feeders.apply(feederKey('keys', FEEDER), feederRecord({ keys }));

const who = (address: string, headers: CallerHeaders = {}) => access.identify(address, { ...OURS, ...headers }) as Caller;
const open = (proof: string, address = '192.0.2.1', headers: CallerHeaders = OURS) => owners.open({ caller: who(address), headers, proof });
const refused = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });
const key = (generation: number) => keyOf({ feeder: FEEDER, generation }, testSecret);

describe('a feeder is opened', () => {
  test('by its UUID in any form: it is claimed once, and gets its first key', async () => {
    feed(FEEDER, null);
    const claimed = await open(` ${UUID.toUpperCase()} `);
    expect(claimed).toMatchObject({
      ...{ id: FEEDER, claim: { name: '', showRange: false, claimedAtMs: nowMs } },
      keys: { generation: 1, previousEndsMs: 0, revokedBelow: 1 },
    });
    expect(owners.key(claimed)).toBe(key(1));
    expect(who('192.0.2.1', { authorization: `Bearer ${key(1)}` }).principal).toBe(`feeder/${FEEDER}`);
    nowMs += 1000;
    expect((await open(UUID.replaceAll('-', ''))).claim!.claimedAtMs).toBe(nowMs - 1000);
    expect(scene.written).toEqual([`keys/${FEEDER}`, `claim/${FEEDER}`]);
    // And by its newest key.
    expect((await open(key(1))).id).toBe(FEEDER);
    await owners.rotate(FEEDER);
    await expect(open(key(1))).rejects.toEqual(refused('access.wrong_proof'));
    expect((await open(key(2))).id).toBe(FEEDER);
  });

  test('by nothing else, ten times a minute from an address', async () => {
    feed(FEEDER);
    await open(UUID);
    const others = [key(1).slice(0, -1), key(2), keyOf({ feeder: OTHER, generation: 1 }, testSecret)];
    const guesses = ['x', UUID.slice(1), '-'.repeat(20), '0'.repeat(32), FEEDER, ...others];
    for (const guess of [...guesses, 'y', 'z']) await expect(open(guess)).rejects.toEqual(refused('access.wrong_proof'));
    await expect(open(UUID)).rejects.toEqual(refused('access.many_wrong_keys', { retryAfterS: 6 }));
    expect(() => who('192.0.2.1', { authorization: 'Bearer x' })).toThrow(refused('access.many_wrong_keys'));
    expect((await open(UUID, '192.0.2.2')).id).toBe(FEEDER);
    // The operator's programs guess no faster.
    for (let n = 0; n < limits.wrongKeysPerMinuteMax; n += 1)
      await expect(open('x', '203.0.113.9')).rejects.toEqual(refused('access.wrong_proof'));
    await expect(open('x', '203.0.113.9')).rejects.toEqual(refused('access.many_wrong_keys'));
  });

  test('from its address while it is alone there, connected and unclaimed', async () => {
    const why = async (address = HOME, headers?: CallerHeaders) => {
      const error = await open('', address, headers).catch((reason: Error & { code: string }) => reason);
      return `${(error as { code?: string }).code}: ${String((error as Error).message).split(': ')[1]}`;
    };
    expect(await why()).toBe('access.not_claimable: none was connected from your address in the last 24 hours');
    feed(FEEDER);
    expect(await why('192.168.1.2')).toContain('private network');
    expect(await why('203.0.113.9')).toContain('private network');
    expect(await why(HOME, { host: 'rebound.example' })).toContain('--base-url');
    feed(OTHER);
    expect(await why()).toContain('several share your address');
    feed(OTHER, '198.51.100.8');
    feed(FEEDER, HOME, 'gone');
    expect(await why()).toContain('is not connected now');
    feed(FEEDER);
    // One of two at the same time.
    const both = await Promise.allSettled([open('', HOME), open('', HOME)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await why()).toContain('has an owner');
    expect((await open('', '198.51.100.8', { host: '192.0.2.200:8080' })).id).toBe(OTHER);
  });

  test('not while it is banned, and again with another key when it was given up', async () => {
    feed(FEEDER);
    const session = owners.session(await open(UUID))!;
    feeders.apply(feederKey('ban', FEEDER), feederRecord({ ban: { reason: 'noise', sinceMs: 1, addressHash: null } }));
    await expect(open(UUID)).rejects.toEqual(refused('access.banned'));
    expect(() => owners.bySession(session)).toThrow(refused('access.banned'));
    feeders.apply(feederKey('ban', FEEDER), null);
    feeders.apply(feederKey('claim', FEEDER), null);
    expect((await open(UUID)).keys).toEqual({ generation: 2, previousEndsMs: 0, revokedBelow: 2 });
  });

  test('also where the log is late to show it', async () => {
    feed(FEEDER);
    scene.isFollowed = false;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const opening = open(UUID);
    await vi.advanceTimersByTimeAsync(2 * limits.feederActMsMax);
    expect(await opening).toMatchObject({ claim: { name: '' }, keys: { generation: 1 } });
  });
});

describe('a session', () => {
  const opened = async (): Promise<string> => {
    feed(FEEDER);
    return owners.session(await open(UUID))!;
  };

  test('is of one feeder for 30 days, and cannot be made or changed without the secret', async () => {
    const session = await opened();
    expect(session).not.toContain(UUID);
    expect(owners.bySession(session)?.id).toBe(FEEDER);
    for (let i = 0; i < session.length; i += 1) {
      const changed = session.slice(0, i) + (session[i] === '1' ? '2' : '1') + session.slice(i + 1);
      expect(owners.bySession(changed), changed).toBeNull();
    }
    for (const text of ['', 'x', `${session}x`, session.slice(1), session.replace(FEEDER, OTHER)])
      expect(owners.bySession(text)).toBeNull();
    nowMs += limits.feederSessionMs - 1;
    expect(owners.bySession(session)?.id).toBe(FEEDER);
    nowMs += 1;
    expect(owners.bySession(session)).toBeNull();
  });

  test('outlives a rotation, and ends with a revocation by its owner or an operator, and with what is forgotten', async () => {
    const session = await opened();
    await owners.rotate(FEEDER);
    expect(owners.bySession(session)?.id).toBe(FEEDER);
    const revoked = await owners.revoke(FEEDER);
    expect(owners.bySession(session)).toBeNull();
    const next = owners.session(revoked)!;
    expect(owners.bySession(next)?.id).toBe(FEEDER);
    decide({ ...revoked.keys!, revokedBelow: revoked.keys!.generation + 1 });
    expect(owners.bySession(next)).toBeNull();
    // The UUID still opens it; its owner makes a key.
    const keyless = await open(UUID);
    expect([owners.key(keyless), owners.callerOf(keyless), owners.bySession(owners.session(keyless)!)?.id]).toEqual([null, null, FEEDER]);
    expect(owners.key(await owners.rotate(FEEDER))).toBe(key(4));
    const last = owners.session(feeders.byId(FEEDER)!)!;
    for (const kind of ['claim', 'keys'] as const) feeders.apply(feederKey(kind, FEEDER), null);
    expect(owners.bySession(last)).toBeNull();
    await expect(owners.rotate(FEEDER)).rejects.toEqual(refused('access.no_session'));
    nowMs += 1;
    await open(UUID);
    expect(owners.bySession(last)).toBeNull();
  });
});

describe('the key', () => {
  test('before a rotation is valid for 7 days, and shows the feeder, but decides nothing', async () => {
    feed(FEEDER);
    await open(UUID);
    await owners.rotate(FEEDER);
    const before = { authorization: `Bearer ${key(1)}` };
    expect(owners.byKey(who('192.0.2.1', before), { isNewest: false })?.id).toBe(FEEDER);
    expect(() => owners.byKey(who('192.0.2.1', before), { isNewest: true })).toThrow(refused('access.old_key'));
    expect(owners.byKey(who('192.0.2.1', { authorization: `Bearer ${key(2)}` }), { isNewest: true })?.id).toBe(FEEDER);
    expect(owners.byKey(who('192.0.2.1'), { isNewest: true })).toBeNull();
    nowMs += limits.feederKeyOverlapMs;
    expect(() => who('192.0.2.1', before)).toThrow(refused('access.old_key'));
  });

  test('has an end of its generations', () => {
    const last = { generation: LAST_GENERATION - 1, previousEndsMs: 0, revokedBelow: 1 };
    expect(rotated(last, 0).generation).toBe(LAST_GENERATION);
    const end = { ...last, generation: LAST_GENERATION };
    expect(() => rotated(end, 0)).toThrow(refused('access.no_key_left'));
    // It can be revoked; then there is no other.
    expect(revoked(end)).toEqual({ generation: LAST_GENERATION, previousEndsMs: 0, revokedBelow: LAST_GENERATION + 1 });
    expect(() => claimed(end)).toThrow(refused('access.no_key_left'));
  });
});

test('settings change one by one, in the order of their requests', async () => {
  feed(FEEDER);
  await open(UUID);
  await Promise.all([owners.change(FEEDER, { name: '  Hill \t top ' }), owners.change(FEEDER, { showRange: true })]);
  expect(feeders.byId(FEEDER)!.claim).toMatchObject({ name: 'Hill top', showRange: true });
  expect(() => owners.change(FEEDER, { name: 'a\u0007b' })).toThrow(refused('api.bad_value'));
});
