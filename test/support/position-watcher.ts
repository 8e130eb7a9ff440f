// Reads the positions topic as any consumer would, with kafkajs's own consumer and committed records only, and records violations: a position
// that comes twice or goes back.
import { type Consumer, Kafka, logLevel } from 'kafkajs';
import '../../pipeline/log/kafka/compression.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import { topics } from '../../schemas/topics.ts';

export interface WatcherOptions {
  readonly brokers: readonly string[];
  readonly prefix: string;
}

const FRAMES_PER_RECORD_MAX = 65_536;
/** An error ends a consumer soon; the next one connects to the brokers again. */
const RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 1.5, maxRetryTime: 500, retries: 3 };
const RESTART_MS = 300;

export class PositionWatcher {
  /** Positions seen, by frame: partition, record offset, index. */
  readonly seen = new Set<string>();
  readonly twice: string[] = [];
  /** Positions of an aircraft that are older than an earlier one. */
  readonly backwards: string[] = [];
  private readonly options: WatcherOptions;
  private readonly codecs: Codecs;
  private readonly lastByAircraft = new Map<string, number>();
  /** By partition: offset of the newest record. A new consumer may read records again: these are not duplicates. */
  private readonly newest = new Map<number, number>();
  private consumer: Consumer | null = null;
  private stopped = false;

  private constructor(options: WatcherOptions, codecs: Codecs) {
    this.options = options;
    this.codecs = codecs;
  }

  /** Resolves when the consumer reads. */
  static async start(options: WatcherOptions, codecs: Codecs): Promise<PositionWatcher> {
    const watcher = new PositionWatcher(options, codecs);
    await new Promise<void>((resolve) => void watcher.run(resolve));
    return watcher;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.consumer?.disconnect().catch(() => {});
  }

  /** Runs one consumer after another until stopped. */
  private async run(onJoined: () => void): Promise<void> {
    const { brokers, prefix } = this.options;
    while (!this.stopped) {
      const kafka = new Kafka({ brokers: [...brokers], clientId: 'watcher', logLevel: logLevel.NOTHING, retry: RETRY });
      const retry = { ...RETRY, restartOnFailure: async () => false };
      const consumer = kafka.consumer({
        groupId: `${prefix}watcher`,
        maxWaitTimeInMs: 50,
        sessionTimeout: 6000,
        readUncommitted: false,
        retry,
      });
      this.consumer = consumer;
      const crashed = new Promise<void>((resolve) => {
        consumer.on('consumer.crash', () => resolve());
        consumer.on('consumer.disconnect', () => resolve());
      });
      consumer.on('consumer.group_join', onJoined);
      try {
        await consumer.connect();
        await consumer.subscribe({ topic: `${prefix}${topics.positions.name}`, fromBeginning: true });
        await consumer.run({
          eachMessage: async ({ partition, message }) => this.take(partition, Number(message.offset), message.value!),
        });
        await crashed;
      } catch {
        // No broker at the moment.
      }
      void consumer.disconnect().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    }
  }

  private take(partition: number, offset: number, value: Buffer): void {
    if (offset <= (this.newest.get(partition) ?? -1)) return;
    this.newest.set(partition, offset);
    for (const { hex, frameOffset, frameIndex } of this.codecs.PositionBatch.decode(value).rows)
      this.note(hex, `${partition}/${frameOffset}/${frameIndex}`, frameOffset * FRAMES_PER_RECORD_MAX + frameIndex);
  }

  private note(hex: string, frame: string, offset: number): void {
    if (this.seen.has(frame)) this.twice.push(`${hex} ${frame}`);
    this.seen.add(frame);
    if (offset <= (this.lastByAircraft.get(hex) ?? -1)) this.backwards.push(`${hex} ${frame}`);
    this.lastByAircraft.set(hex, offset);
  }
}
