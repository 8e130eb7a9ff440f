// Queue of records to append to one partition in order. Retriable failures are retried; records that fail for good are reported and dropped.
import { SquitterError } from '../../schemas/errors.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { pause } from '../runtime/retry.ts';
import type { EventLog } from './event-log.ts';
import type { OutgoingRecord } from './record-block.ts';

const RETRY_MS = 1000;
const PARTITION = 0;

interface RecordQueueOptions {
  readonly log: EventLog;
  readonly topic: TopicId;
  /** Largest number of waiting records. */
  readonly waitingMax: number;
  /** Called with records that failed for good, or that failed after `stop`. */
  readonly onFailure: (error: unknown, records: readonly OutgoingRecord[]) => void;
}

export class RecordQueue {
  private readonly options: RecordQueueOptions;
  private waiting: OutgoingRecord[] = [];
  private running: Promise<void> | null = null;
  private stopped = false;

  constructor(options: RecordQueueOptions) {
    this.options = options;
  }

  /** True while records are being written or waiting for a retry. */
  get isBusy(): boolean {
    return this.running !== null;
  }

  /** Adds a record. Returns false if the queue is full or stopped. */
  add(record: OutgoingRecord): boolean {
    if (this.stopped || this.waiting.length >= this.options.waitingMax) return false;
    this.waiting.push(record);
    this.running ??= this.run();
    return true;
  }

  /** Waits until everything is written; failed appends are not retried any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    const { log, topic, onFailure } = this.options;
    while (this.waiting.length > 0) {
      const records = this.waiting;
      this.waiting = [];
      try {
        await log.append(topic, PARTITION, records);
      } catch (error) {
        const isRetriable = error instanceof SquitterError && error.retriable;
        if (!isRetriable || this.stopped) onFailure(error, records);
        else {
          this.waiting.unshift(...records);
          await pause(RETRY_MS);
        }
      }
    }
    this.running = null;
  }
}
