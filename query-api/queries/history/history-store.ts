// The history store as requests see it: bounded in number and time, and every failure as an error for the client. A store that does not answer is
// left alone for a moment, so that requests do not pile up behind it.
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';

/** Only a restart changes whether a service keeps a history. */
const RETRY_WITHOUT_S = 3600;

/** Causes in words for clients: the store's own text is for the operator. */
const details: Partial<Record<ErrorCode, string>> = {
  'history.unreachable': 'its store does not answer',
  'history.cancelled': 'its store did not answer in time',
  'history.query_too_long': 'the query took too long; ask for a shorter time or a smaller area',
  'history.busy': 'its store has too much to do',
};

export interface HistoryStoreOptions {
  /** Partitions of the topic of positions: the newest row of each shows how far the store is. */
  readonly partitions?: number;
  /** Ms of a steady clock. */
  readonly steadyMs?: () => number;
  /** Receives the store's own error, for the operator. */
  readonly onFailure?: (error: SquitterError) => void;
}

export class HistoryStore {
  /** Queries by outcome; `refused`: without a query. */
  readonly stats = { done: 0, failed: 0, refused: 0 };
  /** Partitions of the topic of positions; null if they are not known. */
  readonly partitions: number | null;
  /** Settles when the store has been started. */
  readonly opened: Promise<unknown>;
  /** Undefined while it is being started. */
  private client: HistoryClient | null | undefined;
  private readonly steadyMs: () => number;
  private readonly onFailure: (error: SquitterError) => void;
  private restsUntilMs = Number.NEGATIVE_INFINITY;
  private waiting = 0;

  /** `client`: null without a history. */
  constructor(client: HistoryClient | null | Promise<HistoryClient | null>, options: HistoryStoreOptions = {}) {
    const { partitions = null, steadyMs = () => performance.now(), onFailure = () => {} } = options;
    this.partitions = partitions;
    this.client = client instanceof Promise ? undefined : client;
    this.opened = Promise.resolve(client).then((opened) => {
      this.client = opened;
    });
    this.opened.catch(() => {});
    this.steadyMs = steadyMs;
    this.onFailure = onFailure;
  }

  /** False when the service keeps no history. */
  get isKept(): boolean {
    return this.client !== null;
  }

  /** Errors: `api.no_history`, `api.history_unavailable`, `api.history_too_large`. */
  async query<T>(run: (client: HistoryClient, signal: AbortSignal) => Promise<T>, msMax: number = limits.historyStoreMsMax): Promise<T> {
    const { client, stats } = this;
    if (client === null)
      throw new QueryError('api.no_history', { detail: 'it runs without a history store' }, { retryAfterS: RETRY_WITHOUT_S });
    if (client === undefined) throw this.refused('its store is being started');
    if (this.steadyMs() < this.restsUntilMs) throw this.refused('its store does not answer');
    if (this.waiting >= limits.historyRequestsMax) throw this.refused('too many requests wait for its store');
    this.waiting += 1;
    try {
      const result = await run(client, AbortSignal.timeout(msMax));
      stats.done += 1;
      return result;
    } catch (error) {
      stats.failed += 1;
      throw this.failure(error);
    } finally {
      this.waiting -= 1;
    }
  }

  /** `api.history_unavailable`, counted as refused. */
  refused(detail: string): QueryError {
    this.stats.refused += 1;
    return unavailable(detail);
  }

  private failure(error: unknown): unknown {
    if (error instanceof QueryError || !(error instanceof SquitterError)) return error;
    this.onFailure(error);
    if (error.code === 'history.query_too_large')
      return new QueryError('api.history_too_large', { detail: 'ask for a shorter time or a smaller area' });
    if (error.code === 'history.unreachable' || error.code === 'history.cancelled')
      this.restsUntilMs = this.steadyMs() + limits.historyRestMs;
    return unavailable(details[error.code] ?? 'its store refuses the query');
  }
}

function unavailable(detail: string): QueryError {
  return new QueryError('api.history_unavailable', { detail });
}
