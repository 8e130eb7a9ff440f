// A Go toolchain for tests of Go programs; modules come from the Go module proxy.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, type Requirement, requirement } from './requirements.ts';

const INSTALL_MS_MAX = 300_000;

/** Go of this or a later version. */
export function goAtLeast(major: number, minor: number): Requirement {
  const found = versionOf();
  const isEnough = found !== null && (found[0] > major || (found[0] === major && found[1] >= minor));
  return requirement(isEnough, isEnough ? '' : `skipped: there is no Go ${major}.${minor} or later`);
}

function versionOf(): readonly [major: number, minor: number] | null {
  try {
    const said = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, major, minor] = /^go(\d+)\.(\d+)/.exec(said) ?? [];
    return major === undefined ? null : [Number(major), Number(minor)];
  } catch {
    return null;
  }
}

/** A program of a Go module at a version, `example.org/module/cmd/program@v1.2.3`, installed once under .cache. */
export function goProgram(version: readonly [major: number, minor: number], program: string): Requirement & { readonly path: string } {
  const go = goAtLeast(...version);
  const folder = join(projectDir, '.cache', `go-${createHash('sha256').update(program).digest('hex').slice(0, 16)}`);
  const path = join(folder, program.replace(/^.*\//, '').replace(/@.*$/, ''));
  if (!go.met || existsSync(path)) return { ...go, path };
  try {
    execFileSync('go', ['install', program], {
      env: { ...process.env, GOBIN: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_MS_MAX,
    });
  } catch (error) {
    return { ...requirement(false, `skipped: ${program} cannot be installed: ${(error as Error).message.split('\n').at(-1)}`), path };
  }
  return { ...requirement(true, ''), path };
}
