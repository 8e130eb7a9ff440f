// Trace files of readsb, from which web maps draw tracks: the last day of an aircraft, its newest part, and days of the past.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AircraftFacts } from '../../../pipeline/view/facts.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { cut } from '../../queries/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { dayStart, isSettled } from '../../queries/history/days.ts';
import { traceFile } from '../../queries/history/trace-file.ts';
import { dayTrace, fullTrace, newestTrace } from '../../queries/history/traces.ts';
import { parseHex } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { pathOf } from '../error-responses.ts';
import { sendMade } from '../response.ts';
import { mayBeUnknown } from '../schemas/build.ts';
import { historyErrors } from '../schemas/history.ts';
import { dayParams, type LastAndHex, traceParams, traceSchema } from '../schemas/trace.ts';
import { CACHE_ENDED, sendHistory } from '../send-history.ts';

const DAY_MS = 86_400_000;
const PATH_CHARACTERS = 80;

const fullSchema = {
  summary: 'Trace of an aircraft, in the format of readsb',
  description:
    'Points of the last 25 hours, as web maps draw them; older ones than the memory of this process come from the history store. Query parameters are ignored, because maps add cache breakers.',
  params: { type: 'object', ...traceParams },
  response: { 200: traceSchema, ...mayBeUnknown },
};
const recentSchema = {
  ...fullSchema,
  summary: 'The newest part of a trace',
  description: 'The newest 100 points, which maps add to the whole trace. It is there whenever the whole one is.',
};
const pastSchema = {
  summary: 'Trace of an aircraft on a day of the past, in the format of readsb',
  description: 'Points of a day in UTC, from the history store. 404 without positions on that day.',
  params: { type: 'object', properties: { ...dayParams, ...traceParams.properties }, required: ['year', 'month', 'day', 'last', 'hex'] },
  response: { 200: traceSchema, ...mayBeUnknown, ...historyErrors },
};

interface Past {
  readonly Params: LastAndHex & { readonly year: string; readonly month: string; readonly day: string };
}

export function traceRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const [name, schema, read] of [
    ['recent', recentSchema, newestTrace],
    ['full', fullSchema, fullTrace],
  ] as const)
    app.get<{ Params: LastAndHex }>(`/data/traces/:last/trace_${name}_:hex.json`, { schema }, async (request, reply) => {
      const key = keyOf(request);
      const snapshot = freshSnapshot(context);
      // A later tick may take the snapshot's memory while the store responds.
      const { nowMs } = snapshot.times;
      const number = snapshot.numberOf(key);
      const { facts, flights } = snapshot.listing;
      const known = number < 0 ? context.reference.facts(key) : facts[number]!;
      const callSign = number < 0 ? null : flights[number]!;
      const version = context.tracks.version(key);
      const trace = await read(context, key, nowMs, callSign);
      return sendMade(context, request, reply, {
        snapshot,
        make: () => traceFile(key, known, trace),
        variant: `-${version}${trace.isIncomplete ? '-incomplete' : ''}`,
      });
    });
  app.get<Past>(
    '/globe_history/:year/:month/:day/traces/:last/trace_full_:hex.json',
    { schema: pastSchema },
    async (request, reply): Promise<FastifyReply> => {
      const key = keyOf(request);
      const fromMs = dayStart(request.params);
      const trace = await dayTrace(context, key, fromMs);
      const known: AircraftFacts | null = context.reference.facts(key);
      const isEnded = isSettled(fromMs + DAY_MS, context.clock());
      return sendHistory(context, request, reply, traceFile(key, known, trace), isEnded ? CACHE_ENDED : undefined);
    },
  );
}

/** Errors: `api.bad_value`; `api.not_found` in the folder of other addresses. */
function keyOf({ params, url }: FastifyRequest<{ Params: LastAndHex }>): number {
  const key = parseHex(params.hex);
  if (params.last.toLowerCase() !== (key & 0xff).toString(16).padStart(2, '0'))
    throw new SquitterError('api.not_found', { path: cut(pathOf(url), PATH_CHARACTERS) });
  return key;
}
