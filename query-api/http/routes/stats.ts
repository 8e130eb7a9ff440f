// `/v2/stats`: numbers of aircraft and messages; public.
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import type { ApiContext } from '../context.ts';
import { CACHE_STATISTICS, sendMade } from '../response.ts';
import { noQuery } from '../schemas/envelope.ts';

const schema = {
  summary: 'Lightweight network statistics',
  description: 'The number of aircraft and messages. Needs no key and is cheap enough for one request per second.',
  querystring: noQuery,
  response: {
    200: {
      type: 'object',
      required: ['now', 'aircraft_count', 'messages'],
      properties: {
        now: { type: 'number', description: 'time of the snapshot, Unix seconds' },
        aircraft_count: { type: 'integer', description: 'aircraft listed' },
        messages: {
          type: 'integer',
          format: 'int64',
          description: 'messages that changed a state since the log began, without duplicates from other receivers',
        },
        simulated: { type: 'boolean', description: 'present and true while the traffic is simulated' },
      },
    },
  },
};

export function statsRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/v2/stats', { schema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const { simulated } = context.info();
    const make = (): string => {
      const { total, messages } = snapshot.totals;
      const more = simulated ? ',"simulated":true' : '';
      return `{"now":${seconds(snapshot.times.nowMs)},"aircraft_count":${total},"messages":${messages}${more}}\n`;
    };
    return sendMade(context, request, reply, { snapshot, make, cacheControl: CACHE_STATISTICS, variant: simulated ? '-simulated' : '' });
  });
}
