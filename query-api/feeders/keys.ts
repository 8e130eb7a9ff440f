// The records of a feeder's key after a claim, a rotation and a revocation: plain data.
import type { FeederKeys } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { GENERATION_FIRST, LAST_GENERATION } from '../access/key.ts';
import { QueryError } from '../queries/errors.ts';

/** The key of a claim. One that the feeder had before is not valid any more. Error: `access.no_key_left`. */
export function claimed(before: FeederKeys | null): FeederKeys {
  if (before === null) return { generation: GENERATION_FIRST, previousEndsMs: 0, revokedBelow: GENERATION_FIRST };
  const keys = revoked(before);
  if (!hasKey(keys)) throw noKeyLeft();
  return keys;
}

/** A new key; the one before it stays valid for a while, and none before that. Error: `access.no_key_left`. */
export function rotated({ generation, revokedBelow }: FeederKeys, nowMs: number): FeederKeys {
  if (generation === LAST_GENERATION) throw noKeyLeft();
  return { generation: generation + 1, previousEndsMs: nowMs + limits.feederKeyOverlapMs, revokedBelow };
}

/** A new key, and no other; behind the last one that fits, none. */
export function revoked({ generation }: FeederKeys): FeederKeys {
  return { generation: Math.min(generation + 1, LAST_GENERATION), previousEndsMs: 0, revokedBelow: generation + 1 };
}

/** The newest key is valid. */
export function hasKey(keys: FeederKeys | null): keys is FeederKeys {
  return keys !== null && keys.generation >= keys.revokedBelow;
}

function noKeyLeft(): QueryError {
  return new QueryError('access.no_key_left', { limit: LAST_GENERATION });
}
