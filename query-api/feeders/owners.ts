// Owners of feeders: who proves to be one by UUID, key or address, and what owners decide, as records in the log.

import { timingSafeEqual } from 'node:crypto';
import type { Feeder } from '../../pipeline/feeders/feeder.ts';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import { appendPart, type FeederTarget, writeAndTake } from '../../pipeline/feeders/feeder-writer.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { FeederBan, FeederRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Access } from '../access/access.ts';
import type { Caller, CallerHeaders } from '../access/caller.ts';
import { keyOf } from '../access/key.ts';
import { isOwnHost } from '../access/pages.ts';
import { badValue, QueryError } from '../queries/errors.ts';
import { claimed, hasKey, revoked, rotated } from './keys.ts';

export interface OwnersOptions {
  readonly access: Access;
  readonly feeders: FeederTable;
  readonly secret: InstallationSecret;
  /** Where claims and keys are written; `feeders` follows it. */
  readonly target: FeederTarget;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  /** Ms since the Unix epoch. */
  readonly nowMs: () => number;
}

/** A request to become the owner of a feeder. */
export interface Asker {
  readonly caller: Caller;
  readonly headers: CallerHeaders;
  /** UUID or key; '' for the feeder at the caller's address. */
  readonly proof: string;
}

/** The form that readsb sends: 16 to 32 hex digits, with dashes anywhere. */
const UUID = /^(?=(?:-*[0-9a-f]){16})[0-9a-f-]{16,36}$/;

/**
 * Sessions are computed, not stored. Id, generation of the key, time of the claim, end, in ms since the Unix epoch; then a code that only the secret of the
 * installation makes. A session ends with its time, with a revocation after it began, and when the feeder is forgotten: a later claim has another time.
 */
const SESSION = /^([0-9a-f]{16})\.(\d{1,5})\.(\d{1,16})\.(\d{1,16})\.([\w-]{43})$/;

export class FeederOwners {
  readonly access: Access;
  readonly baseUrl: string;
  readonly nowMs: () => number;
  private readonly options: OwnersOptions;
  private readonly ids: FeederIds;
  /** Acts of this process run one after another: each sees what the one before wrote. */
  private acting: Promise<unknown> = Promise.resolve();

  constructor(options: OwnersOptions) {
    this.options = options;
    this.access = options.access;
    this.baseUrl = options.baseUrl;
    this.nowMs = options.nowMs;
    this.ids = new FeederIds(options.secret);
  }

  /**
   * The feeder of an owner. One without an owner is claimed, and gets its key. Errors: `access.wrong_proof`, `access.many_wrong_keys`,
   * `access.not_claimable`, `access.banned`, those of the log.
   */
  open(asker: Asker): Promise<Feeder> {
    return this.oneByOne(async () => {
      const { feeders } = this.options;
      const id = asker.proof === '' ? this.atAddress(asker) : this.proven(asker);
      const { claim, keys, ban } = feeders.byId(id)!;
      if (ban !== null) throw banned(ban);
      if (claim !== null && keys !== null) return feeders.byId(id)!;
      // Without a claim a key is worth nothing, so that a failure between the two leaves the feeder unclaimed.
      const withKeys = await this.write(id, 'keys', claimed(keys));
      const withClaim = await this.write(id, 'claim', { name: '', showRange: false, claimedAtMs: this.nowMs(), ...claim });
      return { ...withClaim, keys: withKeys.keys };
    });
  }

  /** A session of the owner; null for a feeder without a claim. */
  session({ id, claim, keys }: Feeder): string | null {
    if (claim === null || keys === null) return null;
    const generation = Math.max(keys.generation, keys.revokedBelow);
    const text = `${id}.${generation}.${claim.claimedAtMs}.${this.nowMs() + limits.feederSessionMs}`;
    return `${text}.${this.codeOf(text)}`;
  }

  /** The feeder of a session; null without a valid one. Error: `access.banned`. */
  bySession(session: string): Feeder | null {
    const [, id = '', generation, claimedAtMs, endsMs, code = ''] = SESSION.exec(session) ?? [];
    const expected = this.codeOf(session.slice(0, -code.length - 1));
    if (code === '' || !timingSafeEqual(Buffer.from(code), Buffer.from(expected)) || Number(endsMs) <= this.nowMs()) return null;
    const feeder = this.options.feeders.byId(id);
    if (feeder?.claim?.claimedAtMs !== Number(claimedAtMs) || feeder.keys === null) return null;
    if (Number(generation) < feeder.keys.revokedBelow) return null;
    if (feeder.ban !== null) throw banned(feeder.ban);
    return feeder;
  }

  /** The feeder whose key the caller has; null without a key. Decisions need the newest one: the one before may be rotated away because it leaked. Error: `access.old_key`. */
  byKey({ origin }: Caller, { isNewest }: { readonly isNewest: boolean }): Feeder | null {
    const key = origin?.key ?? null;
    const feeder = key === null ? null : this.options.feeders.byId(key.feeder);
    if (isNewest && feeder !== null && feeder.keys?.generation !== key!.generation) throw new QueryError('access.old_key');
    return feeder;
  }

  /** The caller that a feeder is by its newest key; null without one. */
  callerOf({ id, keys }: Feeder): Caller | null | Promise<Caller> {
    return hasKey(keys) ? this.access.byKey({ feeder: id, generation: keys.generation }) : null;
  }

  /** The newest key; null if the feeder has none. */
  key({ id, keys }: Feeder): string | null {
    return hasKey(keys) ? keyOf({ feeder: id, generation: keys.generation }, this.options.secret) : null;
  }

  /** Errors: `access.no_key_left`, those of the log. */
  rotate(id: string): Promise<Feeder> {
    return this.decide(id, ({ keys }) => this.write(id, 'keys', rotated(keys!, this.nowMs())));
  }

  /** Errors: `access.no_key_left`, those of the log. */
  revoke(id: string): Promise<Feeder> {
    return this.decide(id, ({ keys }) => this.write(id, 'keys', revoked(keys!)));
  }

  /** Errors: `api.bad_value`, those of the log. */
  change(
    id: string,
    { name, showRange }: { readonly name?: string | undefined; readonly showRange?: boolean | undefined },
  ): Promise<Feeder> {
    const plainName = name?.trim().replace(/\s+/g, ' ');
    if (plainName !== undefined && /\p{C}/u.test(plainName)) throw badValue('name', plainName, 'expected letters, digits and signs');
    return this.decide(id, ({ claim }) =>
      this.write(id, 'claim', { ...claim!, name: plainName ?? claim!.name, showRange: showRange ?? claim!.showRange }),
    );
  }

  private codeOf(session: string): string {
    return this.options.secret.macOf('session', session).toString('base64url');
  }

  /** The feeder that a UUID or key proves. */
  private proven({ caller, proof }: Asker): string {
    const { feeders } = this.options;
    const text = proof.trim();
    return this.access.proven(caller.origin?.addressHash ?? caller.principal, 'access.wrong_proof', () => {
      const key = this.access.knownKey(text);
      if (key !== null) {
        const { keys } = feeders.byId(key.feeder)!;
        return hasKey(keys) && keys.generation === key.generation ? key.feeder : null;
      }
      const uuid = text.toLowerCase();
      const id = UUID.test(uuid) ? this.ids.ofUuid(uuid) : '';
      return feeders.byId(id) === null ? null : id;
    });
  }

  /** The feeder that is alone at the caller's address, connected and unclaimed. */
  private atAddress({ caller, headers }: Asker): string {
    const { feeders, baseUrl, nowMs } = this.options;
    const refusal = (detail: string): QueryError => new QueryError('access.not_claimable', { detail });
    const { origin } = caller;
    if (origin === null || origin.isPrivate) throw refusal('your address is one of a private network, which many networks have');
    // A page of somebody else, whose name leads here, would claim the feeder of its reader.
    if (!isOwnHost(headers, baseUrl)) throw refusal('this service does not know its own name, which --base-url says');
    const here = feeders.byAddressHash(origin.addressHash, nowMs());
    const [feeder] = here;
    if (feeder === undefined) throw refusal('none was connected from your address in the last 24 hours');
    if (here.length > 1) throw refusal('several share your address');
    if (feeder.claim !== null) throw refusal('the one at your address has an owner');
    if (feeder.connectedUntilMs <= nowMs()) throw refusal('the one at your address is not connected now');
    return feeder.id;
  }

  /** An act of an owner: nothing happens to a feeder that was forgotten meanwhile. Error: `access.no_session`. */
  private decide(id: string, act: (feeder: Feeder) => Promise<Feeder>): Promise<Feeder> {
    return this.oneByOne(() => {
      const feeder = this.options.feeders.byId(id);
      if (feeder === null || feeder.claim === null || feeder.keys === null) throw new QueryError('access.no_session');
      return act(feeder);
    });
  }

  private oneByOne(act: () => Promise<Feeder>): Promise<Feeder> {
    const done = this.acting.then(act);
    this.acting = done.catch(() => undefined);
    return done;
  }

  /** Writes a part, and waits until this process has read it. */
  private async write<Kind extends 'claim' | 'keys'>(id: string, kind: Kind, part: NonNullable<FeederRecord[Kind]>): Promise<Feeder> {
    const { feeders, target, nowMs } = this.options;
    const wanted = Object.entries(part);
    await writeAndTake(
      feeders,
      () => appendPart(target, kind, { id, part, timeMs: Math.floor(nowMs()) }),
      () => {
        const seen = feeders.byId(id)?.[kind] as Readonly<Record<string, unknown>> | null | undefined;
        return wanted.every(([name, value]) => seen?.[name] === value);
      },
    );
    const feeder = feeders.byId(id);
    if (feeder === null) throw new QueryError('access.no_session');
    return { ...feeder, [kind]: part };
  }
}

function banned({ reason }: FeederBan): QueryError {
  return new QueryError('access.banned', { reason });
}
