// Turns of long lists: a few ms each round, in order.
import { Agent, get } from 'node:http';
import { setImmediate as round } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { fullState } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';
import { QueryError } from '../queries/errors.ts';
import { HttpGuard } from './connections/http-guard.ts';
import { ListTurns } from './list-turns.ts';

let clockMs = 0;

it('lets what is over the time of a round wait for later rounds, first come, first served', async () => {
  const turns = new ListTurns(() => clockMs);
  expect(turns.isBusy).toBe(false);
  turns.spend(limits.listTurnMsMax, 0);
  expect(turns.isBusy).toBe(true);
  const done: number[] = [];
  const work = (n: number): number => {
    expect(turns.isBusy).toBe(false);
    turns.spend(0.6 * limits.listTurnMsMax, 0);
    done.push(n);
    return n;
  };
  const all = Promise.all([1, 2, 3, 4, 5].map((n) => turns.later(() => work(n))));
  await round();
  expect(done).toEqual([1, 2]);
  await round();
  expect(done).toEqual([1, 2, 3, 4]);
  expect(await all).toEqual([1, 2, 3, 4, 5]);
  await round();
  expect(turns.isBusy).toBe(false);
});

it('lets short lists wait for each other only, and gives long ones a turn in each round', async () => {
  const turns = new ListTurns(() => clockMs);
  turns.spend(limits.listTurnMsMax, 0);
  const done: string[] = [];
  const work = (name: string) => () => {
    turns.spend(0.6 * limits.listTurnMsMax, 0);
    done.push(name);
  };
  for (const name of ['long 1', 'long 2', 'long 3']) void turns.later(work(name), true);
  for (const name of ['short 1', 'short 2', 'short 3']) void turns.later(work(name));
  await round();
  expect(done).toEqual(['short 1', 'short 2', 'long 1']);
  expect(turns.isBusyForLong).toBe(true);
  await round();
  expect(done.slice(3)).toEqual(['short 3', 'long 2']);
  await round();
  expect(done.slice(5)).toEqual(['long 3']);
  // Several in one round, if they are not so long.
  const quick = () => {
    turns.spend(0.3 * limits.listTurnMsMax, 0);
    done.push('quick');
  };
  for (let n = 0; n < 5; n += 1) void turns.later(quick, true);
  await round();
  expect(done.slice(6)).toEqual(['quick', 'quick', 'quick']);
});

it('makes a long list in steps: short ones come between, other long ones after it', async () => {
  const turns = new ListTurns(() => clockMs);
  turns.spend(limits.listTurnMsMax, 0);
  const done: string[] = [];
  const step = (name: string) => {
    turns.spend(limits.listTurnMsMax, 0);
    done.push(name);
  };
  let steps = 0;
  const inSteps = turns.inSteps(() => {
    step('step');
    steps += 1;
    return steps === 3 ? 'text' : null;
  });
  void turns.later(() => step('long'), true);
  for (let n = 0; n < 4; n += 1) {
    void turns.later(() => done.push('short'));
    await round();
  }
  expect(done).toEqual(['short', 'step', 'short', 'step', 'short', 'step', 'short', 'long']);
  expect(await inSteps).toBe('text');
});

it('counts the time of work that fails before it can say what it took', async () => {
  const turns = new ListTurns(() => clockMs);
  turns.spend(limits.listTurnMsMax, 0);
  let failed = 0;
  const late = (): never => {
    clockMs += limits.listTurnMsMax;
    failed += 1;
    throw new Error('refused');
  };
  for (let n = 0; n < 3; n += 1) turns.later(late).catch(() => {});
  await round();
  expect(failed).toBe(1);
});

describe('lists of the API', () => {
  const AIRCRAFT = limits.shortListAircraftMax + 150;

  it('a short one is sent while long ones are made', async () => {
    const api = await createTestApi(AIRCRAFT);
    const done: string[] = [];
    const ask = async (url: string, name: string): Promise<void> => {
      expect((await api.app.inject(url)).statusCode).toBe(200);
      done.push(name);
    };
    const paths = Array.from({ length: 6 }, (_, i) => `/v2/geojson/all?min_altitude=${i}`);
    await Promise.all([...paths.map((path) => ask(path, 'long')), ask(`/v2/hex/${fullState(1).hex}`, 'short')]);
    expect(done.length).toBe(7);
    expect(done.indexOf('short')).toBeLessThan(3);
    await api.app.close();
  });

  it('a connection whose newest list was long waits with the long ones, until it asks for a short one', async () => {
    const api = await createTestApi(AIRCRAFT);
    const later = vi.spyOn(ListTurns.prototype, 'later');
    vi.spyOn(ListTurns.prototype, 'isBusyForLong', 'get').mockReturnValue(true);
    const url = await api.app.listen({ port: 0 });
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;
    const ask = (agent: Agent, path: string): Promise<void> =>
      new Promise((resolve, reject) => {
        get(`${url}${path}`, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
      });
    const waited: number[] = [];
    const short = `/v2/hex/${fullState(1).hex}`;
    for (const [agent, path] of [
      [0, '/v2/all?min_altitude=-2000'],
      [1, short],
      [0, short],
      [0, `${short}?`],
    ] as const) {
      await ask(agents[agent], path);
      waited.push(later.mock.calls.filter(([, isLong]) => isLong).length);
    }
    expect(waited).toEqual([1, 1, 2, 2]);
    vi.restoreAllMocks();
    for (const agent of agents) agent.destroy();
    await api.app.close();
  });

  it('long ones are refused first when memory is short, small ones never', async () => {
    const guard = new HttpGuard();
    const admitted: boolean[] = [];
    guard.memory.admit = (isLong = false) => {
      admitted.push(isLong);
      if (isLong) throw new QueryError('api.overloaded', { seconds: 1 }, { retryAfterS: 1 });
    };
    const api = await createTestApi(AIRCRAFT, { guard });
    const status = async (url: string): Promise<number> => (await api.app.inject(url)).statusCode;
    const { latitudeMicrodeg, longitudeMicrodeg } = fullState(1);
    const circle = `/v2/lat/${latitudeMicrodeg! / 1e6}/lon/${longitudeMicrodeg! / 1e6}/dist/1`;
    expect([await status(circle), await status(`/v2/hex/${fullState(1).hex}`), admitted]).toEqual([200, 200, []]);
    expect(await status('/v2/all?limit=100')).toBe(200);
    expect(await status('/v2/all?min_altitude=-2000')).toBe(503);
    expect(admitted).toEqual([false, true]);
    await api.app.close();
  });
});

it('passes on what fails, and goes on', async () => {
  const turns = new ListTurns(() => clockMs);
  turns.spend(0, 100e6);
  const failing = turns.later(() => {
    throw new Error('broken');
  });
  const next = turns.later(async () => 'fine');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
});
