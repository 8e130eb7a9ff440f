// `/globe_history/…/heatmap/NN.bin.ttf`: half hours of the past, which web maps of readsb replay.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { type DayText, dayStart } from '../../queries/history/days.ts';
import { HALF_HOUR_MS } from '../../queries/history/heat-map.ts';
import { HeatMapFiles } from '../../queries/history/heat-map-files.ts';
import type { ApiContext } from '../context.ts';
import { mayBeUnknown } from '../schemas/build.ts';
import { historyErrors } from '../schemas/history.ts';
import { dayParams, halfHourParam } from '../schemas/trace.ts';
import { sendGzipped } from '../send-history.ts';

const unpack = promisify(gunzip);

const schema = {
  summary: 'All aircraft of half an hour, in the binary format of readsb',
  description:
    'The first position of each aircraft in each slice of 30 s, with call signs and squawks, from the history store. Query parameters are ignored, because maps add cache breakers. 404 without positions in that half hour.',
  params: { type: 'object', properties: { ...dayParams, number: halfHourParam }, required: ['year', 'month', 'day', 'number'] },
  response: {
    200: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
    ...mayBeUnknown,
    ...historyErrors,
  },
};

export function heatMapRoute(app: FastifyInstance, context: ApiContext): void {
  const files = new HeatMapFiles(context.history, context.clock);
  app.get<{ Params: DayText & { readonly number: string } }>(
    '/globe_history/:year/:month/:day/heatmap/:number.bin.ttf',
    { schema },
    async (request, reply) => {
      const { number } = request.params;
      const dayMs = dayStart(request.params);
      const { gzipped, isSettled } = await files.file(dayMs + Number(number) * HALF_HOUR_MS);
      return sendGzipped(context, request, reply, gzipped, { unpack, isSettled });
    },
  );
}
