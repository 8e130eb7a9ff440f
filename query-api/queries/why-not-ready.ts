// The reason why the service cannot serve live data: for `/readyz`, and for the health of every other protocol.
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { QueryError } from './errors.ts';
import { type Freshness, notFresh } from './freshness.ts';

/** The error of a service that is not ready: `api.not_ready`, or one of `freshSnapshot`. Null when it is ready. */
export function whyNotReady(model: Freshness, readiness: Readiness): QueryError | null {
  const reasons = [...(model.view.isReady() ? [] : ['the view is still reading the log']), ...readiness.reasons()];
  return reasons.length > 0 ? new QueryError('api.not_ready', { detail: reasons.join('; ') }) : notFresh(model);
}
