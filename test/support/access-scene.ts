// The access layer over its embedded store, feeders and a clock that the test sets; and owners of feeders over it, with a log whose records the table takes
// a moment later.
import { onTestFinished } from 'vitest';
import { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { Access, type Admission } from '../../query-api/access/access.ts';
import type { Caller, CallerHeaders } from '../../query-api/access/caller.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import type { AccessRules } from '../../query-api/access/operators.ts';
import { FeederOwners } from '../../query-api/feeders/owners.ts';
import { type FeederRecord, feederKey, feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { testIds, testSecret } from './secret.ts';
import { temporaryFolder } from './service.ts';

export const START_MS = Date.UTC(2026, 0, 5, 12);
export const DAY_MS = 86_400_000;
export const BASE_URL = 'https://planes.example';
/** Address of the feeder. */
export const HOME = '198.51.100.7';
export const FEEDER = testIds.ofUuid('01234567-89ab-cdef-0123-456789abcdef');

/** Limits of tiers in a store on a folder of its own, which `close` removes. */
export function testAccess(feeders: FeederTable, baseUrl: string, nowMs: () => number, rules: Partial<AccessRules>) {
  const folder = temporaryFolder();
  const store = new EmbeddedLimitStore({ folder: folder.path, nowMs });
  const access = new Access({
    rules: { profile: 'tiers', unlimited: [], trustedProxies: [], pages: 'people', ...rules },
    ...{ secret: testSecret, ids: testIds, feeders, store, baseUrl, nowMs },
  });
  const close = async (): Promise<void> => {
    await store.close();
    folder.remove();
  };
  return { access, close };
}

/** A feeder's connection, from an address with this hash. */
export function connect(
  feeders: FeederTable,
  id: string,
  timeMs: number,
  addressHash: string | null,
  state: 'connected' | 'gone' = 'connected',
): void {
  const status = { timeMs, connectedMs: timeMs - 60_000, state, format: 'beast', frames: 1, bytes: 1, garbageBytes: 0, addressHash };
  feeders.apply(feederKey('status', id), feederRecord({ status }));
}

export class Scene {
  nowMs = START_MS;
  readonly feeders = new FeederTable();
  readonly access: Access;

  constructor(rules: Partial<AccessRules> = {}) {
    const { access, close } = testAccess(this.feeders, BASE_URL, () => this.nowMs, rules);
    onTestFinished(close);
    this.access = access;
  }

  who(address: string, headers: CallerHeaders = {}, url?: string): Caller {
    return this.access.identify(address, { host: 'planes.example', ...headers }, url) as Caller;
  }

  ask(address: string, headers: CallerHeaders = {}, url?: string): Admission {
    return this.access.admit(this.who(address, headers, url), 'turn') as Admission;
  }

  /** A feeder that is connected from HOME, and is a Contributor until then. */
  feed(id = FEEDER, { contributorUntilMs = this.nowMs + DAY_MS, addressHash = testIds.addressHash(HOME) } = {}): void {
    connect(this.feeders, id, this.nowMs, addressHash);
    const counts = { frames: 1, messages: 1, duplicates: 0, positions: 1, disagreements: 0, cleanDf17: 100, aircraft: 1 };
    const range = { rangeNm: new Array<number>(16).fill(0), signalDecidb: -100, lateMs: 0, heardMs: this.nowMs };
    const receiver = { partition: 0, timeMs: this.nowMs, ...counts, ...range, contributorUntilMs };
    this.feeders.apply(receiverKey(id, 0), feederRecord({ receiver }));
  }

  keys(generation: number, { previousEndsMs = 0, revokedBelow = 0 } = {}): void {
    this.feeders.apply(feederKey('keys', FEEDER), feederRecord({ keys: { generation, previousEndsMs, revokedBelow } }));
  }
}

export type OwnersScene = ReturnType<typeof ownersScene>;

export function ownersScene(options: { baseUrl?: string; nowMs?: () => number; rules?: Partial<AccessRules> } = {}) {
  const { baseUrl = '', nowMs = Date.now, rules = {} } = options;
  const feeders = new FeederTable();
  const { access, close } = testAccess(feeders, baseUrl, nowMs, rules);
  /** Keys of the records that were written; the table takes what is written. */
  const written: string[] = [];
  const followed = { isFollowed: true };
  const log = {
    async append(_topic: string, _partition: number, [record]: readonly { key: string; value: Buffer | null }[]) {
      const { key, value } = record!;
      written.push(key);
      if (followed.isFollowed)
        setImmediate(() => feeders.apply(key, value === null ? null : (JSON.parse(value.toString()) as FeederRecord)));
    },
  };
  const codecs = { FeederRecord: { encode: (value: FeederRecord) => Buffer.from(JSON.stringify(value)) } };
  return Object.assign(followed, {
    ...{ feeders, access, written, close },
    owners: new FeederOwners({ access, target: { log: log as unknown as EventLog, codecs }, secret: testSecret, feeders, baseUrl, nowMs }),
    /** A feeder that is connected from an address; null for a private one. */
    feed: (id: string, address: string | null, state?: 'connected' | 'gone'): void =>
      connect(feeders, id, nowMs(), address === null ? null : testIds.ofAddress(address), state),
  });
}
