// `/v2/stats`, `/v2/stats/live`, `/v2/area/countries`, `/v2/signal` and `/v2/signal/history`: the network in numbers.
import type { SignalStatistics } from '../../../pipeline/view/signal.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { nativeTypes } from '../../../schemas/native-members.ts';
import { networkRows, stepsOf } from '../../queries/history/network-history.ts';
import { spanOf } from '../../queries/history/span.ts';
import { countryRows, networkStatistics } from '../../queries/network.ts';
import type { ApiContext } from '../context.ts';
import { membersText, metaBody } from '../responses/meta.ts';
import type { MadeText } from '../responses/response.ts';
import { amount, described, flag, integer, listOf, long, number, object, part, text } from '../schemas/build.ts';
import { metaProperties, unixSeconds } from '../schemas/envelope.ts';
import { metaOf, operatorCounts, typeCounts } from '../schemas/flight.ts';
import type { SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';
import { type NetworkQuery, networkQuery, networkSpan } from './stretches.ts';

const MESSAGES = 'messages that changed a state since the log began, without duplicates from other receivers';
const now = number('time of the snapshot, Unix seconds');

const codeCounts = (what: string, code: string) =>
  listOf(
    object({ code: text(code), name: text('name in words'), count: amount('number') }, ['code', 'count']),
    `${what}; the greatest count first, equal ones by code`,
  );
const totals = {
  aircraft_total: amount('aircraft listed'),
  with_position: amount('aircraft with a valid position'),
  airborne: amount('aircraft in the air'),
  ground: amount('aircraft on the ground'),
  messages: { ...amount(MESSAGES), format: 'int64' },
};
const sources = part('aircraft by kind of source', Object.fromEntries(nativeTypes.map((name) => [name, amount('number of aircraft')])));

const level = (description: string) => number(`${description}, dBFS, 1 decimal; absent while no aircraft has a level`);
const levels = {
  avg: level('mean'),
  median: level('median'),
  p10: level('10th percentile'),
  p90: level('90th percentile'),
  aircraft_count: integer('aircraft with a known level'),
};

const MS_PER_S = 1000;
const intervalS = limits.signalIntervalMs / MS_PER_S;
const windowS = limits.signalHistoryMs / MS_PER_S;

export const statisticsRoutes: readonly SnapshotRow[] = [
  {
    path: '/v2/stats',
    cost: 'light',
    summary: 'Lightweight network statistics',
    description: 'The number of aircraft and messages. Needs no key and is cheap enough for one request per second.',
    query: {},
    response: object(
      {
        ...{ now, aircraft_count: integer('aircraft listed'), messages: long(MESSAGES) },
        simulated: flag('present and true while the traffic is simulated'),
      },
      ['now', 'aircraft_count', 'messages'],
    ),
    respond: ({ context, snapshot }) => {
      const { simulated } = context.info();
      const make = (): string => {
        const { total, messages } = snapshot.totals;
        const more = simulated ? ',"simulated":true' : '';
        return `{"now":${seconds(snapshot.times.nowMs)},"aircraft_count":${total},"messages":${messages}${more}}\n`;
      };
      return { make, kind: 'statistics', variant: simulated ? '-simulated' : '' };
    },
  },
  {
    path: '/v2/stats/live',
    summary: 'Live network totals and the most frequent types, operators, airports and countries',
    description: 'Totals of the newest snapshot, and the ten most frequent types, operators, airports and countries.',
    query: {},
    response: object(
      {
        now: unixSeconds('time of the snapshot'),
        ctime: unixSeconds('time at which these bytes were made'),
        ...totals,
        messages_per_second: {
          ...{ type: 'number', minimum: 0, description: 'messages per second over the last 10 s; absent in the first second' },
        },
        sources,
        types: typeCounts('up to ten types'),
        operators: operatorCounts('up to ten operators'),
        airports: codeCounts('up to ten airports by arrivals and departures', 'ICAO, else IATA, else local code'),
        countries: codeCounts('up to ten countries of registration', 'ISO 3166-1 alpha-2'),
      },
      ['now', 'ctime', ...Object.keys(totals), 'sources', 'types', 'operators', 'airports', 'countries'],
    ),
    respond: ({ context, snapshot }) => {
      const index = context.flights.index(snapshot);
      const { nowMs, ctimeMs } = snapshot.times;
      const body = (): string => `{"now":${seconds(nowMs)},"ctime":${seconds(ctimeMs)}${membersText(networkStatistics(context, index))}}\n`;
      return { make: () => index.once('stats', body) };
    },
  },
  {
    path: '/v2/area/countries',
    summary: 'Live aircraft by country of registration',
    description: 'The country is that of the block of addresses. By number of aircraft, descending, then by code.',
    query: {},
    response: metaOf({
      countries: listOf(
        object({
          country: text('ISO 3166-1 alpha-2'),
          name: text('name in words'),
          ...{ aircraft_count: totals.aircraft_total, airborne: totals.airborne, ground: totals.ground },
        }),
        'countries',
      ),
      unknown: amount('aircraft without a country: unassigned and non-ICAO addresses'),
    }),
    respond: ({ context, snapshot }) => {
      const index = context.flights.index(snapshot);
      const body = (): string => {
        const { rows: countries, unknown } = countryRows(context, index);
        return metaBody(snapshot, countries.length, { countries, unknown });
      };
      return { make: () => index.once('countries body', body) };
    },
  },
  {
    path: '/v2/signal',
    cost: 'light',
    summary: 'Signal levels of the listed aircraft',
    description:
      'Mean, median, 10th and 90th percentile over all aircraft with a signal level. Percentiles are interpolated between ranks. Needs no key.',
    query: {},
    response: object({ now, ...levels }, ['now', 'aircraft_count']),
    respond: ({ snapshot }) => ({
      make: () => `{"now":${seconds(snapshot.times.nowMs)}${membersText(levelMembers(snapshot.signal))}}\n`,
      kind: 'statistics',
    }),
  },
  {
    path: '/v2/signal/history',
    summary: 'Signal levels over time',
    description: `Without parameters the last five minutes: a sample per ${intervalS} s, the oldest first, ${windowS / intervalS} of them. With any of them means of steps, from the history store. A time without data has none. Samples of the last five minutes are final: they do not change afterwards.`,
    query: networkQuery,
    response: object({
      interval: integer('time between samples, s'),
      window: integer('time that the samples cover, s'),
      total: metaProperties.total,
      history: described(
        'the samples, the oldest first',
        object({ t: long('start of the interval, Unix s'), ...levels }, ['t', 'aircraft_count']),
      ),
    }),
    respond: ({ context, snapshot, query }: SnapshotRequest<unknown, NetworkQuery>) => {
      if (Object.keys(query).length > 0) return signalSteps(context, query, snapshot.times.nowMs);
      const samples = context.signals.samples(snapshot.times.nowMs);
      const make = (): string => {
        const history = samples.map(({ timeMs, ...each }) => ({ t: timeMs / MS_PER_S, ...levelMembers(each) }));
        return `${JSON.stringify({ interval: intervalS, window: windowS, total: history.length, history })}\n`;
      };
      // Samples from before the start are added to those of the same snapshot.
      return { make, variant: `-${samples.length}` };
    },
  },
];

/** Means of steps. Errors: those of the span, of its steps and of the store. */
async function signalSteps({ history }: ApiContext, query: NetworkQuery, nowMs: number): Promise<MadeText> {
  const steps = stepsOf(spanOf(query, nowMs, networkSpan), query.step);
  const rows = await history.query((client, signal) => networkRows(client, signal, steps));
  const samples = rows.map(({ t, avg, median, p10, p90, aircraft_count: aircraftCount }) => ({
    ...{ t, ...levelMembers({ avg, median, p10, p90, aircraftCount }) },
  }));
  const window = (steps.toMs - steps.fromMs) / MS_PER_S;
  return { make: () => `${JSON.stringify({ interval: steps.stepS, window, total: samples.length, history: samples })}\n` };
}

function levelMembers({ avg, median, p10, p90, aircraftCount }: SignalStatistics): Record<string, unknown> {
  return { ...(avg === null ? {} : { avg, median, p10, p90 }), aircraft_count: aircraftCount };
}
