// Trace files of readsb, from which web maps draw tracks: the present day of an aircraft, and days of the past.
import type { FastifyInstance } from 'fastify';
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { badValue, unknownName } from '../../queries/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { type TraceAbout, traceFile } from '../../queries/history/trace-file.ts';
import { pastTrack, recentTrack, type Track } from '../../queries/history/track.ts';
import { parseHex } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { sendMade } from '../response.ts';
import { mayBeUnknown } from '../schemas/flight.ts';
import { historyErrors } from '../schemas/history.ts';
import { oneHex } from '../schemas/parameters.ts';
import { sendHistory } from '../send-history.ts';

const RECENT_MS = 15 * 60_000;
const FULL_MS = trackLimits.historySpanMsMax;
const DAY_MS = 86_400_000;

const text = (description: string, example: string, pattern: string) => ({ type: 'string', pattern, description, examples: [example] });
const lastTwo = text('the last two digits of the address', 'd6', '^[0-9a-fA-F]{2}$');
const params = { type: 'object', properties: { last: lastTwo, hex: oneHex }, required: ['last', 'hex'] };

const traceSchema = {
  type: 'object',
  required: ['icao', 'timestamp', 'trace'],
  properties: {
    icao: { type: 'string', description: 'ICAO 24-bit address' },
    r: { type: 'string', description: 'registration, from reference data' },
    t: { type: 'string', description: 'ICAO type designator, from reference data' },
    desc: { type: 'string', description: 'manufacturer and model, from reference data' },
    dbFlags: { type: 'integer', description: 'sum of 1 (military), 2 (interesting), 4 (PIA) and 8 (LADD)' },
    timestamp: { type: 'number', description: 'time of the first point, Unix s' },
    trace: {
      type: 'array',
      description:
        'points, the oldest first, each an array: s after `timestamp`; latitude and longitude in degrees; altitude in ft, `ground` or null; ground speed in kt; track in degrees; flags (1 stale, 2 start of a leg, 8 geometric altitude); vertical rate in ft/min; details or null; kind of source; geometric altitude in ft; three nulls',
      items: { type: 'array', items: {} },
    },
  },
  additionalProperties: false,
};

const fullSchema = {
  summary: 'Trace of an aircraft, in the format of readsb',
  description: 'The last 24 hours, as web maps draw them. Query parameters are ignored, because maps add cache breakers.',
  params,
  response: { 200: traceSchema, ...mayBeUnknown },
};
const recentSchema = {
  ...fullSchema,
  summary: 'The newest part of a trace',
  description: 'The last 15 minutes, which maps add to the whole trace.',
};
const pastSchema = {
  summary: 'Trace of an aircraft on a day of the past, in the format of readsb',
  description: 'A day in UTC, from the history store. 404 without positions on that day.',
  params: {
    type: 'object',
    properties: {
      year: text('year', '2026', '^\\d{4}$'),
      month: text('month, two digits', '11', '^\\d\\d$'),
      day: text('day, two digits', '22', '^\\d\\d$'),
      ...params.properties,
    },
    required: ['year', 'month', 'day', 'last', 'hex'],
  },
  response: { 200: traceSchema, ...mayBeUnknown, ...historyErrors },
};

interface Live {
  readonly Params: { readonly last: string; readonly hex: string };
}
interface Past {
  readonly Params: Live['Params'] & { readonly year: string; readonly month: string; readonly day: string };
}

export function traceRoutes(app: FastifyInstance, context: ApiContext): void {
  for (const [name, schema, spanMs] of [
    ['recent', recentSchema, RECENT_MS],
    ['full', fullSchema, FULL_MS],
  ] as const)
    app.get<Live>(`/data/traces/:last/trace_${name}_:hex.json`, { schema }, async (request, reply) => {
      const key = parseHex(request.params.hex);
      const snapshot = freshSnapshot(context);
      const { about, flight } = describe(context, snapshot, key);
      const toMs = snapshot.times.nowMs;
      const version = context.tracks.version(key);
      const track = await recentTrack(context, key, { fromMs: toMs - spanMs, toMs }, trackLimits.trackPointsMax);
      const file = fileOf(about, track, flight, key);
      return sendMade(context, request, reply, {
        snapshot,
        make: () => file,
        variant: `-${version}${track.isIncomplete ? '-incomplete' : ''}`,
      });
    });
  app.get<Past>('/globe_history/:year/:month/:day/traces/:last/trace_full_:hex.json', { schema: pastSchema }, async (request, reply) => {
    const { hex, year, month, day } = request.params;
    const key = parseHex(hex);
    const fromMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
    if (!Number.isFinite(fromMs) || new Date(fromMs).getUTCDate() !== Number(day)) throw badValue('day', day, 'there is no such day');
    if (fromMs < 0) throw badValue('year', year, 'expected 1970 or later');
    const track = await pastTrack(context, key, { fromMs, toMs: fromMs + DAY_MS - 1 }, trackLimits.trackPointsMax);
    return sendHistory(context, request, reply, fileOf(aboutOf(key, context.reference.facts(key)), track, null, key));
  });
}

/** Error: `api.unknown_aircraft` without points. */
function fileOf(about: TraceAbout, { points, numbers }: Track, flight: string | null, key: number): string {
  const file = traceFile(about, points, numbers, flight);
  if (file === null) throw unknownName('api.unknown_aircraft', 'hex', keyHex(key));
  return file;
}

function describe({ reference }: ApiContext, snapshot: Snapshot, key: number): { about: TraceAbout; flight: string | null } {
  const number = snapshot.numberOf(key);
  const { listing } = snapshot;
  if (number < 0) return { about: aboutOf(key, reference.facts(key)), flight: null };
  return { about: aboutOf(key, listing.facts[number]!), flight: listing.flights[number]! };
}

function aboutOf(key: number, facts: ReturnType<ApiContext['reference']['facts']>): TraceAbout {
  return {
    icao: keyHex(key),
    r: facts?.registration,
    t: facts?.typeDesignator,
    desc: facts?.description,
    dbFlags: facts === null || facts.dbFlags === 0 ? undefined : facts.dbFlags,
  };
}
