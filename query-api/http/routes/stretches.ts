// Stretches of the past that many viewers ask for at once: the network over time, and all positions of a box. Each is made once, for whole steps or minutes.
import { remembered } from '../../../pipeline/runtime/waiting.ts';
import { seconds } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { nativeTypes } from '../../../schemas/native-members.ts';
import { areaPositions, emptyArea, widenedArea } from '../../queries/history/area-positions.ts';
import { KeptFiles } from '../../queries/history/kept-files.ts';
import {
  type NetworkStep,
  networkRows,
  networkSamples,
  type StepS,
  type Steps,
  stepsOf,
  stepsS,
} from '../../queries/history/network-history.ts';
import { type SpanLimits, type SpanQuery, spanProperties } from '../../queries/history/span.ts';
import { BUCKET_MS, storedBounds, storedStretch } from '../../queries/history/stored-rows.ts';
import { boxOf } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import type { Past, PastRequest, PastRow } from '../history-routes.ts';
import { JSON_TYPE } from '../responses/content.ts';
import { amount, described, integer, long, number, object, part, text } from '../schemas/build.ts';
import { unixSeconds } from '../schemas/envelope.ts';
import { pastOf } from '../schemas/history.ts';
import { type BoxQuery, boxProperties } from '../schemas/parameters.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MS_PER_S = 1000;

export const networkSpan: SpanLimits = { defaultMs: DAY_MS, msMax: limits.networkSpanMsMax };
const step = {
  step: {
    ...{ type: 'integer', enum: stepsS, examples: [3600] },
    description: `length of a step, s; at most ${limits.networkStepsMax} steps. Without it the shortest of which the span has no more than ${limits.networkStepsDefault}`,
  },
};
const areaSpan: SpanLimits = { defaultMs: MINUTE_MS, msMax: limits.areaSpanMsMax };
/** Parameters of the network over time. */
export const networkQuery = { ...spanProperties(networkSpan), ...step };
export interface NetworkQuery extends SpanQuery {
  readonly step?: StepS;
}

const mean = (description: string) => number(`${description}, mean of the step; absent where it is not known`);
const level = (description: string) => mean(`${description}, dBFS`);
const networkRow = object(
  {
    t: long('start of the step, Unix s'),
    covered: integer('time of the step for which there are samples, s'),
    aircraft: mean('aircraft listed'),
    aircraft_max: integer('the most aircraft listed at a time; absent where it is not known'),
    with_position: mean('aircraft with a valid position'),
    messages_per_second: mean('messages per second'),
    sources: part(
      'aircraft by kind of source, mean of the step; absent where they are not known',
      Object.fromEntries(nativeTypes.map((name) => [name, number('number of aircraft')])),
    ),
    signal: part(
      'signal levels',
      {
        ...{ avg: level('mean'), median: level('median'), p10: level('10th percentile'), p90: level('90th percentile') },
        aircraft_count: integer('aircraft with a known level, mean of the step'),
      },
      ['aircraft_count'],
    ),
  },
  ['t', 'covered', 'signal'],
);

/** A response that is kept may be one that the client has already. */
const unchanged = { 304: { description: 'unchanged' } } as const;

/** Kept responses belong to one application. */
export const stretchRoutes = (context: ApiContext): readonly PastRow[] => [statisticsRow(context), areaRow(context)];

function statisticsRow({ history, clock, firstMoment }: ApiContext): PastRow {
  const files = new KeptFiles(history, clock, {
    ...{ name: 'statistics', bytesMax: limits.networkBytesMax },
    ...{ waitingMax: limits.networkWaitingMax, msMax: limits.historyStoreMsMax },
  });
  const firstStored = remembered(async () => {
    const { firstMs } = await history.query(storedBounds);
    return firstMs;
  }, MINUTE_MS);
  return {
    path: '/v2/stats/history',
    summary: 'The network over time',
    description:
      'Counts, messages, sources and signal levels as means of steps, the oldest first. A step for which there are no samples, because the service did not run or kept no history then, has no row. Counts are there from the first version on that stored them. `kept` says how far back one may ask for a moment.',
    ...{ span: networkSpan, query: step, more: unchanged },
    response: pastOf({
      step: integer('length of a step, s'),
      kept: part(
        'the first moment of each kind of past',
        {
          log: unixSeconds('the first second that is folded from the received frames, as by `at`; absent where there is none'),
          history: unixSeconds('the first stored position; absent without a history, or without positions'),
        },
        [],
      ),
      history: described('steps that have samples', networkRow),
    }),
    respond: async ({ query, span }: PastRequest<unknown, NetworkQuery>): Promise<Past> => {
      const steps = stepsOf(span, query.step);
      const since = { log: unixS(await firstMoment()), history: unixS(history.isKept ? await firstStored() : null) };
      const text = (rows: readonly NetworkStep[]): string => statisticsText(steps, since, rows);
      if (!history.isKept) return { text: text([]) };
      const file = await files.file(`${steps.fromMs} ${steps.toMs} ${steps.stepS} ${JSON.stringify(since)}`, {
        freshMs: Math.min(limits.networkFreshMs, MS_PER_S * steps.stepS),
        check: async (client, signal) => ({ rows: await networkSamples(client, signal, steps), isSettled: false }),
        read: async (client, signal) => [text(await networkRows(client, signal, steps))],
      });
      return file === null ? { text: text([]) } : { gzipped: file.gzipped, type: JSON_TYPE, tag: file.tag, isEnded: false };
    },
  };
}

/** Undefined, so that JSON leaves it out, without one. */
const unixS = (ms: number | null): number | undefined => (ms === null ? undefined : Math.ceil(ms / 100) / 10);

function statisticsText({ fromMs, toMs, stepS }: Steps, since: object, rows: readonly NetworkStep[]): string {
  const history = rows.map(({ adsb_icao, mlat, tisb, adsr, avg, median, p10, p90, aircraft_count, ...row }) => ({
    ...row,
    sources: adsb_icao === null ? null : { adsb_icao, mlat, tisb, adsr },
    signal: { avg, median, p10, p90, aircraft_count },
  }));
  const times = `"from":${seconds(fromMs)},"to":${seconds(toMs)}`;
  // Unknown members are absent.
  const members = JSON.stringify({ step: stepS, kept: since, history }, (_, value) => value ?? undefined);
  return `{"total":${rows.length},${times},${members.slice(1)}\n`;
}

const perPosition = (description: string) => described(`${description}, one for each position`, { type: ['number', 'null'] });

function areaRow({ history, clock }: ApiContext): PastRow {
  const files = new KeptFiles(history, clock, {
    ...{ name: 'areas', bytesMax: limits.areaBytesMax },
    ...{ waitingMax: limits.areasWaitingMax, msMax: limits.historyStoreMsMax },
  });
  return {
    path: '/v2/area/positions',
    summary: 'All positions of a box over some minutes',
    description: [
      'Every stored position, by aircraft, as columns of equal length, for maps that play the past. The box is widened to whole degrees and the span to whole minutes, so that many',
      `viewers share a response: ask for a grid of boxes and for stretches that begin at whole minutes. At most ${limits.areaPositionsMax} positions.`,
      'Positions are stored some seconds after they are received: `stored_to` says how far they reach. From the history store: 503 without one.',
    ].join(' '),
    ...{ span: areaSpan, query: boxProperties, required: Object.keys(boxProperties), more: unchanged },
    response: pastOf({
      stored_to: unixSeconds('the newest stored position of any aircraft, or the end of the span if it is after that'),
      bbox: part('box of the response', boxProperties),
      aircraft: described(
        'aircraft with positions, by address',
        object({
          count: amount('number of positions'),
          hex: text('ICAO 24-bit address'),
          t: perPosition('ms since `from`'),
          lat: perPosition('degrees WGS 84'),
          lon: perPosition('degrees WGS 84'),
          alt: perPosition('barometric altitude in ft, else the geometric one; null where neither is known'),
          ground: perPosition('1 on the ground, else 0'),
          gs: perPosition('ground speed, kt; null where it is not known'),
          track: perPosition('track in degrees; null where it is not known'),
        }),
      ),
    }),
    respond: async ({ query, span }: PastRequest<unknown, BoxQuery>): Promise<Past> => {
      const { min_lat, min_lon, max_lat, max_lon } = query;
      const area = widenedArea(span, boxOf(min_lat, min_lon, max_lat, max_lon));
      const { fromMs, toMs, box } = area;
      const buckets = { fromMs: Math.floor(fromMs / BUCKET_MS) * BUCKET_MS, toMs: Math.ceil(toMs / BUCKET_MS) * BUCKET_MS };
      const file = await files.file(`${fromMs} ${toMs} ${Object.values(box).join(' ')}`, {
        freshMs: limits.areaFreshMs,
        check: (client, signal) => storedStretch(client, signal, buckets, history.partitions),
        read: (client, signal) => areaPositions(client, signal, area),
      });
      if (file === null) return { text: emptyArea(area) };
      return { gzipped: file.gzipped, type: JSON_TYPE, tag: file.tag, isEnded: file.isSettled };
    },
  };
}
