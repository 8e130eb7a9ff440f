// An API over some thousand aircraft that together have every possible content: rare members, unusual texts, limits of ranges.
import fc from 'fast-check';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import { TrackMemory } from '../../pipeline/tracks/track-memory.ts';
import { readExamples } from '../../query-api/http/contract/examples.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { aircraftStates } from '../support/aircraft-states.ts';
import { createFlightApi, flightState, planOf } from '../support/flights.ts';
import { CLIMB_ADVISORY, fullState, NOW_MS } from '../support/full-state.ts';
import type { TestApi } from '../support/live-view.ts';
import { positionOf } from '../support/positions.ts';
import { publishDay } from '../support/published-day.ts';
import { temporaryFolder } from '../support/service.ts';

const ORDINARY = 600;
const ODD = 1400;

/** Columns of arbitrary 32-bit integers, and the limits of the fold. */
const ranges: readonly [name: keyof AircraftState, min: number, max: number][] = [
  ['trackCentideg', 0, 35_999],
  ['calcTrackDeg', 0, 359],
  ['magHeadingCentideg', 0, 35_999],
  ['trueHeadingCentideg', 0, 35_999],
  ['navHeadingCentideg', 0, 35_999],
  ['trackRateCentidegPerS', -1000, 1000],
  ['rollCentideg', -4000, 4000],
  ['groundSpeedDeciKt', 0, 40_000],
  ['iasKt', 0, 1023],
  ['tasKt', 0, 2046],
  ['machMilli', 0, 4092],
  ['windDirectionDeg', 0, 359],
  ['windSpeedKt', 0, 250],
  ['rssiDeciDbfs', -495, 0],
];

const odd = fc.tuple(aircraftStates, ...ranges.map(([, min, max]) => fc.integer({ min, max }))).map(([state, ...values]) => ({
  ...state,
  ...Object.fromEntries(ranges.map(([name], i) => [name, state[name] === null ? null : values[i]])),
}));

const facts: fc.Arbitrary<AircraftFacts | null> = fc.option(
  fc.record(
    {
      registration: fc.stringMatching(/^[A-Z]{1,2}-?[A-Z0-9]{2,5}$/),
      typeDesignator: fc.constantFrom('B738', 'A320', 'C172', 'EC35', 'ZZZZ'),
      description: fc.constantFrom('BOEING 737-800', 'Škoda "Ž" \\ 飞机 ✈', ''),
      operator: fc.string({ unit: 'binary', maxLength: 40 }),
      year: fc.constantFrom('1978', '2024'),
      dbFlags: fc.integer({ min: 0, max: 15 }),
    },
    { requiredKeys: ['dbFlags'] },
  ),
  { nil: null, freq: 4 },
);

/** Plans for the call signs of the ordinary aircraft, most of them implausible, some with an unknown airport. */
const airport = fc.constantFrom('EHAM', 'LOWW', 'EGLL', 'EDDF', 'ZZZZ');
const plans: fc.Arbitrary<FlightPlan> = fc
  .tuple(fc.integer({ min: 0, max: ORDINARY * 3 }), airport, airport)
  .map(([number, originIcao, destinationIcao]) => planOf(`DLH${number}`, originIcao, destinationIcao));

/** The same aircraft for the same seed. `past`: what requests to the history and the past read. */
export async function createWildApi(seed: number, past: Pick<ReadModel, 'history' | 'past'>): Promise<TestApi> {
  const known = fc.sample(facts, { numRuns: 997, seed });
  const tracks = new TrackMemory();
  // The aircraft of the contract's example of a trace.
  const { hex } = readExamples()['/globe_history/{year}/{month}/{day}/traces/{last}/trace_full_{hex}.json']!.path;
  tracks.add(hexKey(String(hex)), positionOf({ timeMs: NOW_MS - 10_000 }));
  const published = temporaryFolder();
  publishDay(published.path, '2026-01-31', Buffer.from('a file'));
  const api = await createFlightApi((key) => known[key % known.length]!, { ...past, tracks, catalog: new Catalog(published.path) });
  const close = api.app.close.bind(api.app);
  api.app.close = (async () => close().finally(() => published.remove())) as typeof api.app.close;
  for (const plan of fc.sample(plans, { numRuns: ORDINARY, seed })) api.book.put(plan);
  // The flights in the contract's examples, and routes that are accepted or refused.
  for (const callsign of ['KLM1023', 'KLM1024', 'DLH0', 'DLH3']) api.book.put(planOf(callsign, 'EHAM', 'EGLL'));
  const plausible = [
    flightState(1, 'KLM1023', [52, 2]),
    flightState(2, 'KLM1024', [52.31, 4.77], { onGround: true, altitudeBaroFt: null }),
  ];
  const ordinary = Array.from({ length: ORDINARY }, (_, i) => ({ ...fullState(i), acasRa: i % 50 === 0 ? CLIMB_ADVISORY : null }));
  api.tick([...ordinary, ...(fc.sample(odd, { numRuns: ODD, seed }) as AircraftState[]), ...plausible]);
  api.maps.note(api.view.current()!);
  await api.maps.history.settled();
  return api;
}
