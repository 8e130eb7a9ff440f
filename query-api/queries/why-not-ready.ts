// The reason why the service cannot serve live data: for `/readyz`, and for the health of every other protocol.
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { QueryError } from './errors.ts';
import { type Freshness, freshSnapshot } from './freshness.ts';

/** The error of a service that is not ready: `api.not_ready`, or one of `freshSnapshot`. Null when it is ready. */
export function whyNotReady(model: Freshness, readiness: Readiness): QueryError | null {
  const reasons = [...(model.view.isReady() ? [] : ['the view is still reading the log']), ...readiness.reasons()];
  if (reasons.length > 0) return new QueryError('api.not_ready', { detail: reasons.join('; ') });
  try {
    freshSnapshot(model);
    return null;
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}
