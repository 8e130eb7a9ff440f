// A public address for tests: callers and feeders from private addresses are never a feeder's. Addresses of documentation (RFC 5737) have no owner, and
// lead to the loopback interface while a test runs. A route does that: a browser gives up its requests when an interface gets or loses an address.
import { spawnSync } from 'node:child_process';
import { type Requirement, requirement } from './requirements.ts';

/** 198.51.100.`last`: each suite has its own numbers. `remove` takes it away. */
export function documentationAddress(last: number): Requirement & { readonly address: string; remove(): void } {
  const address = `198.51.100.${last}`;
  const change = (what: string): boolean => spawnSync('ip', ['route', what, 'local', address, 'dev', 'lo']).status === 0;
  const found = requirement(change('replace'), 'skipped: no address can lead to the loopback interface (Linux: ip of iproute2, as root)');
  return { ...found, address, remove: () => void change('delete') };
}
