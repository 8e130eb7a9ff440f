// Files of the past that readsb's web maps read: traces, from which they draw tracks (the last day of an aircraft, its newest part, and days of the past), and heat
// maps, half hours that they replay.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { cut } from '../../queries/errors.ts';
import { HALF_HOUR_MS } from '../../queries/history/heat-map.ts';
import { heatMapFiles } from '../../queries/history/heat-map-files.ts';
import { traceFile } from '../../queries/history/trace-file.ts';
import { type DayText, dayStart, dayTrace, fullTrace, isSettled, newestTrace } from '../../queries/history/traces.ts';
import { parseHex } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { pathOf } from '../errors/error-responses.ts';
import type { PastRow } from '../history-routes.ts';
import { mayBeUnknown } from '../schemas/build.ts';
import { dayParams, halfHourParam, type LastAndHex, traceParams, traceSchema } from '../schemas/trace.ts';
import type { RowRequest, SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

const DAY_MS = 86_400_000;

const liveTrace = (name: string, summary: string, description: string, read: typeof fullTrace): SnapshotRow => ({
  ...{ path: `/data/traces/:last/trace_${name}_:hex.json`, summary, description },
  ...{ params: traceParams, response: traceSchema, more: mayBeUnknown },
  respond: async ({ context, snapshot, params, url }: SnapshotRequest<LastAndHex>) => {
    const key = keyOf(params, url);
    // A later tick may take the snapshot's memory while the store responds.
    const { nowMs } = snapshot.times;
    const number = snapshot.numberOf(key);
    const { facts, flights } = snapshot.listing;
    const known = number < 0 ? context.reference.facts(key) : facts[number]!;
    const callSign = number < 0 ? null : flights[number]!;
    const version = context.tracks.version(key);
    const trace = await read(context, key, nowMs, callSign);
    return { make: () => traceFile(key, known, trace), variant: `-${version}${trace.isIncomplete ? '-incomplete' : ''}` };
  },
});

export const traceRoutes: readonly SnapshotRow[] = [
  liveTrace(
    'recent',
    'The newest part of a trace',
    'The newest 100 points, which maps add to the whole trace. It is there whenever the whole one is.',
    newestTrace,
  ),
  liveTrace(
    'full',
    'Trace of an aircraft, in the format of readsb',
    'Points of the last 25 hours, as web maps draw them; older ones than the memory of this process come from the history store. Query parameters are ignored, because maps add cache breakers.',
    fullTrace,
  ),
];

export const pastFileRoutes = ({ history, clock }: ApiContext): readonly PastRow[] => {
  const heatMap = heatMapFiles(history, clock);
  return [
    {
      path: '/globe_history/:year/:month/:day/traces/:last/trace_full_:hex.json',
      summary: 'Trace of an aircraft on a day of the past, in the format of readsb',
      description: 'Points of a day in UTC, from the history store. 404 without positions on that day.',
      ...{ params: { ...dayParams, ...traceParams }, response: traceSchema, more: mayBeUnknown },
      respond: async ({ context, params, url }: RowRequest<LastAndHex & DayText>) => {
        const key = keyOf(params, url);
        const fromMs = dayStart(params);
        const trace = await dayTrace(context, key, fromMs);
        return { text: traceFile(key, context.reference.facts(key), trace), isEnded: isSettled(fromMs + DAY_MS, context.clock()) };
      },
    },
    {
      path: '/globe_history/:year/:month/:day/heatmap/:number.bin.ttf',
      summary: 'All aircraft of half an hour, in the binary format of readsb',
      description:
        'The first position of each aircraft in each slice of 30 s, with call signs and squawks, from the history store. Query parameters are ignored, because maps add cache breakers. 404 without positions in that half hour.',
      params: { ...dayParams, number: halfHourParam },
      response: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
      more: mayBeUnknown,
      respond: async ({ params }: RowRequest<DayText & { readonly number: string }>) => {
        const { gzipped, isSettled: isEnded } = await heatMap(dayStart(params) + Number(params.number) * HALF_HOUR_MS);
        return { gzipped, type: 'application/octet-stream', isEnded };
      },
    },
  ];
};

/** Errors: `api.bad_value`; `api.not_found` in the folder of other addresses. */
function keyOf({ last, hex }: LastAndHex, url: string): number {
  const key = parseHex(hex);
  if (last.toLowerCase() !== (key & 0xff).toString(16).padStart(2, '0'))
    throw new SquitterError('api.not_found', { path: cut(pathOf(url), limits.errorTextCharactersMax) });
  return key;
}
