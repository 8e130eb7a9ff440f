// The access layer of a service: over its feeders and a store of limits, with its metrics and its line at the start.
import type { Registry } from 'prom-client';
import { isKnown } from '../../pipeline/feeders/feeder.ts';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import { exportMetrics, type LabelledRow } from '../../pipeline/runtime/metrics.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { Access, NO_TIER } from '../../query-api/access/access.ts';
import type { LimitStore } from '../../query-api/access/limit-store.ts';
import type { AccessRules } from '../../query-api/access/operators.ts';
import { tiers } from '../../schemas/tiers.ts';

const limitedTiers = tiers.filter((tier) => tier !== 'anonymous');
const limitCodes = ['access.rate', 'access.budget', 'access.too_many_sockets'];
/** Codes for wrong keys. */
const guessCodes = ['access.wrong_key', 'access.many_wrong_keys'];
const NO_REFUSALS: readonly LabelledRow[] = [
  ...[...limitedTiers, 'page'].flatMap((tier) => limitCodes.map((code) => [code, tier, 0] as const)),
  ...guessCodes.map((code) => [code, NO_TIER, 0] as const),
];

export interface AccessServiceOptions {
  readonly rules: AccessRules;
  readonly secret: InstallationSecret;
  readonly feeders: FeederTable;
  readonly store: LimitStore;
  readonly baseUrl: string;
  readonly registry: Registry;
  readonly readiness: Readiness;
}

/** Error: `access.bad_network`. */
export function openAccess({ registry, readiness, store, ...options }: AccessServiceOptions): Access {
  const access = new Access({ ...options, ids: new FeederIds(options.secret), store, nowMs: Date.now });
  readiness.warn('limits', () => (options.rules.profile === 'open' ? null : store.problem()));
  const { feeders } = options;
  feeders.onChange((id) => {
    // An operator had it forgotten. What the store cannot save, it says itself.
    if (!isKnown(feeders.byId(id))) void store.forget(`feeder/${id}`).catch(() => {});
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
  return access;
}

function refusedRow([key, count]: readonly [string, number]): LabelledRow {
  const [code = '', tier = ''] = key.split(' ');
  return [code, tier, count];
}

/** For whom there are limits, in one line for the operator. */
export function accessLine({ profile, unlimited, pages }: AccessRules): string {
  if (profile === 'open') return 'open: nobody has limits';
  const named = unlimited.length === 0 ? '' : ` ${unlimited.join(', ')}`;
  const onPages = pages === 'people' ? '' : ', on pages, too';
  const others = `all others have tiers (${limitedTiers.join(', ')})${onPages}`;
  if (profile === 'tiers') return `tiers:${named === '' ? ` everybody has limits${onPages}` : `${named} has none, ${others}`}`;
  return `home: this machine and its private networks${named === '' ? '' : ` and${named}`} have no limits, ${others}`;
}
