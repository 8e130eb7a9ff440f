// Time travel in a real service: responses as they were given live are given again for their second, also after a restart; limits hold.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pastLimits } from '../../schemas/past-limits.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until as eventually } from '../support/until.ts';

interface List {
  readonly now: number;
  readonly messages: number;
  readonly total: number;
  readonly ac: readonly Readonly<Record<string, unknown>>[];
}

/** Neither comes from frames. */
const NOT_FOLDED = new Set(['r', 't', 'desc', 'ownOp', 'year', 'dbFlags', 'route_origin', 'route_dest']);
/** Lists whose order is promised. */
const ORDERED = /dist|nearest|hex/;

const folder = temporaryFolder();
let service: RunningService;
/** The last response of each list at each second: the first may have come before the last partition had its tick. */
const recorded = new Map<string, { readonly path: string; readonly list: List }>();

async function list(path: string): Promise<List> {
  // The threads of the past have a low priority: on a machine that is busy with other tests a moment may take longer than a request.
  const response = await eventually(
    async () => {
      const given = await service.get(path);
      return given.status === 503 && path.includes('at=') ? undefined : given;
    },
    path,
    100_000,
  );
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as List;
}

function folded(path: string, { now, messages, total, ac }: List): object {
  const aircraft = ac.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !NOT_FOLDED.has(name))));
  if (!ORDERED.test(path)) aircraft.sort((a, b) => String(a['hex']).localeCompare(String(b['hex'])));
  return { now, messages, total, aircraft };
}

const at = (path: string, second: number): string => `${path}${path.includes('?') ? '&' : '?'}at=${second}`;

/** Compares all recorded responses of these paths; returns how many of each path were equal. */
async function compareAll(paths: RegExp): Promise<ReadonlyMap<string, number>> {
  const equal = new Map<string, number>();
  for (const { path, list: then } of recorded.values()) {
    if (!paths.test(path)) continue;
    const again = await list(at(path, then.now));
    // No response of that second came after its last partition's tick, as on a busy machine: that partition's messages are missing.
    if (then.messages < again.messages) continue;
    expect(folded(path, again)).toEqual(folded(path, then));
    equal.set(path, (equal.get(path) ?? 0) + 1);
  }
  return equal;
}

beforeAll(async () => {
  service = await startService(folder.path, ['--simulate', '80']);
  const seen = await eventually(async () => {
    const { ac } = await list('/v2/all');
    return ac.filter(({ lat, squawk, t }) => lat !== undefined && squawk !== undefined && t !== undefined).length >= 20 ? ac : undefined;
  }, 'aircraft with positions');
  const some = seen.find(({ lat, squawk, t }) => lat !== undefined && squawk !== undefined && t !== undefined)!;
  const paths = [
    '/v2/all',
    `/v2/hex/${some['hex']},${seen[1]!['hex']}`,
    `/v2/type/${some['t']}`,
    `/v2/squawk/${some['squawk']}`,
    '/v2/bbox?min_lat=30&min_lon=-20&max_lat=70&max_lon=10',
    `/v2/lat/${some['lat']}/lon/${some['lon']}/dist/250`,
    `/v2/aircraft/nearest?lat=${some['lat']}&lon=${some['lon']}&limit=20`,
    '/v2/all?min_altitude=10000&fields=flight,squawk,rssi',
  ];
  const first = (await list('/v2/all')).now;
  for (let now = first; now < first + 6; ) {
    for (const path of paths) {
      const given = await list(path);
      recorded.set(`${given.now} ${path}`, { path, list: given });
      now = given.now;
    }
  }
  // The last second may still become whole.
  const newest = Math.max(...[...recorded.values()].map(({ list: { now } }) => now));
  for (const [key, { list: given }] of recorded) if (given.now === newest) recorded.delete(key);
}, 90_000);
afterAll(async () => {
  await service.stop();
  folder.remove();
});

describe('`at`', { timeout: 180_000 }, () => {
  it('gives the responses of then again, of every list', async () => {
    const equal = await compareAll(/./);
    expect(equal.size).toBe(new Set([...recorded.values()].map(({ path }) => path)).size);
    expect(equal.get('/v2/all')).toBeGreaterThan(1);
  });

  it('refuses moments that the log does not have, each with its code', async () => {
    const codeOf = async (path: string): Promise<unknown[]> => {
      const response = await service.get(path);
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await codeOf('/v2/all?at=1000')).toEqual([404, 'moment-too-old']);
    expect(await codeOf('/v2/all?at=2099-01-01T00:00:00Z')).toEqual([400, 'moment-in-future']);
    expect(await codeOf('/v2/all?at=now')).toEqual([400, 'bad-value']);
  });

  it('refuses requests beyond its limit at once, and serves live lists meanwhile', async () => {
    const { now } = await list('/v2/all');
    const flood = Array.from({ length: 3 * pastLimits.requestsMax }, (_, i) => service.get(at('/v2/all', now - (i % 8))));
    const live = await list('/v2/all');
    expect(live.now).toBeGreaterThanOrEqual(now);
    const responses = await Promise.all(flood);
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject({ code: 'past-busy' });
    }
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(pastLimits.requestsMax);
    const metrics = await (await service.get('/metrics')).text();
    expect(metrics).toMatch(/squitter_past_requests_total\{outcome="busy"\} [1-9]/);
    expect(metrics).toMatch(/squitter_past_moments_total\{way="(continued|folded)"\} [1-9]/);
  });

  it('can be played live into a second service', async () => {
    const seconds = [...recorded.values()].filter(({ path }) => path === '/v2/all').map(({ list: { now } }) => now);
    const [since, until] = [Math.min(...seconds), Math.max(...seconds)];
    const other = temporaryFolder();
    const second = await startService(other.path, ['--no-simulation']);
    try {
      const stretch = ['--from-log', folder.path, '--since', String(since), '--until', new Date(1000 * until).toISOString()];
      const replay = await squitter(['replay', ...stretch, '--to', `127.0.0.1:${second.listenPort}`, '--speed', '4']);
      expect([replay.code, replay.stderr]).toEqual([0, expect.stringMatching(/^replay: [1-9]\d+ frames$/m)]);
      const hexes = new Set((await list(at('/v2/all', until))).ac.map(({ hex }) => hex));
      await eventually(
        async () =>
          ((await (await second.get('/v2/all')).json()) as Partial<List>).ac?.some(({ lat, hex }) => lat !== undefined && hexes.has(hex)),
        'the aircraft of then',
      );
    } finally {
      await second.stop();
      other.remove();
    }
    const wrong = await squitter(['replay', '--to', '127.0.0.1:1']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('FILE')]);
  });

  it('gives them after a restart, from the log alone', async () => {
    expect(await service.stop(), service.output()).toBe(0);
    service = await startService(folder.path, ['--simulate', '80']);
    expect((await compareAll(/^\/v2\/all$/)).get('/v2/all')).toBeGreaterThan(1);
  });

  it('is given up at once when the service stops', async () => {
    const { now } = await list('/v2/all');
    const codeOf = async (response: Response): Promise<string | undefined> => ((await response.json()) as { code?: string }).code;
    const requests = Array.from({ length: pastLimits.requestsMax }, (_, i) => service.get(at('/v2/all', now - 1 - i)).then(codeOf));
    // The threads have begun with the first.
    await eventually(async () => {
      const text = await (await service.get('/metrics')).text();
      return /squitter_past_requests [1-9]/.test(text) || undefined;
    }, 'requests in progress');
    const stopped = service.stop();
    for (const code of await Promise.all(requests)) expect([undefined, 'past-unavailable']).toContain(code);
    expect(await stopped, service.output()).toBe(0);
    expect(service.output()).not.toContain('service.stop_timeout');
  });
});
