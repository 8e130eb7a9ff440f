// Open sockets of callers with limits: what they are sent counts, their interval follows their tier, and they end with their key or their day.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type CallerAccess, unlimitedAccess } from '../../query-api/access/access.ts';
import { type Caller, plainCaller } from '../../query-api/access/caller.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type LimitedTier, tierLimits } from '../../schemas/tiers.ts';
import { PushContract, type PushDocument } from '../../test/support/push-contract.ts';
import { RecordingHub } from '../../test/support/recording-hub.ts';
import { projectDir } from '../../test/support/requirements.ts';
import { World } from '../../test/support/world.ts';

const NAMED = { protocols: ['aircraft.v2.json'] };
let hub: RecordingHub;
afterEach(() => hub.close());

const contract = new PushContract(JSON.parse(readFileSync(join(projectDir, 'schemas/api/push-asyncapi.json'), 'utf8')) as PushDocument);

/** A caller whose standing the test changes. */
class Standing implements CallerAccess {
  tier: LimitedTier = 'trial';
  error: SquitterError | null = null;
  spent = 0;
  leases = 0;
  checks = 0;
  identify = () => plainCaller('address/1', this.tier);
  admit = unlimitedAccess.admit;
  spend(_: unknown, bytes: number): number {
    this.spent += bytes;
    return tierLimits[this.tier].dayBytesMax - this.spent;
  }
  open(caller: Caller) {
    this.leases += 1;
    return { caller, close: () => this.release() };
  }
  check(): LimitedTier {
    this.checks += 1;
    if (this.error !== null) throw this.error;
    return this.tier;
  }
  pace = unlimitedAccess.pace;
  report = unlimitedAccess.report;
  private release(): void {
    this.leases -= 1;
  }
}

async function opened() {
  const world = await World.create();
  for (let n = 0; n < 5; n += 1) world.do({ kind: 'state', n, empty: false });
  world.tick();
  const standing = new Standing();
  hub = new RecordingHub(world, {}, standing);
  const socket = await hub.open('/v2/ws', NAMED);
  await hub.say(socket, { type: 'subscribe' });
  const messages = () =>
    hub.texts(socket).map((text) => {
      const message = JSON.parse(text) as { type: string; code?: string; [member: string]: unknown };
      expect(contract.faults('named', message, 'whole')).toEqual([]);
      return message;
    });
  return { standing, socket, messages };
}

test('what a socket is sent counts once, to its end', async () => {
  const { standing, socket } = await opened();
  const sent = (): number => hub.frames(socket).reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (let n = 0; n < 3; n += 1) {
    await hub.tick();
    hub.hub.checkCallers();
    expect(standing.spent).toBe(sent());
  }
  await hub.tick();
  hub.hub.closed(socket);
  expect([standing.spent, standing.leases]).toEqual([sent(), 0]);
});

test('is warned once when a fifth of the day is left', async () => {
  const { standing, messages } = await opened();
  const warnings = () => messages().filter(({ type, code }) => type === 'status' && code === 'budget').length;
  standing.spent = 0.79 * tierLimits.trial.dayBytesMax;
  hub.hub.checkCallers();
  expect(warnings()).toBe(0);
  standing.spent = 0.8 * tierLimits.trial.dayBytesMax;
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  expect(warnings()).toBe(1);
});

test('goes on with the interval of another tier, from a full, and is told so', async () => {
  const { standing, messages } = await opened();
  const { normal, slow } = hub.hub.classes;
  standing.tier = 'free';
  hub.hub.checkCallers();
  await hub.settle();
  expect(messages().slice(-2)).toMatchObject([
    { type: 'status', code: 'tier', tier: 'free', interval_ms: limits.pushSlowTickMs },
    { type: 'full' },
  ]);
  const before = messages().length;
  await hub.tick();
  expect([messages().length, normal.topics.size, slow.topics.size]).toEqual([before, 1, 1]);
  await hub.tick(limits.pushSlowTickMs);
  expect(messages().at(-1)).toMatchObject({ type: 'delta' });
  standing.tier = 'contributor';
  hub.hub.checkCallers();
  await hub.settle();
  expect(messages().slice(-2)).toMatchObject([{ type: 'status', tier: 'contributor', interval_ms: 1000 }, { type: 'full' }]);
});

test.each([
  [4403, 'access.revoked_key'],
  [4403, 'access.banned'],
  [4401, 'access.old_key'],
  [4429, 'access.budget'],
] as const)('is closed with %i once: %s', async (close, code) => {
  const { standing, socket } = await opened();
  standing.error = new SquitterError(code, { bytes: 1, seconds: 1, hint: '' });
  for (let n = 0; n < 3; n += 1) hub.hub.checkCallers();
  expect(hub.end(socket)).toEqual([close, standing.error.message]);
  expect([standing.checks, hub.hub.refused.get(code)]).toEqual([1, 1]);
});
