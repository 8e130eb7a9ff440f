// `/v2/signal`: present signal levels of the aircraft; public.
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { CACHE_STATISTICS, sendMade } from '../response.ts';
import { noQuery } from '../schemas/envelope.ts';

const level = (description: string) => ({
  type: 'number',
  description: `${description}, dBFS, 1 decimal; absent while no aircraft has a level`,
});

const schema = {
  summary: 'Signal levels of the listed aircraft',
  description:
    'Mean, median, 10th and 90th percentile over all aircraft with a signal level. Percentiles are interpolated between ranks. Needs no key.',
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['now', 'aircraft_count'],
      properties: {
        now: { type: 'number', description: 'time of the snapshot, Unix seconds' },
        avg: level('mean'),
        median: level('median'),
        p10: level('10th percentile'),
        p90: level('90th percentile'),
        aircraft_count: { type: 'integer', description: 'aircraft with a known level' },
      },
    },
  },
};

export function signalRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/signal', { schema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const make = (): string => {
      const { avg, median, p10, p90, aircraftCount } = snapshot.signal;
      const levels = avg === null ? {} : { avg, median, p10, p90 };
      const members = JSON.stringify({ ...levels, aircraft_count: aircraftCount });
      return `{"now":${seconds(snapshot.times.nowMs)},${members.slice(1)}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make, cacheControl: CACHE_STATISTICS });
  });
}
