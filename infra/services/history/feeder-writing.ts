// The history of feeders into the store, in every profile: rows made of the counts in the feeders topic.
import type { Registry } from 'prom-client';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import { offsetAfter } from '../../../pipeline/log/damage.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { followTopic } from '../../../pipeline/log/follow-topic.ts';
import { FeederBuckets, type FeederRow, sampledFeeders } from '../../../pipeline/project/feeder-buckets.ts';
import type { HistoryWriter } from '../../../pipeline/project/projection.ts';
import { startRowSampler } from '../../../pipeline/project/row-sampler.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { parseFeederKey } from '../../../schemas/avro/feeder-record.ts';
import { FEEDER_ROW_MS } from '../../../schemas/feeder-history.ts';
import { limits } from '../../../schemas/limits/index.ts';

export interface FeederWritingOptions {
  readonly writer: HistoryWriter;
  readonly log: EventLog;
  readonly codecs: Pick<Codecs, 'FeederRecord'>;
  readonly isWriter: () => boolean;
  readonly registry: Registry;
  readonly onRetry: (error: unknown) => void;
  readonly intervalMs?: number;
}

/** Starts to write; returns the function that stops it. The topic is read only while this process writes. */
export function startFeederWriting(options: FeederWritingOptions): () => Promise<void> {
  const { writer, log, codecs, isWriter, registry, onRetry, intervalMs = limits.feederWriteMs } = options;
  let following: Following | null = null;
  const samples = (): readonly FeederRow[] => {
    following ??= follow(log, codecs, (error) => {
      onRetry(error);
      // The next look begins again.
      following = null;
    });
    return following.isLoaded() ? following.buckets.rows() : [];
  };
  const isOwner = (): boolean => {
    if (isWriter()) return true;
    void following?.stop();
    following = null;
    return false;
  };
  const sampler = startRowSampler(sampledFeeders, { writer, samples, isWriter: isOwner, onRetry, intervalMs });
  exportMetrics(registry, {
    squitter_project_feeder_rows_total: () => sampler.stats.samples,
    squitter_project_feeder_rows_dropped_total: () => sampler.stats.dropped,
  });
  return async () => {
    await sampler.stop();
    await following?.stop();
  };
}

interface Following {
  readonly buckets: FeederBuckets;
  /** The topic is read up to where it ended at the start. */
  readonly isLoaded: () => boolean;
  readonly stop: () => Promise<void>;
}

function follow(log: EventLog, codecs: Pick<Codecs, 'FeederRecord'>, onFailed: (error: unknown) => void): Following {
  const stopping = new AbortController();
  // The topic keeps every record for an hour: all of these buckets are whole.
  const buckets = new FeederBuckets(Date.now() - limits.feederBucketsKept * FEEDER_ROW_MS);
  let isLoaded = false;
  const followed = followTopic({
    ...{ log, topic: 'feeders', after: offsetAfter, signal: stopping.signal },
    onRecord({ key, value }) {
      const parsed = key === null || value === null ? null : parseFeederKey(key);
      if (parsed?.kind !== 'receiver') return;
      try {
        const { receiver } = codecs.FeederRecord.decode(value!);
        if (receiver !== null) buckets.add(parsed.id, receiver);
      } catch {
        // The table of feeders counts records that cannot be read.
      }
    },
  });
  followed.loaded.then(
    () => {
      isLoaded = true;
    },
    () => {},
  );
  const ended = followed.done.catch((error: unknown) => {
    if (!stopping.signal.aborted) onFailed(error);
  });
  return {
    buckets,
    isLoaded: () => isLoaded,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
