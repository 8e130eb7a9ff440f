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
import { type Followed, whileWriting } from './while-writing.ts';

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
  const following = whileWriting((signal) => follow(log, codecs, signal), onRetry);
  const isOwner = (): boolean => {
    if (isWriter()) return true;
    void following.stop();
    return false;
  };
  const samples = (): readonly FeederRow[] => following.value()();
  const sampler = startRowSampler(sampledFeeders, { writer, samples, isWriter: isOwner, onRetry, intervalMs });
  exportMetrics(registry, {
    squitter_project_feeder_rows_total: () => sampler.stats.samples,
    squitter_project_feeder_rows_dropped_total: () => sampler.stats.dropped,
  });
  return async () => {
    await sampler.stop();
    await following.stop();
  };
}

/** The rows of the feeders topic; none before it is read up to where it ended at the start. */
function follow(log: EventLog, codecs: Pick<Codecs, 'FeederRecord'>, signal: AbortSignal): Followed<() => readonly FeederRow[]> {
  // The topic keeps every record for an hour: all of these buckets are whole.
  const buckets = new FeederBuckets(Date.now() - limits.feederBucketsKept * FEEDER_ROW_MS);
  let isLoaded = false;
  const { loaded, done } = followTopic({
    ...{ log, topic: 'feeders', after: offsetAfter, signal },
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
  loaded.then(
    () => {
      isLoaded = true;
    },
    () => {},
  );
  return { value: () => (isLoaded ? buckets.rows() : []), done };
}
