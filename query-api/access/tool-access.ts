// Who may use the tool server: callers with a key, feeders by their address, and programs on the service's own machine. Keys and feeders come with
// the access issue.

import { plainAddress } from '../../pipeline/runtime/plain-address.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { CallerHeaders } from './caller.ts';

export interface ToolAccess {
  /** Callers without a key and without a feeder are admitted, too. */
  readonly isTrialOpen: boolean;
}

/** A proxy adds one of these, or one that begins with `x-forwarded`: then the address is the proxy's, not the caller's. */
const forwarding: readonly string[] = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];
const LOOPBACK = /^(?:::1|127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** Admits a caller. Errors: `access.wrong_key` for a key that is not valid, whatever the address; `access.no_key` without one. */
export function admitToTools(address: string, headers: CallerHeaders, { isTrialOpen }: ToolAccess): void {
  // No keys are issued yet: none is valid.
  if (headers['authorization'] !== undefined) throw new SquitterError('access.wrong_key');
  if (isTrialOpen || isSameMachine(address, headers)) return;
  throw new SquitterError('access.no_key');
}

/** True for a connection from this machine to this machine that no proxy forwards. A proxy of TCP connections adds no header, but the name is then the public one. */
export function isSameMachine(address: string, headers: CallerHeaders): boolean {
  const { host = 'localhost' } = headers;
  if (!LOOPBACK.test(plainAddress(address)) || !LOOPBACK_HOST.test(String(host))) return false;
  return !Object.keys(headers).some((name) => name.startsWith('x-forwarded') || forwarding.includes(name));
}
