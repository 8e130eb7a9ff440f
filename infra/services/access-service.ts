// The access layer of a service: over its feeders and a store of limits, with its metrics and its line at the start.
import { Counter, type Registry } from 'prom-client';
import { isKnown } from '../../pipeline/feeders/feeder.ts';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import type { FeederTable } from '../../pipeline/feeders/feeder-table.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import { Metrics } from '../../pipeline/runtime/metrics.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { Access, NO_TIER } from '../../query-api/access/access.ts';
import type { LimitStore } from '../../query-api/access/limit-store.ts';
import type { AccessRules } from '../../query-api/access/operators.ts';
import { tiers } from '../../schemas/tiers.ts';

const limitedTiers = tiers.filter((tier) => tier !== 'anonymous');
const limitCodes = ['access.rate', 'access.budget', 'access.too_many_sockets'];
/** What guesses of keys get. */
const guessCodes = ['access.wrong_key', 'access.many_wrong_keys'];

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
  const metrics = new Metrics(registry);
  new Counter({
    name: 'squitter_access_refused_total',
    help: 'Requests and sockets that were refused, by code of the error and tier',
    labelNames: ['code', 'tier'],
    registers: [registry],
    collect() {
      this.reset();
      // Exported from the start: `increase()` would miss the first count of a series that appears with it.
      for (const tier of [...limitedTiers, 'page']) for (const code of limitCodes) this.inc({ code, tier }, 0);
      for (const code of guessCodes) this.inc({ code, tier: NO_TIER }, 0);
      for (const [key, count] of access.refused) {
        const [code = '', tier = ''] = key.split(' ');
        this.inc({ code, tier }, count);
      }
    },
  });
  metrics.gauges('squitter_access_callers', 'Callers that the store of limits knows', 'kind', () => {
    const { addresses, feeders } = store.stats();
    return [
      ['address', addresses],
      ['feeder', feeders],
    ];
  });
  metrics.gauge('squitter_access_table_bytes', 'Memory of the callers that the store of limits knows', () => store.stats().tableBytes);
  metrics.gauge('squitter_access_shared', '1 while the limits hold for all processes of the installation', () =>
    store.stats().isShared ? 1 : 0,
  );
  metrics.counter('squitter_access_commands_total', 'Commands to Redis', () => store.stats().commands);
  metrics.counter('squitter_access_timeouts_total', 'Commands that Redis did not respond to in time', () => store.stats().timeouts);
  return access;
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
