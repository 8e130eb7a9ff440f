// The past as a service of a process: starts its threads with the first request, bounds the requests, and ends the threads after a while without requests.

import type { Registry } from 'prom-client';
import { type Damage, DamageList, damageOf, damageText } from '../../pipeline/log/damage.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { CalledThread } from '../../pipeline/runtime/thread-calls.ts';
import { QueryError } from '../../query-api/queries/errors.ts';
import type { FlightAt } from '../../query-api/queries/moment-flights.ts';
import type { PastList, PastLists } from '../../query-api/queries/past.ts';
import { errorKinds, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Closer } from '../services/closing.ts';
import type { LineLogger } from '../services/logging.ts';
import type { SkyRequest, SkyResponse, Wanted } from './sky-thread.ts';
import type { SkyThreadData } from './source.ts';

const skyThreadFile = programFile('infra/past/sky-thread');
/** After a failure of the threads. */
const RESTART_MS = 5000;

type Outcome = 'done' | 'refused' | 'busy' | 'failed';
type Way = keyof SkyResponse['counts']['made'];

export interface PastContext {
  readonly logger: Pick<LineLogger, 'warn'>;
  readonly registry: Registry;
  readonly closers: Closer[];
}

export class PastService implements PastLists {
  private readonly data: SkyThreadData;
  private readonly log: PastContext['logger'];
  private readonly threadFile: URL;
  private thread: CalledThread<SkyRequest, SkyResponse> | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;
  private requests = 0;
  private isClosed = false;
  private idle: NodeJS.Timeout | null = null;
  /** Each gives up a request. */
  private readonly givingUp = new Set<(error: Error) => void>();
  private closing: Promise<void> = Promise.resolve();
  private readonly outcomes: Record<Outcome, number> = { done: 0, refused: 0, busy: 0, failed: 0 };
  private readonly made: Record<Way, number> = { folded: 0, continued: 0, remembered: 0, stored: 0 };
  private frames = 0;
  private readonly met = new DamageList();
  /** Counts of the current threads, which begin at 0. */
  private before: SkyResponse['counts'] | null = null;

  /** It is closed with the other parts of the service. */
  constructor(data: SkyThreadData, { logger, registry, closers }: PastContext, threadFile = skyThreadFile) {
    this.data = data;
    this.log = logger;
    this.threadFile = threadFile;
    closers.unshift(() => this.close());
    exportMetrics(registry, {
      squitter_past_requests_total: () => Object.entries(this.outcomes),
      squitter_past_moments_total: () => Object.entries(this.made),
      squitter_past_frames_total: () => this.frames,
      squitter_past_requests: () => this.requests,
    });
  }

  list(atMs: number, url: string, flights: readonly FlightAt[] = []): Promise<PastList> {
    return this.request({ atMs, url, rows: null, flights });
  }

  stored(atMs: number, url: string, rows: Uint8Array<ArrayBuffer>, flights: readonly FlightAt[] = []): Promise<PastList> {
    return this.request({ atMs, url, rows, flights });
  }

  private async request(request: Omit<SkyRequest, 'wanted'>): Promise<PastList> {
    if (this.requests >= limits.pastRequestsMax) {
      this.outcomes.busy += 1;
      throw new QueryError('api.past_busy', { limit: limits.pastRequestsMax, seconds: errorKinds['api.past_busy'].retryAfterS! });
    }
    const thread = this.running();
    this.requests += 1;
    const wanted: Wanted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1);
    const call = thread.call({ ...request, wanted }).finally(() => {
      this.requests -= 1;
      this.endWhenIdle(thread);
    });
    try {
      const response = await this.inTime(call);
      this.count(response);
      const { list } = response;
      if ('body' in list) {
        this.outcomes.done += 1;
        return { ...list, body: Buffer.from(list.body.buffer) };
      }
      const { code, details, parameters, retryAfterS } = list;
      throw new QueryError(code, { ...details }, { parameters, ...(retryAfterS === null ? {} : { retryAfterS }) });
    } catch (error) {
      throw this.refusal(error, thread);
    } finally {
      Atomics.store(wanted, 0, 0);
    }
  }

  /** Gives up all requests and ends the threads, at once: a stop does not wait for the past. Later requests are refused. */
  stop(): void {
    this.isClosed = true;
    for (const giveUp of this.givingUp) giveUp(unavailable('the service is stopping'));
    this.end();
  }

  /** `stop`; resolves when the threads have closed the log. */
  close(): Promise<void> {
    this.stop();
    return this.closing;
  }

  /** Damaged stretches of the log that moments of the past have met. */
  damages(): readonly Damage[] {
    return this.met.all();
  }

  private running(): CalledThread<SkyRequest, SkyResponse> {
    if (this.isClosed) throw unavailable('the service is stopping');
    if (this.idle !== null) clearTimeout(this.idle);
    this.idle = null;
    if (this.thread?.hasEnded === true) this.thread = null;
    if (this.thread !== null) return this.thread;
    if (performance.now() - this.failedAtMs < RESTART_MS) throw unavailable('its threads have failed and start again in a few seconds');
    this.before = null;
    this.thread = new CalledThread('past', this.threadFile, this.data);
    return this.thread;
  }

  /** Ends the threads after a while without a request. */
  private endWhenIdle(thread: CalledThread<SkyRequest, SkyResponse>): void {
    if (this.requests > 0 || this.thread !== thread) return;
    if (this.idle !== null) clearTimeout(this.idle);
    this.idle = setTimeout(() => this.end(), limits.pastIdleMsMax);
    this.idle.unref();
  }

  private end(): void {
    if (this.idle !== null) clearTimeout(this.idle);
    this.idle = null;
    const { thread } = this;
    this.thread = null;
    if (thread !== null) this.closing = Promise.all([this.closing, thread.close()]).then(() => {});
  }

  /** The error for the client: those of lists and moments as they are; others are logged. */
  private refusal(error: unknown, thread: CalledThread<SkyRequest, SkyResponse>): Error {
    const isKnown = error instanceof SquitterError && error.code.startsWith('api.');
    if (isKnown && error.code !== 'api.past_unavailable') {
      this.outcomes.refused += 1;
      return error;
    }
    this.outcomes.failed += 1;
    if (isKnown) return error;
    const damage = damageOf(error);
    if (damage !== null) {
      this.met.add(damage);
      return unavailable(`the log is damaged: ${damageText(damage)}`);
    }
    this.log.warn({ error: String(error) }, 'a moment of the past could not be folded');
    if (thread.hasEnded) this.failedAtMs = performance.now();
    return unavailable(
      error instanceof SquitterError && error.code !== 'worker.failed' ? error.message : "the service's log has the cause",
    );
  }

  private inTime(call: Promise<SkyResponse>): Promise<SkyResponse> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(unavailable(`the moment takes longer than ${limits.pastRequestMsMax / 1000} s`));
      const timeout = setTimeout(late, limits.pastRequestMsMax);
      timeout.unref();
      this.givingUp.add(reject);
      call.then(resolve, reject).finally(() => {
        clearTimeout(timeout);
        this.givingUp.delete(reject);
      });
    });
  }

  private count({ counts }: SkyResponse): void {
    const { before } = this;
    for (const way of Object.keys(this.made) as Way[]) this.made[way] += counts.made[way] - (before?.made[way] ?? 0);
    this.frames += counts.frames - (before?.frames ?? 0);
    this.before = counts;
  }
}

function unavailable(detail: string): QueryError {
  return new QueryError('api.past_unavailable', { detail });
}
