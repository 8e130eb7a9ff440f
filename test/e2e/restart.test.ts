// A service as a new user meets it within its first minute: routes, airports, tracks, signal levels, imported reference data and the receiver; and all of
// it again right after a restart.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Aircraft {
  readonly hex: string;
  readonly lat?: number;
  readonly lon?: number;
  readonly r?: string;
}
interface Flight {
  readonly flight: string;
  readonly destination?: { readonly icao: string };
  readonly route_source?: string;
  readonly route_plausible?: boolean;
}
interface Track {
  readonly now: number;
  readonly positions: readonly { readonly time: number; readonly lat: number; readonly lon: number }[];
}
interface Sample {
  readonly t: number;
  readonly avg?: number;
  readonly aircraft_count: number;
}

const AIRCRAFT = 120;
/** Flights that have a route soon. */
const ROUTED_MIN = 40;
const RECEIVER = ['--receiver', '51.99,4.37'];

const folder = temporaryFolder();
const data = join(folder.path, 'data');
const imported = join(folder.path, 'aircraft.csv');
let service: RunningService;
afterAll(async () => {
  await service.stop();
  folder.remove();
});

const get = async <T>(path: string): Promise<T> => (await (await service.get(path)).json()) as T;
const trackOf = (hex: string): Promise<Track> => get(`/v2/aircraft/${hex}/track`);
const samples = async (): Promise<readonly Sample[]> => (await get<{ history?: Sample[] }>('/v2/signal/history')).history ?? [];
const aircraftOf = async (path: string): Promise<readonly Aircraft[]> => (await get<{ ac?: Aircraft[] }>(path)).ac ?? [];

async function routedFlights(): Promise<readonly Flight[]> {
  const { flights = [] } = await get<{ flights?: Flight[] }>('/v2/flights?limit=1000');
  return flights.filter(({ destination }) => destination !== undefined);
}

const untilRouted = (): Promise<readonly Flight[]> =>
  until(async () => {
    const flights = await routedFlights();
    return flights.length >= ROUTED_MIN && flights;
  }, `${ROUTED_MIN} flights with routes`);

async function receiver(): Promise<object> {
  const { lat, lon } = await get<{ lat?: number; lon?: number }>('/data/receiver.json');
  return lat === undefined ? {} : { lat, lon };
}

describe('a new service', () => {
  beforeAll(async () => {
    service = await startService(data, ['--simulate', String(AIRCRAFT), ...RECEIVER, '--show-receiver']);
  });

  it('has flights with routes, airports with arrivals, types and operators', async () => {
    const flights = await untilRouted();
    expect(flights.every(({ route_plausible }) => route_plausible === true)).toBe(true);
    expect(flights.filter(({ route_source }) => route_source === 'plan').length).toBeGreaterThan(30);

    const { airports } = await get<{ airports: { icao: string; arrivals: number }[] }>('/v2/airports/active');
    expect(airports.length).toBeGreaterThan(5);
    const busiest = airports.find(({ arrivals }) => arrivals > 0)!;
    const { airport, arrivals } = await get<{ airport: object; arrivals: { flights: Flight[] } }>(`/v2/airport/${busiest.icao}`);
    expect(airport).toMatchObject({ icao: busiest.icao, name: expect.any(String) });
    expect(arrivals.flights.every(({ destination }) => destination!.icao === busiest.icao)).toBe(true);

    const { types } = await get<{ types: { t: string; desc?: string }[] }>('/v2/types');
    expect(types.length).toBeGreaterThan(5);
    expect(types.every(({ desc }) => desc !== undefined)).toBe(true);

    const [some] = flights;
    expect(await get(`/v2/flight/${some!.flight.trim()}`)).toMatchObject({
      matched_by: 'callsign',
      flight: { destination: some!.destination },
    });
    const { operators } = await get<{ operators: { name?: string }[] }>('/v2/operators');
    expect(operators.every(({ name }) => name !== undefined)).toBe(true);
  });

  it('shows the receiver only where the operator wants it', async () => {
    expect(await receiver()).toEqual({ lat: 51.99, lon: 4.37 });
  });

  it('loads imported reference data while it runs', async () => {
    const hex = await until(async () => (await aircraftOf('/v2/all'))[0]?.hex);
    writeFileSync(imported, `${hex};TEST-1;B738;10;BOEING 737-800;2003;SOMEBODY;\nnonsense;;;;;;;\n`);
    const run = await squitter(['reference', 'import', imported, '--data', data]);
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain("aircraft (readsb's aircraft.csv): 1 rows taken\n    1 refused: not a 24-bit address (line 2)\n");
    expect(run.code).toBe(0);
    const expected = { r: 'TEST-1', t: 'B738', desc: 'BOEING 737-800', year: '2003', ownOp: 'SOMEBODY', dbFlags: 1 };
    const known = await until(async () => (await aircraftOf(`/v2/hex/${hex}`)).find(({ r }) => r === 'TEST-1'));
    expect(known).toMatchObject(expected);
  });

  it('has all of it after a restart, tracks and signal levels too', async () => {
    const followed = await until(async () => {
      for (const { hex } of await aircraftOf('/v2/all')) if ((await trackOf(hex)).positions.length >= 3) return hex;
      return undefined;
    }, 'a track with three positions');
    // The newest position of the list is the last one of the track, in responses of the same tick.
    await until(async () => {
      const { now, ac } = await get<{ now: number; ac: Aircraft[] }>(`/v2/hex/${followed}`);
      const track = await trackOf(followed);
      const last = track.positions.at(-1)!;
      return track.now === now && last.lat === ac[0]?.lat && last.lon === ac[0]?.lon;
    }, 'the position of the list at the end of the track');
    const levels = await until(async () => {
      const history = await samples();
      return history.length >= 4 ? history : undefined;
    }, 'four samples of signal levels');
    const before = await trackOf(followed);
    expect(await service.stop(), service.output()).toBe(0);

    service = await startService(data, ['--simulate', String(AIRCRAFT), ...RECEIVER]);
    expect(await receiver()).toEqual({});
    expect(await (await service.get('/metrics')).text()).toContain('squitter_reference_rows{kind="aircraft"} 1\n');
    await until(async () => {
      const times = new Set(((await trackOf(followed)).positions ?? []).map(({ time }) => time));
      // The last one may have been no point yet.
      return before.positions.slice(0, -1).every(({ time }) => times.has(time));
    }, 'the track from before the restart');
    const restored = await until(async () => {
      const history = await samples();
      const times = new Set(history.map(({ t }) => t));
      return levels.every(({ t }) => times.has(t)) ? history : undefined;
    }, 'the signal levels from before the restart');
    const byTime = new Map(restored.map((sample) => [sample.t, sample]));
    // On a busy machine the live view may have taken a sample without a late partition.
    expect(levels.filter((sample) => isDeepStrictEqual(byTime.get(sample.t), sample)).length).toBeGreaterThan(0);
    await untilRouted();
  });
});

describe('squitter reference import', () => {
  it('reports errors, and changes nothing in that case', async () => {
    writeFileSync(imported, 'a,b,c\n1,2,3\n');
    const unknown = await squitter(['reference', 'import', imported, '--data', data]);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^squitter: \S+aircraft\.csv has no reference data .* \[reference\.unknown_format\]\n$/);
    expect(await squitter(['reference', 'show', imported])).toMatchObject({ code: 2 });
    expect(await squitter(['reference', 'import'])).toMatchObject({ code: 2 });
  });
});
