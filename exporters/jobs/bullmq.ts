// The JobScheduler of the cluster: BullMQ on Redis. Any number of processes may start the same job; one of them runs it, and another one takes over when
// that process dies.
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import { limits } from '../../schemas/limits/index.ts';
import { runDueDays, type StateStore } from './day-runner.ts';
import { parseStates } from './due-days.ts';
import type { DailyJob, JobScheduler, SchedulerOptions } from './job-scheduler.ts';

/** A process that does not renew its lock for this long lost the job. */
const LOCK_MS = 30_000;

export interface BullMqOptions extends SchedulerOptions {
  readonly connection: RedisOptions;
  /** Prefix of all keys in Redis. */
  readonly prefix?: string;
  readonly lockMs?: number;
}

interface Running {
  readonly queue: Queue;
  readonly worker: Worker;
}

export class BullMqScheduler implements JobScheduler {
  private readonly options: BullMqOptions;
  private readonly prefix: string;
  private readonly stop = new AbortController();
  private readonly running = new Map<string, Running>();
  /** Connection for the states. BullMQ has its own connections. */
  private readonly redis: Redis;
  private readonly store: StateStore;
  /** Looks for due days in progress. */
  private readonly runs = new Set<Promise<void>>();
  private newestError = '';

  constructor(options: BullMqOptions) {
    this.options = options;
    this.prefix = options.prefix ?? 'squitter-jobs';
    this.redis = new Redis({ ...options.connection, maxRetriesPerRequest: null });
    // The queue and the worker report the same.
    this.redis.on('error', () => {});
    this.store = redisStates(this.redis, this.prefix, (job, error) => options.onEvent?.({ kind: 'state', job, error }));
  }

  async start(job: DailyJob): Promise<void> {
    const { checkMs, lockMs = LOCK_MS } = this.options;
    // Its own type of the same options is stricter about undefined.
    const connection = { ...this.options.connection, maxRetriesPerRequest: null } as ConnectionOptions;
    const queue = new Queue(job.name, { connection, prefix: this.prefix });
    queue.on('error', this.failed(job));
    // Over all processes: a day never runs twice at a time, and days run in order.
    await queue.setGlobalConcurrency(1);
    const worker = new Worker(job.name, () => this.runDue(job), {
      connection,
      prefix: this.prefix,
      concurrency: 1,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      // However often processes die: what is due is due.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    worker.on('error', this.failed(job));
    worker.on('failed', (_job, error) => this.failed(job)(error));
    this.running.set(job.name, { queue, worker });
    // Each look enqueues the next one. It survives in Redis; without it days of downtime would need their own entries.
    await queue.upsertJobScheduler('look', { every: checkMs }, { name: 'look', opts: { removeOnComplete: true, removeOnFail: true } });
  }

  async close(): Promise<void> {
    this.stop.abort();
    const closing = [...this.running.values()].map(async ({ queue, worker }) => {
      await worker.close();
      await queue.close();
    });
    await Promise.allSettled(this.runs);
    // After Redis was away, a worker of BullMQ may never finish closing. The days have ended, so nothing is lost.
    await settledWithin(Promise.all(closing), limits.jobsCloseMsMax);
    this.redis.disconnect();
  }

  private async runDue(job: DailyJob): Promise<void> {
    const run = runDueDays(job, this.store, this.options, this.stop.signal);
    this.runs.add(run);
    await run.finally(() => this.runs.delete(run));
  }

  /** While Redis is down, its clients report the same each second. */
  private failed(job: DailyJob): (error: Error) => void {
    return (error) => {
      if (error.message !== this.newestError) this.options.onEvent?.({ kind: 'state', job: job.name, error });
      this.newestError = error.message;
    };
  }
}

/** States are one JSON text per job in Redis, beside the keys of the queue. */
function redisStates(redis: Redis, prefix: string, onError: (job: string, error: unknown) => void): StateStore {
  const keyOf = (name: string): string => `${prefix}:${name}:days`;
  return {
    async read(name) {
      const text = await redis.get(keyOf(name));
      if (text === null) return {};
      try {
        return parseStates(text);
      } catch (error) {
        onError(name, error);
        return {};
      }
    },
    async write(name, states) {
      await redis.set(keyOf(name), JSON.stringify(states));
    },
  };
}
