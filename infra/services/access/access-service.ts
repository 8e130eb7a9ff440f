// The access layer of a service: over its feeders and a store of limits, with its metrics and its line at the start.
import type { Registry } from 'prom-client';
import { isKnown } from '../../../pipeline/feeders/feeder.ts';
import { FeederIds } from '../../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../../pipeline/feeders/feeder-table.ts';
import { openFeeders } from '../../../pipeline/feeders/open-feeders.ts';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import type { InstallationSecret } from '../../../pipeline/runtime/installation-secret.ts';
import { exportMetrics, type LabelledRow } from '../../../pipeline/runtime/metrics.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import { Access, NO_TIER } from '../../../query-api/access/access.ts';
import type { LimitStore } from '../../../query-api/access/limit-store.ts';
import { FeederOwners } from '../../../query-api/feeders/owners.ts';
import { tiers } from '../../../schemas/tiers.ts';
import type { Closer } from '../closing.ts';
import { type AccessValues, accessRules } from '../options/access-options.ts';

const limitedTiers = tiers.filter((tier) => tier !== 'anonymous');
const limitCodes = ['access.rate', 'access.budget', 'access.too_many_sockets'];
/** Codes for wrong keys. */
const guessCodes = ['access.wrong_key', 'access.many_wrong_keys'];
const NO_REFUSALS: readonly LabelledRow[] = [
  ...[...limitedTiers, 'page'].flatMap((tier) => limitCodes.map((code) => [code, tier, 0] as const)),
  ...guessCodes.map((code) => [code, NO_TIER, 0] as const),
];

export interface AccessServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly secret: InstallationSecret;
  readonly store: LimitStore;
  readonly registry: Registry;
  readonly readiness: Readiness;
}

export interface AccessService {
  readonly access: Access;
  readonly table: FeederTable;
  readonly feeders: FeederOwners;
  /** Rejects when the feeders can no longer be followed. */
  readonly failed: Promise<never>;
}

/** The store is closed with the access layer. Errors: `access.bad_network`, `secret.differs`, those of the log. */
export async function openAccess(
  values: AccessValues & { readonly baseUrl: string },
  { log, codecs, secret, store, registry, readiness }: AccessServiceOptions,
  closers: Closer[],
): Promise<AccessService> {
  const { table, failed, stop } = await openFeeders({ log, codecs, secret, nowMs: Date.now });
  closers.unshift(stop);
  closers.unshift(() => store.close());
  const { baseUrl } = values;
  const rules = accessRules(values);
  const access = new Access({ rules, secret, feeders: table, baseUrl, ids: new FeederIds(secret), store, nowMs: Date.now });
  readiness.warn('limits', () => (rules.profile === 'open' ? null : store.problem()));
  table.onChange((id) => {
    // An operator has forgotten it. The store itself reports what it cannot save.
    if (!isKnown(table.byId(id))) void store.forget(`feeder/${id}`).catch(() => {});
  });
  exportMetrics(registry, {
    squitter_access_refused_total: () => [...NO_REFUSALS, ...[...access.refused].map(refusedRow)],
    squitter_access_callers: () => [
      ['address', store.stats().addresses],
      ['feeder', store.stats().feeders],
    ],
    squitter_access_table_bytes: () => store.stats().tableBytes,
    squitter_access_shared: () => Number(store.stats().isShared),
    squitter_access_commands_total: () => store.stats().commands,
    squitter_access_timeouts_total: () => store.stats().timeouts,
  });
  const feeders = new FeederOwners({ access, feeders: table, secret, target: { log, codecs }, baseUrl, nowMs: Date.now });
  return { access, table, feeders, failed };
}

function refusedRow([key, count]: readonly [string, number]): LabelledRow {
  const [code = '', tier = ''] = key.split(' ');
  return [code, tier, count];
}

/** For whom there are limits, in one line for the operator. */
export function accessLine({ access: profile, unlimited, pages }: AccessValues): string {
  if (profile === 'open') return 'open: nobody has limits';
  const named = unlimited.length === 0 ? '' : ` ${unlimited.join(', ')}`;
  const onPages = pages === 'people' ? '' : ', on pages, too';
  const others = `all others have tiers (${limitedTiers.join(', ')})${onPages}`;
  if (profile === 'tiers') return `tiers:${named === '' ? ` everybody has limits${onPages}` : `${named} has none, ${others}`}`;
  return `home: this machine and its private networks${named === '' ? '' : ` and${named}`} have no limits, ${others}`;
}
