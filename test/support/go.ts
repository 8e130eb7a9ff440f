// A Go toolchain for tests of Go programs; modules come from the Go module proxy.
import { execFileSync } from 'node:child_process';
import { type Requirement, requirement } from './requirements.ts';

/** Go of this or a later version. */
export function goAtLeast(major: number, minor: number): Requirement {
  const found = versionOf();
  const isEnough = found !== null && (found[0] > major || (found[0] === major && found[1] >= minor));
  return requirement(isEnough, `skipped: there is no Go ${major}.${minor} or later`);
}

function versionOf(): readonly [major: number, minor: number] | null {
  try {
    const version = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version) ?? [];
    return major === undefined ? null : [Number(major), Number(minor)];
  } catch {
    return null;
  }
}
