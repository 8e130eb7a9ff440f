// The book of flight plans: replacing, dropping, limits; and the topic behind it.
import { expect, test } from 'vitest';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { limits } from '../../schemas/limits/index.ts';
import { emptyLog } from '../../test/support/folded-log.ts';
import { NOW_MS } from '../../test/support/full-state.ts';
import { PlanBook } from './plan-book.ts';
import { followPlans } from './plan-follower.ts';

const HOUR_MS = 3_600_000;
const plan = (change: Partial<FlightPlan> = {}): FlightPlan => ({
  ...{ callsign: 'KLM1', originIcao: 'EHAM', destinationIcao: 'EGLL', source: 'plan' },
  ...{ validFromMs: NOW_MS, validToMs: NOW_MS + HOUR_MS },
  ...change,
});

test('keeps plans for other times side by side, those of a call sign up to a limit; one for the same time is replaced; the newest observation counts', () => {
  const book = new PlanBook();
  const shown = () => book.plansOf('KLM1').map(({ source, destinationIcao }) => [source, destinationIcao]);
  book.put(plan());
  book.put(plan({ validFromMs: NOW_MS + HOUR_MS }));
  book.put(plan({ destinationIcao: 'LFPG' }));
  expect([shown(), book.size, book.plansOf('KLM2')]).toEqual([[['plan', 'EGLL'], ['plan', 'LFPG']], 2, []]); // biome-ignore format: short
  book.put(plan({ source: 'observed', destinationIcao: '' }));
  book.put(plan({ source: 'observed', destinationIcao: 'LOWW', validFromMs: NOW_MS + 1 }));
  expect(shown().slice(2)).toEqual([['observed', 'LOWW']]);
  for (let i = 0; i < 20; i += 1) book.put(plan({ validFromMs: NOW_MS + 2 * HOUR_MS + i }));
  expect(book.size).toBe(limits.flightPlansPerCallsignMax);
  expect(book.plansOf('KLM1').at(-1)).toMatchObject({ validFromMs: NOW_MS + 2 * HOUR_MS + 19 });
});

test('plans written to the log are read back, tombstones remove, and invalid bytes are counted', async () => {
  const { log, codecs } = await emptyLog();
  const stats = { malformed: 0 };
  const plans = [plan(), plan({ callsign: 'KLM2' }), plan({ originIcao: '', source: 'observed' })];
  const record = (value: FlightPlan) => ({ key: value.callsign, value: codecs.FlightPlan.encode(value), timestampMs: NOW_MS });
  await log.append('flightplans', 0, plans.map(record));
  await log.append('flightplans', 0, [
    { key: 'KLM2', value: null, timestampMs: NOW_MS },
    { key: 'KLM4', value: Buffer.from('no plan'), timestampMs: NOW_MS },
  ]);
  const book = new PlanBook();
  const stop = new AbortController();
  const { loaded, done } = followPlans(log, codecs, book, { stats, signal: stop.signal });
  await loaded;
  expect(stats.malformed).toBe(1);
  await log.append('flightplans', 0, [record(plan({ callsign: 'KLM5' }))]);
  while (book.plansOf('KLM5').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await done;
  book.remove('KLM5');
  expect(book.plansOf('KLM1')).toEqual([plan(), plan({ originIcao: '', source: 'observed' })]);
  expect([book.size, book.plansOf('KLM2')]).toEqual([2, []]);
});
