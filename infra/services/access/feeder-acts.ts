// Questions and decisions of operators about feeders, over the table of a process and its log. Each decision is a record of the feeders topic.
import type { FeederIds } from '../../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../../pipeline/feeders/feeder-table.ts';
import { appendPart, type FeederTarget, forgetFeeder, writeAndTake } from '../../../pipeline/feeders/feeder-writer.ts';
import { isAddress, plainAddress } from '../../../pipeline/runtime/plain-address.ts';
import { revoked } from '../../../query-api/feeders/keys.ts';
import { type FeederRecord, isFeederId } from '../../../schemas/avro/feeder-record.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { type FeederReport, feederReport } from './feeder-report.ts';

const acts = ['list', 'show', 'ban', 'unban', 'forget', 'revoke'] as const;
export type FeederAct = (typeof acts)[number];

/** It is a record of the log; the others only ask. */
export function isDecision(act: FeederAct): boolean {
  return act !== 'list' && act !== 'show';
}

export interface FeederRequest {
  readonly act: FeederAct;
  /** Id, UUID or address; empty with `list`. */
  readonly feeder: string;
  /** The reason of a ban. */
  readonly reason: string;
}

/** A request that came as JSON. Error: `operator.bad_request`. */
export function feederRequest(value: unknown): FeederRequest {
  const { act, feeder, reason } = (value ?? {}) as Partial<Record<keyof FeederRequest, unknown>>;
  const known = acts.find((name) => name === act);
  if (known === undefined || typeof feeder !== 'string' || typeof reason !== 'string') throw new SquitterError('operator.bad_request');
  return { act: known, feeder, reason };
}

export interface FeederActsOptions extends FeederTarget {
  readonly table: FeederTable;
  readonly ids: FeederIds;
  readonly nowMs: () => number;
}

/** A complete UUID: a mistyped one is refused, so that an operator does not believe in a ban that bans no feeder. */
const UUID = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/;

interface Named {
  readonly id: string;
  /** Keyed hash of the public address by which it was named. */
  readonly addressHash: string | null;
}

export class FeederActs {
  private readonly options: FeederActsOptions;

  constructor(options: FeederActsOptions) {
    this.options = options;
  }

  /**
   * Reports of the feeders asked for: as they are afterwards, of `forget` as it was. A decision is known to this process when its report comes.
   * Errors: `feeders.unknown`, `feeders.several`, `feeders.no_key`, `usage.bad_value`, those of the log.
   */
  async *run({ act, feeder, reason }: FeederRequest): AsyncGenerator<FeederReport> {
    const { table } = this.options;
    if (act === 'list') {
      for (const id of table.ids()) {
        const report = this.report(id);
        if (report !== null) yield report;
      }
      return;
    }
    const named = this.named(feeder);
    const before = this.report(named.id);
    // Somebody who was never here may be banned, except by an id: that is a mistake.
    if (before === null && (act !== 'ban' || isFeederId(feeder.toLowerCase()))) throw new SquitterError('feeders.unknown', { feeder });
    if (act === 'ban') await this.ban(named, reason);
    else if (act === 'unban') await this.unban(named.id);
    else if (act === 'forget') await this.forget(named.id);
    else if (act === 'revoke') await this.revoke(named.id);
    yield act === 'forget' ? before! : this.report(named.id)!;
  }

  /** The feeder that this text names. Errors: `feeders.several`, `usage.bad_value`. */
  private named(text: string): Named {
    const { ids, table } = this.options;
    const lower = text.trim().toLowerCase();
    if (isFeederId(lower)) return { id: lower, addressHash: null };
    if (UUID.test(lower)) return { id: ids.ofUuid(lower), addressHash: null };
    if (!isAddress(plainAddress(lower)))
      throw new SquitterError('usage.bad_value', {
        flag: 'ID',
        value: text,
        detail: 'expected the id of a feeder, its UUID or its address',
      });
    const addressHash = ids.addressHash(lower);
    const known = addressHash === null ? [] : table.idsAt(addressHash).filter((id) => this.report(id) !== null);
    if (known.length > 1) throw new SquitterError('feeders.several', { feeder: text, ids: known.join(', ') });
    // No feeder is known at this address: it names the one that sends no UUID.
    return { id: known[0] ?? ids.ofAddress(lower), addressHash };
  }

  private report(id: string): FeederReport | null {
    return feederReport(id, this.options.table, this.options.nowMs());
  }

  private async ban({ id, addressHash }: Named, reason: string): Promise<void> {
    const { table, nowMs } = this.options;
    const sinceMs = nowMs();
    const part = { reason, sinceMs, addressHash: addressHash ?? table.byId(id)?.addressHash ?? null };
    await this.append('ban', { id, part, timeMs: sinceMs }, () => table.byId(id)?.ban?.sinceMs === sinceMs);
  }

  private async unban(id: string): Promise<void> {
    const { table, nowMs } = this.options;
    await this.append('ban', { id, part: null, timeMs: nowMs() }, () => (table.byId(id)?.ban ?? null) === null);
  }

  private async revoke(id: string): Promise<void> {
    const { table, nowMs } = this.options;
    const keys = table.byId(id)?.keys ?? null;
    if (keys === null) throw new SquitterError('feeders.no_key', { id });
    const part = revoked(keys);
    const isKnown = (): boolean => (table.byId(id)?.keys?.revokedBelow ?? part.revokedBelow) >= part.revokedBelow;
    await this.append('keys', { id, part, timeMs: nowMs() }, isKnown);
  }

  private async forget(id: string): Promise<void> {
    const { table, nowMs } = this.options;
    const keys = table.byId(id)?.keys ?? null;
    const forgotten = { id, keys: keys === null ? null : revoked(keys), timeMs: nowMs() };
    await writeAndTake(
      table,
      () => forgetFeeder(this.options, forgotten),
      () => this.report(id) === null,
    );
  }

  /** Appends a part of a feeder's record. Resolves when the table has it. */
  private append<Kind extends 'ban' | 'keys'>(
    kind: Kind,
    record: { readonly id: string; readonly part: FeederRecord[Kind]; readonly timeMs: number },
    isTaken: () => boolean,
  ): Promise<void> {
    return writeAndTake(this.options.table, () => appendPart(this.options, kind, record), isTaken);
  }
}
