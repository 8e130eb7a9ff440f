// Requirements of tests that a newcomer's machine may lack. Without one the test is skipped with the reason; in CI it fails instead.
// The shared data are the exception: sets whose licence keeps them out of the repository are compared only where they are, and nowhere else missed.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { missingPrograms, type ProgramName } from '../local/missing.ts';

/** Root of the project: tests run from there. */
export const projectDir = packageRoot();

/** The folder of real frames and truth beside the project. */
export const sharedDir = process.env['SQUITTER_SHARED'] ?? resolve(projectDir, '../shared');

export interface Requirement {
  readonly met: boolean;
  readonly reason: string;
}

/** A requirement, with the reason when it is not met; throws then if no test may be skipped. */
export function requirement(met: boolean, reason: string): Requirement {
  if (!met && process.env['NO_SKIPS'] === '1') throw new Error(`no test may be skipped here, but ${reason}`);
  return { met, reason: met ? '' : reason };
}

/** Skip reasons that begin so do not count: the licence of those sets does not fit the repository. */
export const SHARED_ONLY = 'skipped: only in the shared data';

/** Frames and truth that are not in the repository. */
export function sharedData(...path: string[]): Requirement & { readonly path: string } {
  const full = join(sharedDir, 'data', ...path);
  const met = existsSync(full);
  return { met, reason: met ? '' : `${SHARED_ONLY}: ${path.join('/')}`, path: full };
}

/** A file of the golden sets: the repository's own, else the shared one. */
export function goldenData(...path: string[]): Requirement & { readonly path: string } {
  const own = join(projectDir, 'test/golden/sets', ...path);
  return existsSync(own) ? { met: true, reason: '', path: own } : sharedData(...path);
}

/** Programs that real Kafka, the schema registry (java, mvn) and Redis (redis-server) need. */
export function localPrograms(...names: ProgramName[]): Requirement {
  const missing = missingPrograms(names);
  return requirement(missing.length === 0, `skipped: ${missing.join('; ')}`);
}

/** A program of a Debian package, on the PATH; others may have its name elsewhere. */
export function debianProgram(name: string, debianPackage = name, ...others: string[]): Requirement & { readonly path: string } {
  const folders = (process.env['PATH'] ?? '').split(':');
  const files = [name, ...others].flatMap((each) => folders.map((folder) => join(folder, each)));
  const path = files.find((file) => existsSync(file)) ?? '';
  return { ...requirement(path !== '', `skipped: there is no ${name} (Debian: apt-get install ${debianPackage})`), path };
}

/** The shell has no window to draw: a fifth less work than the whole browser. */
export const chromium = () =>
  debianProgram('chromium-headless-shell', 'chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome');
/** An independent decoder that writes aircraft.json. */
export const dump1090 = () => debianProgram('dump1090-mutability');

/** libfaketime, which changes a program's wall clock; its path is for LD_PRELOAD. */
export function faketime(): Requirement & { readonly path: string } {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const path = folders.map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1')).find((file) => existsSync(file)) ?? '';
  return { ...requirement(path !== '', 'skipped: there is no libfaketime (Debian: apt-get install faketime)'), path };
}

/** Go of this or a later version. */
export function goAtLeast(major: number, minor: number): Requirement {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, found = 0, foundMinor = 0] = /^go(\d+)\.(\d+)/.exec(stdout ?? '')?.map(Number) ?? [];
  const isEnough = found > major || (found === major && foundMinor >= minor);
  return requirement(isEnough, `skipped: there is no Go ${major}.${minor} or later`);
}

/** The interpreter that has the packages of python-packages.txt. */
export function pythonPackages(): Requirement & { readonly path: string } {
  const packages = readFileSync(join(projectDir, 'test/support/python-packages.txt'));
  const folder = join(projectDir, '.cache', `python-${createHash('sha256').update(packages).digest('hex').slice(0, 16)}`);
  const reason = 'skipped: no Python packages (Debian: apt-get install python3-venv; then test/support/python-env.sh)';
  return { ...requirement(existsSync(join(folder, 'whole')), reason), path: join(folder, 'bin', 'python') };
}

const INSTALL_MS_MAX = 180_000;

/**
 * A folder whose node_modules has these packages (`name@version`). The requirement is not met if they cannot be installed.
 * Only one test file may use a set.
 */
export function nodeToolsWith(...packages: readonly string[]): Requirement & { readonly path: string } {
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16);
  const path = join(projectDir, '.cache', `node-${hash}`);
  const whole = join(path, 'whole');
  if (!existsSync(whole)) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), '{"private":true}\n');
    try {
      const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', '--loglevel=error', ...packages];
      execFileSync('npm', args, { cwd: path, stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS_MAX });
    } catch (error) {
      const output = String((error as { stderr?: Buffer }).stderr ?? error)
        .trim()
        .split('\n')[0];
      return { ...requirement(false, `skipped: npm cannot install ${packages.join(', ')}: ${output}`), path };
    }
    writeFileSync(whole, '');
  }
  return { ...requirement(true, ''), path };
}

/** 198.51.100.`last`: each suite has its own numbers. `remove` takes it away. */
export function documentationAddress(last: number): Requirement & { readonly address: string; remove(): void } {
  const address = `198.51.100.${last}`;
  const change = (what: string): boolean => spawnSync('ip', ['route', what, 'local', address, 'dev', 'lo']).status === 0;
  const found = requirement(change('replace'), 'skipped: no address can lead to the loopback interface (Linux: ip of iproute2, as root)');
  return { ...found, address, remove: () => void change('delete') };
}
