// A Go toolchain for tests of Go programs; modules come from the Go module proxy.
import { spawnSync } from 'node:child_process';
import { type Requirement, requirement } from './requirements.ts';

/** Go of this or a later version. */
export function goAtLeast(major: number, minor: number): Requirement {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, found = 0, foundMinor = 0] = /^go(\d+)\.(\d+)/.exec(stdout ?? '')?.map(Number) ?? [];
  const isEnough = found > major || (found === major && foundMinor >= minor);
  return requirement(isEnough, `skipped: there is no Go ${major}.${minor} or later`);
}
