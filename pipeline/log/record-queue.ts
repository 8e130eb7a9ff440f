// Records of one partition on their way to the log, in order. A log that is away for a while is waited for; what it refuses is told and left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../schemas/errors.ts';
import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog } from './event-log.ts';
import type { OutgoingRecord } from './record-block.ts';

const RETRY_MS = 1000;
const PARTITION = 0;

export interface RecordQueueOptions {
  readonly log: EventLog;
  readonly topic: TopicId;
  /** Records that may wait. */
  readonly waitingMax: number;
  /** Records that the log did not take, or that were still waiting when the queue was stopped. */
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

  /** Something is being written, or waits for a log that is away. */
  get isBusy(): boolean {
    return this.running !== null;
  }

  /** False where there is no room, or after `stop`. */
  add(record: OutgoingRecord): boolean {
    if (this.stopped || this.waiting.length >= this.options.waitingMax) return false;
    this.waiting.push(record);
    this.running ??= this.run();
    return true;
  }

  /** Waits until everything is written; a log that is away is waited for no more. */
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
          await sleep(RETRY_MS);
        }
      }
    }
    this.running = null;
  }
}
