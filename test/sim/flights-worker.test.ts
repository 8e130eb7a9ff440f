// The flights stage on a real log: each flight is written once, despite stops, crashes and wrong group offsets; unobserved time is reported.
import { describe, expect, it } from 'vitest';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import type { OffsetRecovery, UnobservedStretch } from '../../pipeline/flights/restore.ts';
import { FLIGHTS_GROUP, type FlightsWorker, startFlightsWorker } from '../../pipeline/flights/worker.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { OpenData } from '../../pipeline/log/open-data.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { PlanFiler } from '../../pipeline/simulate/flight-plans.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { emptyLog, readToEnd, withMethod } from '../support/folded-log.ts';
import { NOW_MS } from '../support/full-state.ts';
import { handReference } from '../support/hand-reference.ts';
import { stateOf } from '../support/simulated-states.ts';

const STEP_MS = 10_000;
const AIRCRAFT = 24;
const MINUTES = 60;
const reference = handReference();

interface Reported {
  readonly recovered: OffsetRecovery[];
  readonly unobserved: UnobservedStretch[];
}

function start(
  { log, codecs }: { readonly log: EventLog; readonly codecs: OpenData['codecs'] },
  reported?: Reported,
): Promise<FlightsWorker> {
  const airports = new FlightAirports(reference);
  return startFlightsWorker({
    ...{ log, codecs, reference, airports },
    onRecovered: (recovery) => reported?.recovered.push(recovery),
    onUnobserved: (stretch) => reported?.unobserved.push(stretch),
  });
}

const readAll = ({ log }: OpenData, worker: FlightsWorker): Promise<void> => readToEnd(log, 'aircraft', worker);

async function observe(data: OpenData, reported?: Reported): Promise<FlightsWorker> {
  const worker = await start(data, reported);
  await readAll(data, worker);
  await worker.stop();
  return worker;
}

/** An hour of simulated flights as records of the aircraft topic, one list per tick; some aircraft are not heard near the ground. */
function ticks({ codecs }: OpenData): OutgoingRecord[][] {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: NOW_MS * 1000 });
  const found: OutgoingRecord[][] = [];
  for (let timeMs = NOW_MS; timeMs < NOW_MS + MINUTES * 60_000; timeMs += STEP_MS) {
    const records: OutgoingRecord[] = [];
    for (let i = 0; i < AIRCRAFT; i += 1) {
      const truth = traffic.truth(i, timeMs * 1000);
      if (i % 3 === 0 && (truth.onGround || truth.altitudeFt < 500)) continue;
      const state: AircraftState = stateOf(i, truth, timeMs);
      records.push({ key: state.hex, value: codecs.AircraftState.encode(state), timestampMs: timeMs });
    }
    found.push(records);
  }
  return found;
}

async function filePlans({ log, codecs }: OpenData): Promise<void> {
  const filer = new PlanFiler(createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: NOW_MS * 1000 }));
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const plans = filer.step((NOW_MS + minute * 60_000) * 1000).filter((_, i) => i % 2 === 0);
    const records = plans.map((plan) => ({ key: plan.callsign, value: codecs.FlightPlan.encode(plan), timestampMs: NOW_MS }));
    if (records.length > 0) await log.append('flightplans', 0, records);
  }
}

/** Output of the stage by key: aircraft of one tick may come in any order. */
async function written({ log, codecs }: OpenData): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const topic of ['flights', 'flightsEnded', 'flightplans'] as const satisfies readonly TopicId[])
    for await (const { records } of log.read({ topic, partition: 0, from: 'earliest', to: 'end' }))
      for (const { key, value } of records) {
        const codec = topic === 'flights' ? codecs.Flight : topic === 'flightsEnded' ? codecs.EndedFlight : codecs.FlightPlan;
        const name = `${topic} ${key}`;
        found[name] ??= [];
        found[name].push(value === null ? null : codec.decode(value));
      }
  return found;
}

/** Output of a stage that is never stopped. */
let whole: Promise<Record<string, unknown[]>> | null = null;
function unstopped(): Promise<Record<string, unknown[]>> {
  whole ??= inPieces(1000);
  return whole;
}

/** The hour in pieces of this many ticks; a worker starts and stops for each. */
async function inPieces(size: number): Promise<Record<string, unknown[]>> {
  const data = await emptyLog();
  await filePlans(data);
  const all = ticks(data);
  for (let from = 0; from < all.length; from += size) {
    await data.log.append('aircraft', 0, all.slice(from, from + size).flat());
    await observe(data);
  }
  return written(data);
}

describe('the flights stage', () => {
  it('writes the same however often it is stopped', { timeout: 120_000 }, async () => {
    const all = await unstopped();
    const flights = Object.keys(all).filter((key) => key.startsWith('flights '));
    const ended = Object.entries(all).flatMap(([key, values]) => (key.startsWith('flightsEnded ') ? (values as EndedFlight[]) : []));
    expect(flights.length).toBeGreaterThan(10);
    expect(ended.length).toBeGreaterThan(2);
    expect(ended.filter(({ takeoffMs, landingMs }) => takeoffMs !== null && landingMs !== null).length).toBeGreaterThan(0);
    expect(await inPieces(9)).toEqual(all);
  });

  it('loses and duplicates nothing when it crashes before or after a commit', { timeout: 120_000 }, async () => {
    const data = await emptyLog();
    await filePlans(data);
    const all = ticks(data);
    const crashes = { before: 0, after: 0 };
    for (let from = 0; from < all.length; from += 20) {
      await data.log.append('aircraft', 0, all.slice(from, from + 20).flat());
      for (const how of ['before', 'after'] as const) {
        const dying = withMethod(data.log, 'commit', async (commit) => {
          if (how === 'after') await data.log.commit(commit);
          crashes[how] += 1;
          throw new Error('crash');
        });
        const worker = await start({ ...data, log: dying });
        await expect(Promise.race([readAll(data, worker).then(() => Promise.reject(new Error('crash'))), worker.done])).rejects.toThrow(
          'crash',
        );
        await worker.stop().catch(() => {});
      }
      await observe(data);
    }
    expect(crashes.before).toBeGreaterThan(10);
    expect(crashes.after).toBeGreaterThan(10);
    expect(await written(data)).toEqual(await unstopped());
  });

  it('continues where its outputs end, whatever the group offset', async () => {
    const data = await emptyLog();
    await filePlans(data);
    const all = ticks(data);
    await data.log.append('aircraft', 0, all.slice(0, 100).flat());
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
    await data.log.append('aircraft', 0, all.slice(100).flat());
    await observe(data, reported);
    expect(reported.recovered).toHaveLength(2);
    expect(await written(data)).toEqual(await unstopped());
  });

  it('reports unobserved time after a stop of more than an hour, and continues from the newest states', async () => {
    const data = await emptyLog();
    const all = ticks(data);
    await data.log.append('aircraft', 0, all.slice(0, 30).flat());
    await observe(data);
    const flights = Object.keys(await written(data)).filter((key) => key.startsWith('flights ')).length;
    const later = (hours: number): OutgoingRecord[] =>
      all[30]!.map(({ key, value }) => {
        const timeMs = NOW_MS + hours * 3_600_000;
        const state = { ...data.codecs.AircraftState.decode(value!), tickMs: timeMs, seenMs: timeMs, positionMs: timeMs };
        return { key, value: data.codecs.AircraftState.encode(state), timestampMs: timeMs };
      });
    const reported: Reported = { recovered: [], unobserved: [] };
    await data.log.append('aircraft', 0, later(0.9));
    await observe(data, reported);
    expect(reported.unobserved).toEqual([]);
    await data.log.append('aircraft', 0, later(2.5));
    const { stats } = await observe(data, reported);
    expect(reported.unobserved).toEqual([{ partition: 0, fromMs: NOW_MS + 0.9 * 3_600_000, toMs: NOW_MS + 2.5 * 3_600_000, flights }]);
    expect(stats.unobserved).toBe(flights);
    const newest = Object.entries(await written(data))
      .filter(([key]) => key.startsWith('flights '))
      .map(([, values]) => values.at(-1) as Flight);
    expect(newest.every(({ tickMs }) => tickMs === NOW_MS + 2.5 * 3_600_000)).toBe(true);
  });

  it('counts unreadable states and continues', async () => {
    const data = await emptyLog();
    const [first, second] = ticks(data);
    await data.log.append('aircraft', 0, [...first!, { key: '480fff', value: Buffer.from('no state'), timestampMs: NOW_MS }, ...second!]);
    const { stats } = await observe(data);
    expect(stats.malformed).toBe(1);
    expect(stats.states).toBe(first!.length + second!.length + 1);
  });
});
