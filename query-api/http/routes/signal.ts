// `/v2/signal` and `/v2/signal/history`: signal levels of the aircraft, at present and in the last five minutes.
import type { FastifyInstance } from 'fastify';
import type { SignalStatistics } from '../../../pipeline/view/signal.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { CACHE_STATISTICS, sendMade } from '../response.ts';
import { metaProperties, noQuery } from '../schemas/envelope.ts';

const level = (description: string) => ({
  type: 'number',
  description: `${description}, dBFS, 1 decimal; absent while no aircraft has a level`,
});

const levelProperties = {
  avg: level('mean'),
  median: level('median'),
  p10: level('10th percentile'),
  p90: level('90th percentile'),
  aircraft_count: { type: 'integer', description: 'aircraft with a known level' },
};

const schema = {
  summary: 'Signal levels of the listed aircraft',
  description:
    'Mean, median, 10th and 90th percentile over all aircraft with a signal level. Percentiles are interpolated between ranks. Needs no key.',
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['now', 'aircraft_count'],
      properties: { now: { type: 'number', description: 'time of the snapshot, Unix seconds' }, ...levelProperties },
    },
  },
};

const MS_PER_S = 1000;
const intervalS = trackLimits.signalIntervalMs / MS_PER_S;
const windowS = trackLimits.signalHistoryMs / MS_PER_S;

const historySchema = {
  summary: 'Signal levels of the last five minutes',
  description: `A sample per ${intervalS} s, the oldest first: ${windowS / intervalS} of them. A time without data has none. Samples are final: they do not change afterwards.`,
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['interval', 'window', 'total', 'history'],
      properties: {
        interval: { type: 'integer', description: 'time between samples, s' },
        window: { type: 'integer', description: 'time that the samples cover, s' },
        total: metaProperties.total,
        history: {
          type: 'array',
          description: 'the samples, the oldest first',
          items: {
            type: 'object',
            required: ['t', 'aircraft_count'],
            properties: { t: { type: 'integer', format: 'int64', description: 'start of the interval, Unix s' }, ...levelProperties },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
};

export function signalRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/signal', { schema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const make = (): string => {
      const members = JSON.stringify(levelMembers(snapshot.signal));
      return `{"now":${seconds(snapshot.times.nowMs)},${members.slice(1)}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make, cacheControl: CACHE_STATISTICS });
  });
  app.get('/v2/signal/history', { schema: historySchema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const samples = context.signals.samples(snapshot.times.nowMs);
    const make = (): string => {
      const history = samples.map(({ timeMs, ...levels }) => ({ t: timeMs / MS_PER_S, ...levelMembers(levels) }));
      return `${JSON.stringify({ interval: intervalS, window: windowS, total: history.length, history })}\n`;
    };
    // Samples from before the start are added to those of the same snapshot.
    return sendMade(context, request, reply, { snapshot, make, variant: `-${samples.length}` });
  });
}

function levelMembers({ avg, median, p10, p90, aircraftCount }: SignalStatistics): Record<string, unknown> {
  return { ...(avg === null ? {} : { avg, median, p10, p90 }), aircraft_count: aircraftCount };
}
