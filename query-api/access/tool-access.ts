// Decides who may use the tool server: callers with a key, feeders by their address, the operator, and programs on the service's own machine.

import { plainAddress } from '../../pipeline/runtime/plain-address.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type Caller, type CallerHeaders, OPERATOR } from './caller.ts';
import { isForwarded } from './client-address.ts';

export interface ToolAccess {
  /** Callers without a key and without a feeder are admitted, too. */
  readonly isTrialOpen: boolean;
}

const LOOPBACK = /^(?:::1|127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** Admits the operator, feeders, and programs on this machine. Error: `access.no_key`. */
export function admitToTools(caller: Caller, address: string, headers: CallerHeaders, { isTrialOpen }: ToolAccess): void {
  if (isTrialOpen || caller.isFeeder || caller.principal === OPERATOR || isSameMachine(address, headers)) return;
  throw new SquitterError('access.no_key');
}

/** True for a connection from this machine to this machine that no proxy forwards. A proxy of TCP connections adds no header, but the name is then the public one. */
export function isSameMachine(address: string, headers: CallerHeaders): boolean {
  const { host = 'localhost' } = headers;
  return LOOPBACK.test(plainAddress(address)) && LOOPBACK_HOST.test(String(host)) && !isForwarded(headers);
}
