// The ingest as a service, in every profile: feeders in, FrameBatch records and feeder events out.
import { AvroWriter } from '../../pipeline/avro/writer.ts';
import { Batcher, runBatcher } from '../../pipeline/ingest/batcher.ts';
import type { TimeSources } from '../../pipeline/ingest/event-clock.ts';
import { FeederRegistry } from '../../pipeline/ingest/feeder-registry.ts';
import type { IngestContext, IngestLog } from '../../pipeline/ingest/feeder-session.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { IngestStatus } from '../../pipeline/ingest/ingest-status.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import { connectToFeeder } from '../../pipeline/ingest/tcp-connector.ts';
import { listenForFeeders } from '../../pipeline/ingest/tcp-listener.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { RecordQueue } from '../../pipeline/log/record-queue.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { type FeederEvent, INGEST_KEY } from '../../schemas/avro/feeder-event.ts';
import { limits } from '../../schemas/limits.ts';
import { type ClockStats, openIngestClock } from './ingest-clock.ts';

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface IngestServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Listening address for feeders that push. */
  readonly listen: HostAndPort;
  /** Flag that sets this address, for error messages; default `--listen`. */
  readonly listenFlag?: string;
  /** Maximum number of feeder connections, in all and per address. Defaults are in `limits`. */
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number | null;
  /** Addresses to pull from. */
  readonly feeds: readonly HostAndPort[];
  readonly logger: IngestLog;
  /** Name of this ingest, unique in its log. */
  readonly instance: string;
  readonly time?: TimeSources;
  /** Called at the first frame of a feeder. */
  readonly onFeederSeen?: (feeder: string) => void;
}

export interface IngestStats {
  /** Counts by name since the start of the process: frames, bytes, dropped, rejected by reason. */
  readonly counters: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly connectionsMax: number;
  readonly backlogBytes: number;
  /** Time that the oldest append has waited for the log; 0 if none waits. */
  readonly appendAgeSeconds: number;
  /** By feeder id: frames since it connected. */
  readonly feeders: Readonly<Record<string, number>>;
  readonly simulatedAircraft: number;
  readonly clock: ClockStats;
  /** Time without a feeder; 0 while there is one. */
  readonly withoutFeederMs: number;
  readonly heapBytes: number;
}

export interface IngestService {
  /** Target and counters for sources in the same process. */
  readonly context: IngestContext;
  /** Listening address. */
  readonly listening: string;
  /** Rejects when the log refuses received frames. */
  readonly failed: Promise<never>;
  /** Counts a source in the same process as a feeder until the returned function is called. */
  addSource(): () => void;
  /** Whether too many frames wait for the log. */
  isCongested(): boolean;
  /** Time that the oldest append has waited for the log; 0 if none waits. Idle partitions get a heartbeat five times a second. */
  appendAgeSeconds(): number;
  stats(): IngestStats;
  /** Called when a source in the same process fails. */
  fail(error: unknown): void;
  /**
   * Closes the feeder connections, waits until all received frames are in the log, and closes the log. Waits at most `limits.ingestDrainMsMax`
   * for a log that accepts nothing. Rejects if the log refused frames.
   */
  stop(): Promise<void>;
}

/** Listens for feeders and connects to others. Errors: `listen.port_in_use`, `listen.failed`, those of the log. */
export async function startIngest(options: IngestServiceOptions): Promise<IngestService> {
  const { log, codecs, logger } = options;
  const clock = await openIngestClock(log, logger, options.time);
  const { nowUs } = clock;
  const counters = new Counters();
  const receivers = new ReceiverTable();
  let failure: { readonly error: unknown } | null = null;
  let rejectFailed: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    rejectFailed = reject;
  });
  failed.catch(() => {});
  const fail = (error: unknown): void => {
    failure ??= { error };
    rejectFailed(error);
  };

  const waiting = new AppendAges(log.partitions('frames'));
  const writers = Array.from({ length: log.partitions('frames') }, () => new AvroWriter());
  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters,
    append: (partition, batches) =>
      waiting.during(partition, log.append('frames', partition, frameRecords(codecs, batches, writers[partition]))),
    onFailure: fail,
    nowUs,
  });
  const stopBatcher = runBatcher(batcher, nowUs);

  // In order, because the newest event of a feeder replaces the earlier ones.
  const events = new RecordQueue({ log, topic: 'feeders', waitingMax: limits.feederEventsPendingMax, onFailure: fail });
  const onEvent = (event: FeederEvent): void => {
    if (event.event === 'seen') options.onFeederSeen?.(event.feeder);
    const record = { key: event.feeder, value: codecs.FeederEvent.encode(event), timestampMs: event.timeMs };
    if (!events.add(record)) counters.add('feeder_events_dropped');
  };
  const context: IngestContext = { target: batcher, receivers, counters, nowUs, onEvent, log: logger };
  const registry = new FeederRegistry(context);
  const { connectionsMax = limits.feederConnectionsMax, connectionsPerAddressMax = null } = options;
  const listener = await listenForFeeders({
    ...options.listen,
    flag: options.listenFlag ?? '--listen',
    registry,
    connectionsMax,
    connectionsPerAddressMax,
  });
  const key = `${INGEST_KEY}${options.instance}`;
  const steadyMs = options.time?.steadyMs ?? (() => performance.now());
  const status = new IngestStatus({ key, clock, steadyMs, connections: () => registry.connections, onEvent });
  const connectors = options.feeds.map(({ host, port }) => connectToFeeder({ host, port, registry }));

  return {
    context,
    listening: `${listener.host}:${listener.port}`,
    failed,
    addSource: () => status.addSource(),
    isCongested: () => batcher.congested,
    appendAgeSeconds: () => waiting.oldestSeconds(),
    stats: () => ({
      counters: Object.fromEntries(counters.values),
      connections: registry.connections,
      connectionsMax,
      backlogBytes: batcher.backlogBytes,
      appendAgeSeconds: waiting.oldestSeconds(),
      feeders: Object.fromEntries(registry.statuses().map(({ feeder, frames }) => [feeder, frames])),
      simulatedAircraft: 0,
      clock: clock.stats(),
      withoutFeederMs: status.withoutFeederMs(),
      heapBytes: process.memoryUsage().heapUsed,
    }),
    fail,
    async stop() {
      await Promise.all([listener.close(), ...connectors.map((connector) => connector.close())]);
      await registry.close();
      status.stop();
      // The tombstone says that this ingest is gone, so that readers do not wait for it.
      events.add({ key, value: null, timestampMs: Math.floor(nowUs() / 1000) });
      await clock.stop();
      stopBatcher();
      await batcher.drain();
      await events.stop();
      await log.close();
      if (failure !== null) throw failure.error;
    },
  };
}

/** Start of the oldest pending append, by partition. A retry does not restart it. */
class AppendAges {
  private readonly sinceMs: (number | null)[];

  constructor(partitions: number) {
    this.sinceMs = new Array<number | null>(partitions).fill(null);
  }

  async during(partition: number, append: Promise<unknown>): Promise<void> {
    this.sinceMs[partition] ??= performance.now();
    await append;
    this.sinceMs[partition] = null;
  }

  oldestSeconds(): number {
    const nowMs = performance.now();
    return this.sinceMs.reduce<number>((oldest, since) => (since === null ? oldest : Math.max(oldest, nowMs - since)), 0) / 1000;
  }
}
