// Appends what people decide about feeders. Status and counts are written by ingest and fold.
import { type FeederRecord, feederKey, feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import type { EventLog } from '../log/event-log.ts';

const PARTITION = 0;

export interface FeederTarget {
  readonly log: EventLog;
  readonly codecs: { readonly FeederRecord: { encode(value: FeederRecord): Buffer } };
}

/** Parts that people decide about. */
export type DecidedPart = 'claim' | 'keys' | 'ban';

/** Writes one part of a feeder; null ends it. Errors: those of the log. */
export async function appendPart<Kind extends DecidedPart>(
  { log, codecs }: FeederTarget,
  kind: Kind,
  { id, part, timeMs }: { readonly id: string; readonly part: FeederRecord[Kind]; readonly timeMs: number },
): Promise<void> {
  const value = part === null ? null : codecs.FeederRecord.encode(feederRecord({ [kind]: part }));
  await log.append('feeders', PARTITION, [{ key: feederKey(kind, id), value, timestampMs: timeMs }]);
}

/** Ends every record of a feeder. Counts come again with its next frames. Errors: those of the log. */
export async function forgetFeeder({ log }: FeederTarget, id: string, timeMs: number): Promise<void> {
  const kinds = ['status', 'claim', 'keys', 'ban'] as const;
  const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => receiverKey(id, partition));
  const keys = [...kinds.map((kind) => feederKey(kind, id)), ...partitions];
  await log.append(
    'feeders',
    PARTITION,
    keys.map((key) => ({ key, value: null, timestampMs: timeMs })),
  );
}
