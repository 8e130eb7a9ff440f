// State of the runner's processes, read once a second from `/readyz` and `/metrics`, as Kubernetes and Prometheus do.
import { limits } from '../../../schemas/limits.ts';
import { type ServiceName, serviceNames } from '../configuration.ts';
import type { Member } from './members.ts';
import { largestOf, parseMetrics, type Sample, sumOf } from './metrics-page.ts';

const RESPONSE_MS_MAX = 900;

export interface MemberState {
  readonly ready: boolean;
  /** Empty without a response. */
  readonly samples: readonly Sample[];
}

const silent: MemberState = { ready: false, samples: [] };

export async function askMember({ http }: Member): Promise<MemberState> {
  try {
    const [ready, metrics] = await Promise.all([get(`http://${http}/readyz`), get(`http://${http}/metrics`)]);
    return { ready: ready.ok, samples: metrics.ok ? parseMetrics(await metrics.text()) : [] };
  } catch {
    return silent;
  }
}

function get(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
}

/** State of the whole cluster at one moment. */
export interface Picture {
  readonly atMs: number;
  /** Frames received by ingests; messages folded since the log began, from the newest view. */
  readonly framesIn: number;
  readonly messages: number;
  readonly aircraft: number;
  readonly lagRecords: number;
  readonly lagSeconds: number;
  /** Whether the lag of some fold is unknown. */
  readonly lagUnknown: boolean;
  /** Partitions that folds own, including those being restored. */
  readonly partitions: number;
  /** Metrics of all folds. */
  readonly foldSamples: readonly Sample[];
  readonly ready: Readonly<Record<ServiceName, number>>;
  readonly asked: Readonly<Record<ServiceName, number>>;
  /** Subscribers of all push services. */
  readonly subscribers: number;
}

export function pictureOf(states: ReadonlyMap<Member, MemberState>, atMs: number): Picture {
  const of = (service: ServiceName): MemberState[] =>
    [...states].filter(([member]) => member.service === service).map(([, state]) => state);
  const samplesOf = (service: ServiceName): Sample[] => of(service).flatMap(({ samples }) => samples);
  const folds = samplesOf('fold');
  const count = (pick: (states: readonly MemberState[]) => number): Record<ServiceName, number> =>
    Object.fromEntries(serviceNames.map((service) => [service, pick(of(service))])) as Record<ServiceName, number>;
  const views = of('query-api').map(({ samples }) => samples);
  return {
    atMs,
    framesIn: sumOf(samplesOf('ingest'), 'squitter_ingest_frames_total'),
    messages: Math.max(0, ...views.map((samples) => largestOf(samples, 'squitter_view_messages_total'))),
    aircraft: Math.max(0, ...views.map((samples) => largestOf(samples, 'squitter_view_aircraft'))),
    lagRecords: sumOf(folds, 'squitter_fold_lag_records'),
    lagSeconds: largestOf(folds, 'squitter_fold_lag_seconds'),
    lagUnknown: 1000 * largestOf(folds, 'squitter_fold_lag_age_seconds') > limits.statisticsAgeMsMax,
    partitions: sumOf(folds, 'squitter_fold_partitions'),
    foldSamples: folds,
    ready: count((all) => all.filter(({ ready }) => ready).length),
    asked: count((all) => all.length),
    subscribers: sumOf(samplesOf('push'), 'squitter_push_subscribers'),
  };
}

/** `12:00:05  in 6,900/s  folded 6,610/s  lag 3 records 0.1 s  partitions 12/12  aircraft 998  subscribers 3  ready: ingest 2/2 …`. */
export function statusLine(now: Picture, before: Picture | null, partitions: number): string {
  const seconds = before === null ? 0 : (now.atMs - before.atMs) / 1000;
  const rate = (pick: (picture: Picture) => number): string => {
    // Counters of a restarted process begin at 0 again.
    const count = before === null || seconds <= 0 ? 0 : Math.max(0, (pick(now) - pick(before)) / seconds);
    return `${Math.round(count).toLocaleString('en')}/s`;
  };
  const ready = serviceNames.map((service) => `${service} ${now.ready[service]}/${now.asked[service]}`);
  return [
    new Date(now.atMs).toISOString().slice(11, 19),
    `in ${rate(({ framesIn }) => framesIn)}`,
    `folded ${rate(({ messages }) => messages)}`,
    now.lagUnknown ? 'lag unknown' : `lag ${now.lagRecords.toLocaleString('en')} records ${now.lagSeconds.toFixed(1)} s`,
    `partitions ${now.partitions}/${partitions}`,
    `aircraft ${now.aircraft.toLocaleString('en')}`,
    `subscribers ${now.subscribers.toLocaleString('en')}`,
    `ready: ${ready.join(' ')}`,
  ].join('  ');
}
