// Appends what people decide about feeders. Status and counts are written by ingest and fold.
import { type FeederKeys, type FeederRecord, feederKey, feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { EventLog } from '../log/event-log.ts';
import { settledWithin } from '../runtime/waiting.ts';
import type { FeederTable } from './feeder-table.ts';

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

/**
 * Ends every record of a feeder but `keys`: with them, keys that are revoked do not become valid again when somebody claims it anew. Counts come again
 * with its next frames. Errors: those of the log.
 */
export async function forgetFeeder(
  { log, codecs }: FeederTarget,
  { id, keys, timeMs }: { readonly id: string; readonly keys: FeederKeys | null; readonly timeMs: number },
): Promise<void> {
  const ended = (['status', 'claim', 'ban'] as const).map((kind) => feederKey(kind, id));
  const counts = Array.from({ length: log.partitions('frames') }, (_, partition) => receiverKey(id, partition));
  const left = keys === null ? null : codecs.FeederRecord.encode(feederRecord({ keys }));
  await log.append('feeders', PARTITION, [
    ...[...ended, ...counts].map((key) => ({ key, value: null, timestampMs: timeMs })),
    { key: feederKey('keys', id), value: left, timestampMs: timeMs },
  ]);
}

/** Writes, and waits until the table has it, at most `limits.feederActMsMax`: then the process that wrote knows what it decided. Errors: those of `write`. */
export async function writeAndTake(table: FeederTable, write: () => Promise<void>, isShown: () => boolean): Promise<void> {
  let end = (): void => {};
  const shown = new Promise<void>((resolve) => {
    end = table.onChange(() => {
      if (isShown()) resolve();
    });
  });
  try {
    await write();
    if (!isShown()) await settledWithin(shown, limits.feederActMsMax);
  } finally {
    end();
  }
}
