// State of the runner's processes, read once a second from `/readyz` and `/metrics`, as Kubernetes and Prometheus do.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '../../infra/cluster/configuration.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { localLimits } from '../local/limits.ts';
import type { Member } from './members.ts';
import { largestOf, parseMetrics, type Sample, sumOf } from './metrics-page.ts';

const WATCH_MS = 1000;
const POLL_MS = 200;

export interface MemberState {
  /** Why it is not ready; null if it is. */
  readonly notReady: string | null;
  /** Empty without a response. */
  readonly samples: readonly Sample[];
}

type Watched = Pick<Member, 'name' | 'service' | 'http'>;

/** Polls the members, each at its own pace: a slow or frozen member delays no other. */
export class Watch {
  private readonly states = new Map<Watched, MemberState>();
  private readonly polled = new Set<Watched>();
  private readonly members: readonly Watched[];
  private readonly onReady: (member: Watched, isReady: boolean) => void;
  private readonly timer: NodeJS.Timeout;

  constructor(members: readonly Watched[], onReady: (member: Watched, isReady: boolean) => void) {
    this.members = members;
    this.onReady = onReady;
    for (const member of members) this.states.set(member, silent);
    this.timer = setInterval(() => this.poll(), WATCH_MS);
  }

  close(): void {
    clearInterval(this.timer);
  }

  picture(): Picture {
    return pictureOf(this.states, Date.now());
  }

  /** Waits until the state of the members is as wanted. Error: `cluster.too_slow`, with the members that are not ready. */
  async until(what: string, wanted: (picture: Picture) => boolean, msMax: number, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + msMax;
    while (signal?.aborted !== true && !wanted(this.picture())) {
      if (performance.now() > deadline) throw tooSlow(what, msMax, this.picture().notReady);
      await this.nextPoll();
    }
  }

  /**
   * Waits until each of these members has been ready once: on a busy machine there may be no moment at which all are. The limit begins again with each that
   * becomes ready. Error: `cluster.too_slow`, with the members that were never ready.
   */
  async started(isMember: (member: Watched) => boolean, msMax: number, signal?: AbortSignal): Promise<void> {
    const waiting = new Set(this.members.filter(isMember));
    let deadline = performance.now() + msMax;
    while (signal?.aborted !== true) {
      for (const member of waiting)
        if (this.states.get(member)!.notReady === null && waiting.delete(member)) deadline = performance.now() + msMax;
      if (waiting.size === 0) return;
      if (performance.now() > deadline)
        throw tooSlow('readiness of all processes', msMax, notReadyOf([...this.states].filter(([member]) => waiting.has(member))));
      await this.nextPoll();
    }
  }

  private async nextPoll(): Promise<void> {
    this.poll();
    await sleep(POLL_MS);
  }

  private poll(): void {
    for (const member of this.members) {
      if (this.polled.has(member)) continue;
      this.polled.add(member);
      void askMember(member).then((state) => {
        this.polled.delete(member);
        this.states.set(member, state);
        this.onReady(member, state.notReady === null);
      });
    }
  }
}

function tooSlow(what: string, msMax: number, members: readonly string[]): SquitterError {
  return new SquitterError('cluster.too_slow', { what, seconds: msMax / 1000, members: members.join('; ') || 'none' });
}

const silent: MemberState = { notReady: 'no response', samples: [] };

async function askMember({ http }: Watched): Promise<MemberState> {
  try {
    const signal = AbortSignal.timeout(localLimits.localClusterResponseMsMax);
    const [ready, metrics] = await Promise.all(['readyz', 'metrics'].map((path) => fetch(`http://${http}/${path}`, { signal })));
    const { reasons, detail } = (await ready!.json()) as { reasons?: readonly string[]; detail?: string };
    // A query API responds with a problem, as to all its clients.
    return {
      notReady: ready!.ok ? null : (reasons?.join(', ') ?? detail ?? String(ready!.status)),
      samples: parseMetrics(await metrics!.text()),
    };
  } catch {
    return silent;
  }
}

/** State of the whole cluster at one moment. */
export interface Picture {
  readonly atMs: number;
  /** Frames received by ingests; messages folded since the log began, from the newest view. */
  readonly framesIn: number;
  readonly messages: number;
  readonly aircraft: number;
  /** Messages and aircraft in the view of each query API. Both are 0 if it does not respond. */
  readonly views: readonly { readonly messages: number; readonly aircraft: number }[];
  readonly lagRecords: number;
  readonly lagSeconds: number;
  /** True if the lag of some fold is unknown. */
  readonly lagUnknown: boolean;
  /** Partitions that folds own, including those being restored. */
  readonly partitions: number;
  /** Metrics of all folds. */
  readonly foldSamples: readonly Sample[];
  readonly ready: Readonly<Record<ServiceName, number>>;
  readonly members: Readonly<Record<ServiceName, number>>;
  /** `fold-2: no response`, of each process that is not ready. */
  readonly notReady: readonly string[];
  /** Subscribers of all push services. */
  readonly subscribers: number;
}

function pictureOf(states: ReadonlyMap<Watched, MemberState>, atMs: number): Picture {
  const statesOf = (service: ServiceName): MemberState[] =>
    [...states].filter(([member]) => member.service === service).map(([, state]) => state);
  const samplesOf = (service: ServiceName): Sample[] => statesOf(service).flatMap(({ samples }) => samples);
  const folds = samplesOf('fold');
  const count = (pick: (states: readonly MemberState[]) => number): Record<ServiceName, number> =>
    Object.fromEntries(serviceNames.map((service) => [service, pick(statesOf(service))])) as Record<ServiceName, number>;
  const views = statesOf('query-api').map(({ samples }) => ({
    messages: largestOf(samples, 'squitter_view_messages_total'),
    aircraft: largestOf(samples, 'squitter_view_aircraft'),
  }));
  return {
    atMs,
    framesIn: sumOf(samplesOf('ingest'), 'squitter_ingest_frames_total'),
    messages: Math.max(0, ...views.map(({ messages }) => messages)),
    aircraft: Math.max(0, ...views.map(({ aircraft }) => aircraft)),
    views,
    lagRecords: sumOf(folds, 'squitter_fold_lag_records'),
    lagSeconds: largestOf(folds, 'squitter_fold_lag_seconds'),
    lagUnknown: 1000 * largestOf(folds, 'squitter_fold_lag_age_seconds') > limits.statisticsAgeMsMax,
    partitions: sumOf(folds, 'squitter_fold_partitions'),
    foldSamples: folds,
    ready: count((all) => all.filter(({ notReady }) => notReady === null).length),
    members: count((all) => all.length),
    notReady: notReadyOf(states),
    subscribers: sumOf(samplesOf('push'), 'squitter_push_subscribers'),
  };
}

function notReadyOf(states: Iterable<readonly [Watched, MemberState]>): string[] {
  return [...states].flatMap(([{ name }, { notReady }]) => (notReady === null ? [] : [`${name}: ${notReady}`]));
}

/** `12:00:05  in 6,900/s  folded 6,610/s  lag 3 records 0.1 s  partitions 12/12  aircraft 998  subscribers 3  ready: ingest 2/2 …`. */
export function statusLine(now: Picture, before: Picture | null, partitions: number): string {
  const seconds = before === null ? 0 : (now.atMs - before.atMs) / 1000;
  const rate = (pick: (picture: Picture) => number): string => {
    // Counters of a restarted process begin at 0 again.
    const count = before === null || seconds <= 0 ? 0 : Math.max(0, (pick(now) - pick(before)) / seconds);
    return `${Math.round(count).toLocaleString('en')}/s`;
  };
  const ready = serviceNames.map((service) => `${service} ${now.ready[service]}/${now.members[service]}`);
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
