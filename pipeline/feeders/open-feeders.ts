// The table of feeders of a process: follows the topic, and proves that this process makes ids with the secret of the installation.
import { type FeederRecord, feederRecord } from '../../schemas/avro/feeder-record.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { offsetAfter } from '../log/damage.ts';
import type { EventLog } from '../log/event-log.ts';
import { followTopic } from '../log/follow-topic.ts';
import { RecordQueue } from '../log/record-queue.ts';
import type { InstallationSecret } from '../runtime/installation-secret.ts';
import { failure } from '../runtime/waiting.ts';
import { FeederTable } from './feeder-table.ts';
import type { FeederTarget } from './feeder-writer.ts';

const INSTALLATION_KEY = 'installation';

export interface FeedersOptions {
  readonly log: EventLog;
  readonly codecs: FeederTarget['codecs'] & { readonly FeederRecord: { decode(bytes: Uint8Array): FeederRecord } };
  readonly secret: InstallationSecret;
  /** Time of the record that the first process of an installation writes. Null: this process is not the first one, and writes nothing. */
  readonly nowMs: (() => number) | null;
}

export interface OpenFeeders {
  readonly table: FeederTable;
  /** Rejects when the log cannot be followed, and with `secret.differs` when another process brings another secret. */
  readonly failed: Promise<never>;
  /** Call it before the log is closed. */
  stop(): Promise<void>;
}

/** Resolves when the table has all that the topic had. Errors: `secret.differs`, `feeders.no_installation` with `nowMs` null, those of the log. */
export async function openFeeders({ log, codecs, secret, nowMs }: FeedersOptions): Promise<OpenFeeders> {
  const table = new FeederTable();
  const stopping = new AbortController();
  const { failed, fail } = failure();
  const problem = (): SquitterError | null => {
    const { installation: known } = table;
    if (known === null) return nowMs === null ? new SquitterError('feeders.no_installation') : null;
    return known === secret.fingerprint ? null : new SquitterError('secret.differs', { own: secret.fingerprint, known });
  };
  let isLoaded = false;
  const followed = followTopic({
    ...{ log, topic: 'feeders', after: offsetAfter, signal: stopping.signal },
    onRecord({ key, value }) {
      if (key === null) return;
      try {
        table.apply(key, value === null ? null : codecs.FeederRecord.decode(value));
      } catch {
        table.malformed += 1;
        return;
      }
      const found = isLoaded && key === INSTALLATION_KEY ? problem() : null;
      if (found !== null) fail(found);
    },
  });
  await followed.loaded;
  isLoaded = true;
  followed.done.catch(fail);
  const queue = new RecordQueue({ log, topic: 'feeders', waitingMax: 1, onFailure: fail });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await followed.done.catch(() => {});
    await queue.stop();
  };
  const found = problem();
  if (found !== null) {
    await stop();
    throw found;
  }
  if (table.installation === null && nowMs !== null) {
    const value = codecs.FeederRecord.encode(feederRecord({ installation: { fingerprint: secret.fingerprint } }));
    queue.add({ key: INSTALLATION_KEY, value, timestampMs: Math.floor(nowMs()) });
  }
  return { table, failed, stop };
}
