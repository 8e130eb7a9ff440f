// What the records of a feeder's key become when it is claimed, rotated or revoked: plain data.
import type { FeederKeys } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits.ts';
import { GENERATION_FIRST, GENERATION_MAX } from '../access/key.ts';
import { QueryError } from '../queries/errors.ts';

/** The key of a claim. One that the feeder had before is not valid any more. Error: `access.no_key_left`. */
export function claimed(before: FeederKeys | null): FeederKeys {
  return before === null ? { generation: GENERATION_FIRST, previousEndsMs: 0, revokedBelow: GENERATION_FIRST } : revoked(before);
}

/** A new key; the one before it stays valid for a while, and none before that. Error: `access.no_key_left`. */
export function rotated(keys: FeederKeys, nowMs: number): FeederKeys {
  return { generation: nextOf(keys), previousEndsMs: nowMs + limits.feederKeyOverlapMs, revokedBelow: keys.revokedBelow };
}

/** A new key, and no other. Error: `access.no_key_left`. */
export function revoked(keys: FeederKeys): FeederKeys {
  const generation = nextOf(keys);
  return { generation, previousEndsMs: 0, revokedBelow: generation };
}

/** The newest key is valid: an operator may have revoked it without another one. */
export function hasKey(keys: FeederKeys | null): keys is FeederKeys {
  return keys !== null && keys.generation >= keys.revokedBelow;
}

function nextOf({ generation, revokedBelow }: FeederKeys): number {
  const next = Math.max(generation + 1, revokedBelow);
  if (next > GENERATION_MAX) throw new QueryError('access.no_key_left', { limit: GENERATION_MAX });
  return next;
}
