// Owners of feeders over the access layer, for tests: feeders in memory, and a log whose records the table takes a moment later.
import { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { Access } from '../../query-api/access/access.ts';
import type { AccessRules } from '../../query-api/access/operators.ts';
import { FeederOwners } from '../../query-api/feeders/owners.ts';
import type { FeederRecord } from '../../schemas/avro/feeder-record.ts';
import { connect, testAccess } from './access-scene.ts';
import { testIds, testSecret } from './secret.ts';

export interface OwnersScene {
  readonly feeders: FeederTable;
  readonly access: Access;
  readonly owners: FeederOwners;
  /** Keys of the records that were written. */
  readonly written: string[];
  /** The table takes what is written. */
  isFollowed: boolean;
  /** A feeder that is connected from an address; null for a private one. */
  feed(id: string, address: string | null, state?: 'connected' | 'gone'): void;
  close(): Promise<void>;
}

export function ownersScene(options: { baseUrl?: string; nowMs?: () => number; rules?: Partial<AccessRules> } = {}): OwnersScene {
  const { baseUrl = '', nowMs = Date.now, rules = {} } = options;
  const feeders = new FeederTable();
  const { access, close } = testAccess(feeders, baseUrl, nowMs, rules);
  const log = {
    async append(_topic: string, _partition: number, [record]: readonly { key: string; value: Buffer | null }[]) {
      const { key, value } = record!;
      scene.written.push(key);
      if (scene.isFollowed) setImmediate(() => feeders.apply(key, value === null ? null : (JSON.parse(value.toString()) as FeederRecord)));
    },
  };
  const codecs = { FeederRecord: { encode: (value: FeederRecord) => Buffer.from(JSON.stringify(value)) } };
  const scene: OwnersScene = {
    ...{ feeders, access, written: [], isFollowed: true },
    owners: new FeederOwners({ access, target: { log: log as unknown as EventLog, codecs }, secret: testSecret, feeders, baseUrl, nowMs }),
    feed: (id, address, state) => connect(feeders, id, nowMs(), address === null ? null : testIds.ofAddress(address), state),
    close,
  };
  return scene;
}
