// Requirements of tests that a newcomer's machine may lack. Without one the test is skipped with the reason; in CI it fails instead.
// The shared data are the exception: sets whose licence keeps them out of the repository are compared only where they are, and nowhere else missed.
import { existsSync, readdirSync } from 'node:fs';
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

export const chromium = () => debianProgram('chromium', 'chromium', 'chromium-browser', 'google-chrome');
/** An independent decoder that writes aircraft.json. */
export const dump1090 = () => debianProgram('dump1090-mutability');

/** libfaketime, which changes a program's wall clock; its path is for LD_PRELOAD. */
export function faketime(): Requirement & { readonly path: string } {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  const path = folders.map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1')).find((file) => existsSync(file)) ?? '';
  return { ...requirement(path !== '', 'skipped: there is no libfaketime (Debian: apt-get install faketime)'), path };
}
