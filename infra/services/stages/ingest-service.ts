// The ingest as a service, in every profile: feeders in, FrameBatch records and the status of feeders out.
import { AvroWriter } from '../../../pipeline/avro/writer.ts';
import { FeederIds } from '../../../pipeline/feeders/feeder-ids.ts';
import { openFeeders } from '../../../pipeline/feeders/open-feeders.ts';
import { Batcher, type BatcherOptions, runBatcher } from '../../../pipeline/ingest/batcher.ts';
import type { TimeSources } from '../../../pipeline/ingest/event-clock.ts';
import { FeederRegistry } from '../../../pipeline/ingest/feeder-registry.ts';
import type { IngestContext, IngestLog } from '../../../pipeline/ingest/feeder-session.ts';
import { frameRecords } from '../../../pipeline/ingest/frame-records.ts';
import { IngestStatus } from '../../../pipeline/ingest/ingest-status.ts';
import { ReceiverTable } from '../../../pipeline/ingest/receivers.ts';
import { TcpConnector } from '../../../pipeline/ingest/tcp-connector.ts';
import { listenForFeeders } from '../../../pipeline/ingest/tcp-listener.ts';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { RecordQueue } from '../../../pipeline/log/record-queue.ts';
import { Counters } from '../../../pipeline/runtime/counters.ts';
import type { InstallationSecret } from '../../../pipeline/runtime/installation-secret.ts';
import type { Endpoint } from '../../../pipeline/runtime/options.ts';
import { failure } from '../../../pipeline/runtime/waiting.ts';
import { type FeederRecord, feederKey, feederRecord } from '../../../schemas/avro/feeder-record.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type ClockStats, openIngestClock } from './ingest-clock.ts';

type HostAndPort = Pick<Endpoint, 'host' | 'port'>;

export interface IngestServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  /** Makes all ids that are written. */
  readonly secret: InstallationSecret;
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
  /** Time that the oldest append has waited for the log; 0 if none waits. Idle partitions get a heartbeat five times a second. */
  readonly appendAgeSeconds: number;
  readonly simulatedAircraft: number;
  readonly clock: ClockStats;
  /** Time without a feeder; 0 while there is one. */
  readonly withoutFeederMs: number;
}

/** Listens for feeders and connects to others. Errors: `listen.port_in_use`, `listen.failed`, `secret.differs`, those of the log. */
export async function startIngest(options: IngestServiceOptions) {
  const { log, codecs, logger } = options;
  const clock = await openIngestClock(log, logger, options.time);
  const { nowUs } = clock;
  const counters = new Counters();
  const receivers = new ReceiverTable();
  const { failed, fail } = failure();

  const { batcher, waiting } = openBatcher(options, { receivers, counters, onFailure: fail, nowUs });
  const stopBatcher = runBatcher(batcher, nowUs);

  // In order, because the newest event of a feeder replaces the earlier ones.
  const events = new RecordQueue({ log, topic: 'feeders', waitingMax: limits.feederEventsPendingMax, onFailure: fail });
  const write = (key: string, part: Partial<FeederRecord>, timeMs: number): void => {
    const record = { key, value: codecs.FeederRecord.encode(feederRecord(part)), timestampMs: timeMs };
    if (!events.add(record)) counters.add('feeder_events_dropped');
  };
  const known = await openFeeders({ log, codecs, secret: options.secret, nowMs: () => nowUs() / 1000 });
  known.failed.catch(fail);
  const context: IngestContext = {
    ...{ target: batcher, receivers, counters, nowUs, log: logger },
    ids: new FeederIds(options.secret),
    isBanned: (feeder, addressHash) => known.table.isBanned(feeder, addressHash),
    onSeen: (feeder) => options.onFeederSeen?.(feeder),
    onStatus: (feeder, status) => write(feederKey('status', feeder), { status }, status.timeMs),
  };
  const registry = new FeederRegistry(context);
  known.table.onChange((feeder) => {
    if (known.table.isBanned(feeder, null)) registry.closeBanned();
  });
  const { connectionsMax = limits.feederConnectionsMax, connectionsPerAddressMax = null } = options;
  const listener = await listenForFeeders({
    ...options.listen,
    flag: options.listenFlag ?? '--listen',
    registry,
    connectionsMax,
    connectionsPerAddressMax,
  });
  const key = feederKey('ingest', options.instance);
  const steadyMs = options.time?.steadyMs ?? (() => performance.now());
  const status = new IngestStatus({
    ...{ clock, steadyMs },
    connections: () => registry.connections,
    onStatus: (ingest, timeMs) => write(key, { ingest }, timeMs),
  });
  const connectors = options.feeds.map(({ host, port }, i) => new TcpConnector({ host, port, number: i + 1, registry }));

  return {
    /** Target and counters for sources in the same process. */
    context,
    /** Listening address. */
    listening: `${listener.host}:${listener.port}`,
    /** Rejects when the log refuses received frames. */
    failed,
    /** Counts a source in the same process as a feeder until the returned function is called. */
    addSource: () => status.addSource(),
    /** True while too many frames wait for the log. */
    isCongested: () => batcher.congested,
    stats: (): IngestStats => ({
      counters: Object.fromEntries(counters.values),
      connections: registry.connections,
      connectionsMax,
      backlogBytes: batcher.backlogBytes,
      appendAgeSeconds: waiting.oldestSeconds(),
      simulatedAircraft: 0,
      clock: clock.stats(),
      withoutFeederMs: status.withoutFeederMs(),
    }),
    /** Called when a source in the same process fails. */
    fail,
    /**
     * Closes the feeder connections, waits until all received frames are in the log, and closes the log. Waits at most `limits.ingestDrainMsMax`
     * for a log that accepts nothing. Rejects if the log refused frames.
     */
    async stop(): Promise<void> {
      await Promise.all([listener.close(), ...connectors.map((connector) => connector.close())]);
      await registry.close();
      status.stop();
      // The tombstone says that this ingest is gone, so that readers do not wait for it.
      events.add({ key, value: null, timestampMs: Math.floor(nowUs() / 1000) });
      await known.stop();
      await clock.stop();
      stopBatcher();
      await batcher.drain();
      await events.stop();
      await log.close();
      // Rejects if the log refused frames.
      await Promise.race([failed, undefined]);
    },
  };
}

function openBatcher(
  { log, codecs }: IngestServiceOptions,
  shared: Pick<BatcherOptions, 'receivers' | 'counters' | 'onFailure' | 'nowUs'>,
): { readonly batcher: Batcher; readonly waiting: AppendAges } {
  const partitions = log.partitions('frames');
  const waiting = new AppendAges(partitions);
  const writers = Array.from({ length: partitions }, () => new AvroWriter());
  const batcher = new Batcher({
    ...shared,
    partitions,
    append: (partition, batches) =>
      waiting.during(partition, log.append('frames', partition, frameRecords(codecs, batches, writers[partition]))),
  });
  return { batcher, waiting };
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
