// The flights stage on a real log: each flight is written once, despite stops, crashes and wrong group offsets; unobserved time is reported.

import { describe, expect, it } from 'vitest';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { UnobservedStretch } from '../../pipeline/flights/restore.ts';
import { FLIGHTS_GROUP, type FlightsWorker, startFlightsWorker } from '../../pipeline/flights/worker.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { OffsetRecovery } from '../../pipeline/log/group-offset.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { PlanFiler } from '../../pipeline/simulate/flight-plans.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { truthOf } from '../proof/observer/flown.ts';
import { stateOf } from '../support/flights.ts';
import { emptyLog, readToEnd, withMethod } from '../support/folded-log.ts';
import { NOW_MS } from '../support/full-state.ts';
import { handReference } from '../support/hand-reference.ts';

const STEP_MS = 10_000;
const AIRCRAFT = 24;
const MINUTES = 60;
const reference = handReference();
const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: NOW_MS * 1000 });

type Start = Pick<OpenData, 'codecs'> & { readonly log: EventLog };
interface Reported {
  readonly recovered: OffsetRecovery[];
  readonly unobserved: UnobservedStretch[];
}

const start = ({ log, codecs }: Start, reported?: Reported): Promise<FlightsWorker> =>
  startFlightsWorker({
    ...{ log, codecs, reference, airports: new FlightAirports(reference) },
    onRecovered: (recovery) => reported?.recovered.push(recovery),
    onUnobserved: (stretch) => reported?.unobserved.push(stretch),
  });

const readAllStates = ({ log }: OpenData, worker: FlightsWorker): Promise<void> => readToEnd(log, 'aircraft', worker);

async function observe(data: OpenData, reported?: Reported): Promise<FlightsWorker> {
  const worker = await start(data, reported);
  await readAllStates(data, worker);
  await worker.stop();
  return worker;
}

/** An hour of simulated flights, one list per tick; some aircraft are not heard near the ground. */
const hour = Array.from({ length: (MINUTES * 60_000) / STEP_MS }, (_, step) => NOW_MS + step * STEP_MS).map((timeMs) =>
  Array.from({ length: AIRCRAFT }, (_, i) => i).flatMap((i) => {
    const truth = truthOf(traffic, i, timeMs * 1000);
    return i % 3 === 0 && (truth.onGround || truth.altitudeFt < 500) ? [] : [stateOf(i, truth, timeMs)];
  }),
);

const recordOf = ({ codecs }: OpenData, state: AircraftState): OutgoingRecord => ({
  ...{ key: state.hex, value: codecs.AircraftState.encode(state), timestampMs: state.tickMs },
});
const append = (data: OpenData, from: number, to: number): Promise<number> =>
  data.log.append(
    'aircraft',
    0,
    hour.slice(from, to).flatMap((states) => states.map((state) => recordOf(data, state))),
  );

async function filePlans({ log, codecs }: OpenData): Promise<void> {
  const filer = new PlanFiler(traffic);
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const plans = filer.step((NOW_MS + minute * 60_000) * 1000).filter((_, i) => i % 2 === 0);
    const records = plans.map((plan) => ({ key: plan.callsign, value: codecs.FlightPlan.encode(plan), timestampMs: NOW_MS }));
    if (records.length > 0) await log.append('flightplans', 0, records);
  }
}

/** Output of the stage by key: aircraft of one tick may come in any order. */
async function written({ log, codecs }: OpenData): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const topic of ['flights', 'flightsEnded', 'flightplans'] as const)
    for (const { key, value } of await readAll(log, whole(topic))) {
      const codec = topic === 'flights' ? codecs.Flight : topic === 'flightsEnded' ? codecs.EndedFlight : codecs.FlightPlan;
      found[`${topic} ${key}`] ??= [];
      found[`${topic} ${key}`]!.push(value === null ? null : codec.decode(value));
    }
  return found;
}

async function logWithPlans(): Promise<OpenData> {
  const data = await emptyLog();
  await filePlans(data);
  return data;
}

/** Output of a stage that is never stopped. */
let unstopped: Record<string, unknown[]>;

describe('the flights stage', () => {
  it('writes flights, and counts states that it cannot read', async () => {
    const data = await logWithPlans();
    await append(data, 0, hour.length);
    await data.log.append('aircraft', 0, [{ key: '480fff', value: Buffer.from('no state'), timestampMs: NOW_MS }]);
    const { stats } = await observe(data);
    expect([stats.malformed, stats.states]).toEqual([1, hour.flat().length + 1]);
    unstopped = await written(data);
    const flights = Object.keys(unstopped).filter((key) => key.startsWith('flights '));
    const ended = Object.entries(unstopped).flatMap(([key, values]) => (key.startsWith('flightsEnded ') ? (values as EndedFlight[]) : []));
    expect(flights.length).toBeGreaterThan(10);
    expect(ended.length).toBeGreaterThan(2);
    expect(ended.filter(({ takeoffMs, landingMs }) => takeoffMs !== null && landingMs !== null).length).toBeGreaterThan(0);
  });

  it('loses and duplicates nothing when it is stopped, and when it crashes before or after a commit', { timeout: 120_000 }, async () => {
    const data = await logWithPlans();
    const crashes = { before: 0, after: 0 };
    for (let from = 0; from < hour.length; from += 20) {
      await append(data, from, from + 20);
      for (const how of ['before', 'after'] as const) {
        const dying = withMethod(data.log, 'commit', async (commit) => {
          if (how === 'after') await data.log.commit(commit);
          crashes[how] += 1;
          throw new Error('crash');
        });
        const worker = await start({ ...data, log: dying });
        await expect(
          Promise.race([readAllStates(data, worker).then(() => Promise.reject(new Error('no crash'))), worker.done]),
        ).rejects.toThrow('crash');
        await worker.stop().catch(() => {});
      }
      await observe(data);
    }
    expect(crashes.before).toBeGreaterThan(10);
    expect(crashes.after).toBeGreaterThan(10);
    expect(await written(data)).toEqual(unstopped);
  });

  it('continues where its outputs end, whatever the group offset', async () => {
    const data = await logWithPlans();
    await append(data, 0, 100);
    await observe(data);
    const right = (await data.log.committed(FLIGHTS_GROUP, 'aircraft', 0))!;
    const move = (fromOffset: number, nextOffset: number): Promise<void> =>
      data.log.commit({ group: FLIGHTS_GROUP, topic: 'aircraft', partition: 0, fromOffset, nextOffset, outputs: [] });
    const reported: Reported = { recovered: [], unobserved: [] };
    await move(right, 10);
    await observe(data, reported);
    await move(right, right + 1);
    const { stats } = await observe(data, reported);
    expect(reported.recovered).toEqual([
      { partition: 0, problem: 'behind', committed: 10, offset: right },
      { partition: 0, problem: 'ahead', committed: right + 1, offset: right },
    ]);
    expect(stats.offsetsRecovered).toEqual({ missing: 0, behind: 0, ahead: 1 });
    await append(data, 100, hour.length);
    await observe(data, reported);
    expect(reported.recovered).toHaveLength(2);
    expect(await written(data)).toEqual(unstopped);
  });

  it('reports unobserved time after a stop of more than an hour, and continues from the newest states', async () => {
    const data = await emptyLog();
    await append(data, 0, 30);
    await observe(data);
    const flights = Object.keys(await written(data)).filter((key) => key.startsWith('flights ')).length;
    const hoursMs = (hours: number): number => NOW_MS + hours * 3_600_000;
    const appendAfter = async (hours: number): Promise<void> => {
      const times = { tickMs: hoursMs(hours), seenMs: hoursMs(hours), positionMs: hoursMs(hours) };
      const later = hour[30]!.map((state) => recordOf(data, { ...state, ...times }));
      await data.log.append('aircraft', 0, later);
    };
    const reported: Reported = { recovered: [], unobserved: [] };
    await appendAfter(0.9);
    await observe(data, reported);
    expect(reported.unobserved).toEqual([]);
    await appendAfter(2.5);
    const { stats } = await observe(data, reported);
    expect(reported.unobserved).toEqual([{ partition: 0, fromMs: hoursMs(0.9), toMs: hoursMs(2.5), flights }]);
    expect(stats.unobserved).toBe(flights);
    const newest = Object.entries(await written(data)).flatMap(([key, values]) =>
      key.startsWith('flights ') ? [values.at(-1) as Flight] : [],
    );
    expect(newest.every(({ tickMs }) => tickMs === hoursMs(2.5))).toBe(true);
  });
});
