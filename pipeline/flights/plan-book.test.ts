// The book of flight plans: replacing, dropping, limits; and the topic behind it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { limits } from '../../schemas/limits/index.ts';
import { NOW_MS } from '../../test/support/full-state.ts';
import { openData } from '../log/open-data.ts';
import { PlanBook } from './plan-book.ts';
import { followPlans } from './plan-follower.ts';

const HOUR_MS = 3_600_000;
const plan = (change: Partial<FlightPlan> = {}): FlightPlan => ({
  ...{ callsign: 'KLM1', originIcao: 'EHAM', destinationIcao: 'EGLL', source: 'plan' },
  ...{ validFromMs: NOW_MS, validToMs: NOW_MS + HOUR_MS },
  ...change,
});

test('plans for other times are kept side by side; one for the same time is replaced', () => {
  const book = new PlanBook();
  book.put(plan());
  book.put(plan({ validFromMs: NOW_MS + HOUR_MS }));
  book.put(plan({ destinationIcao: 'LFPG' }));
  expect(book.of('KLM1').map(({ destinationIcao }) => destinationIcao)).toEqual(['EGLL', 'LFPG']);
  expect([book.size, book.of('KLM2')]).toEqual([2, []]);
});

test('the newest observation counts', () => {
  const book = new PlanBook();
  book.put(plan());
  book.put(plan({ source: 'observed', destinationIcao: '' }));
  book.put(plan({ source: 'observed', destinationIcao: 'LOWW', validFromMs: NOW_MS + 1 }));
  expect(book.of('KLM1').map(({ source, destinationIcao }) => [source, destinationIcao])).toEqual([
    ['plan', 'EGLL'],
    ['observed', 'LOWW'],
  ]);
});

test('a call sign keeps a limited number of plans, the newest', () => {
  const book = new PlanBook();
  for (let i = 0; i < 20; i += 1) book.put(plan({ validFromMs: NOW_MS + i }));
  expect(book.of('KLM1').map(({ validFromMs }) => validFromMs - NOW_MS)).toEqual(
    Array.from({ length: limits.flightPlansPerCallsignMax }, (_, i) => 20 - limits.flightPlansPerCallsignMax + i),
  );
  expect(book.size).toBe(limits.flightPlansPerCallsignMax);
});

test('plans written to the log are read back, tombstones remove, and invalid bytes are counted', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'squitter-plans-'));
  const { log, codecs } = await openData(dataDir, 'write');
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
  while (book.of('KLM5').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await done;
  book.remove('KLM5');
  expect(book.of('KLM1')).toEqual([plan(), plan({ originIcao: '', source: 'observed' })]);
  expect([book.size, book.of('KLM2')]).toEqual([2, []]);
  await log.close();
  rmSync(dataDir, { recursive: true });
});
