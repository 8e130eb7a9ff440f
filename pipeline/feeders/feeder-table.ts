// All feeders in memory: the newest record of each kind, by feeder and by address.
import { type FeederBan, type FeederRecord, parseFeederKey, type ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type CountsBefore, type Feeder, type FeederParts, feederOf } from './feeder.ts';

interface Entry extends FeederParts {
  readonly receivers: Map<number, ReceiverRecord>;
  readonly before: Map<number, CountsBefore>;
  /** Made of the parts when somebody asks. */
  feeder: Feeder | null;
}

export class FeederTable {
  /** Fingerprint of the secret that made the ids; null while no process has written it. */
  installation: string | null = null;
  /** Feeders that made room for others. */
  evicted = 0;
  /** Records that could not be read. */
  malformed = 0;
  /** The ones heard of longest ago first. */
  private readonly entries = new Map<string, Entry>();
  private readonly byAddress = new Map<string, Set<string>>();
  /** Feeders whose ban includes this address. */
  private readonly bansByAddress = new Map<string, Set<string>>();
  private readonly listeners = new Set<(id: string) => void>();
  private readonly feedersMax: number;

  constructor(feedersMax: number = limits.feedersKnownMax) {
    this.feedersMax = feedersMax;
  }

  get size(): number {
    return this.entries.size;
  }

  byId(id: string): Feeder | null {
    const entry = this.entries.get(id);
    if (entry === undefined) return null;
    entry.feeder ??= feederOf(id, entry);
    return entry.feeder;
  }

  /** The feeders that callers from this address count as at `nowMs`: those whose newest address it is and that were connected in the last 24 h. */
  byAddressHash(addressHash: string, nowMs: number): readonly Feeder[] {
    const ids = this.byAddress.get(addressHash);
    if (ids === undefined) return [];
    return [...ids].map((id) => this.byId(id)!).filter(({ addressUntilMs }) => nowMs < addressUntilMs);
  }

  /** All feeders, the one heard of longest ago first. */
  ids(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** The feeders whose newest address it is, however long ago, and those whose ban includes it. */
  idsAt(addressHash: string): readonly string[] {
    return [...new Set([...(this.byAddress.get(addressHash) ?? []), ...(this.bansByAddress.get(addressHash) ?? [])])];
  }

  /** The ban of the feeder, or one that includes the address; null without any. */
  banOf(id: string, addressHash: string | null): FeederBan | null {
    const own = this.entries.get(id)?.ban ?? null;
    if (own !== null || addressHash === null) return own;
    const [other] = this.bansByAddress.get(addressHash) ?? [];
    return other === undefined ? null : this.entries.get(other)!.ban;
  }

  /** The feeder or its address is banned. */
  isBanned(id: string, addressHash: string | null): boolean {
    return this.banOf(id, addressHash) !== null;
  }

  /** Calls the listener with the id of a feeder after each of its records. Returns the function that ends it. */
  onChange(listener: (id: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Takes a record of the topic: `value` null is a tombstone. Keys that are not known are left out. */
  apply(key: string, value: FeederRecord | null): void {
    const parsed = parseFeederKey(key);
    if (parsed === null || parsed.kind === 'ingest') return;
    if (parsed.kind === 'installation') {
      this.installation = value?.installation?.fingerprint ?? null;
      return;
    }
    const { id, partition } = parsed;
    const entry = this.heard(id, value !== null);
    if (entry === null) return;
    this.index(id, entry, false);
    switch (parsed.kind) {
      case 'receiver':
        takeReceiver(entry, partition, value?.receiver ?? null);
        break;
      case 'status':
        entry.status = value?.status ?? null;
        break;
      case 'claim':
        entry.claim = value?.claim ?? null;
        break;
      case 'keys':
        entry.keys = value?.keys ?? null;
        break;
      case 'ban':
        entry.ban = value?.ban ?? null;
        break;
    }
    entry.feeder = null;
    if (isEmpty(entry)) this.entries.delete(id);
    else this.index(id, entry, true);
    for (const listener of this.listeners) listener(id);
  }

  /** The entry, as the one heard of last; null if there is none and `create` is false. */
  private heard(id: string, create: boolean): Entry | null {
    const known = this.entries.get(id);
    if (known === undefined && !create) return null;
    const entry: Entry = known ?? emptyEntry();
    if (known === undefined) this.makeRoom();
    else this.entries.delete(id);
    this.entries.set(id, entry);
    return entry;
  }

  /** Removes the feeder heard of longest ago, one without claim and ban if there is one. */
  private makeRoom(): void {
    if (this.entries.size < this.feedersMax) return;
    let oldest: string | undefined;
    for (const [id, { claim, keys, ban }] of this.entries) {
      oldest ??= id;
      if (claim !== null || keys !== null || ban !== null) continue;
      oldest = id;
      break;
    }
    if (oldest === undefined) return;
    this.index(oldest, this.entries.get(oldest)!, false);
    this.entries.delete(oldest);
    this.evicted += 1;
  }

  /** Adds the entry to the addresses, or removes it from them. */
  private index(id: string, { status, ban }: Entry, isThere: boolean): void {
    for (const [ids, hash] of [
      [this.byAddress, status?.addressHash ?? null],
      [this.bansByAddress, ban?.addressHash ?? null],
    ] as const) {
      if (hash === null) continue;
      const idsOfHash = ids.get(hash) ?? new Set();
      if (isThere) idsOfHash.add(id);
      else idsOfHash.delete(id);
      if (idsOfHash.size === 0) ids.delete(hash);
      else ids.set(hash, idsOfHash);
    }
  }
}

function emptyEntry(): Entry {
  return { status: null, receivers: new Map(), before: new Map(), claim: null, keys: null, ban: null, feeder: null };
}

function takeReceiver({ receivers, before }: Entry, partition: number, record: ReceiverRecord | null): void {
  const known = receivers.get(partition);
  if (record === null) {
    receivers.delete(partition);
    before.delete(partition);
    return;
  }
  receivers.set(partition, record);
  if (known === undefined || record.timeMs <= known.timeMs) return;
  const { timeMs, frames, positions, disagreements } = known;
  before.set(partition, { timeMs, frames, positions, disagreements });
}

function isEmpty({ status, receivers, claim, keys, ban }: Entry): boolean {
  return status === null && receivers.size === 0 && claim === null && keys === null && ban === null;
}
