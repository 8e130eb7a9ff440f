// Sessions of owners. They are computed, not stored: the text says whose it is, and a code that only the secret of the installation makes proves it.
// A session ends with its time, with a revocation after it began, and when the feeder is forgotten: a later claim has another time.
import { timingSafeEqual } from 'node:crypto';
import type { Feeder } from '../../pipeline/feeders/feeder.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import { limits } from '../../schemas/limits/index.ts';

/** Id, generation of the key, time of the claim, end; then the code. Times are ms since the Unix epoch. */
const FORM = /^([0-9a-f]{16})\.(\d{1,5})\.(\d{1,16})\.(\d{1,16})\.([\w-]{43})$/;

/** A new session of the owner of a feeder; null for a feeder without a claim. */
export function sessionOf({ id, claim, keys }: Feeder, secret: InstallationSecret, nowMs: number): string | null {
  if (claim === null || keys === null) return null;
  const generation = Math.max(keys.generation, keys.revokedBelow);
  const text = `${id}.${generation}.${claim.claimedAtMs}.${nowMs + limits.feederSessionMs}`;
  return `${text}.${codeOf(text, secret)}`;
}

/** The feeder that a session is of, as `byId` knows it; null if it is none, or has ended. */
export function feederOfSession(
  session: string,
  { secret, byId, nowMs }: { readonly secret: InstallationSecret; readonly byId: (id: string) => Feeder | null; readonly nowMs: number },
): Feeder | null {
  const [, id = '', generation, claimedAtMs, endsMs, code = ''] = FORM.exec(session) ?? [];
  const expected = codeOf(session.slice(0, -code.length - 1), secret);
  if (code === '' || !timingSafeEqual(Buffer.from(code), Buffer.from(expected)) || Number(endsMs) <= nowMs) return null;
  const feeder = byId(id);
  if (feeder?.claim?.claimedAtMs !== Number(claimedAtMs) || feeder.keys === null) return null;
  return Number(generation) >= feeder.keys.revokedBelow ? feeder : null;
}

function codeOf(text: string, secret: InstallationSecret): string {
  return secret.macOf('session', text).toString('base64url');
}
