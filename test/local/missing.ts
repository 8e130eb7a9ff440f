// Checks whether the programs that test/local runs are installed.
import { spawnSync } from 'node:child_process';
import { SquitterError } from '../../schemas/errors.ts';

export type ProgramName = 'java' | 'mvn' | 'redis-server' | 'openssl';

const JAVA_MIN = 17;

const checks: Readonly<Record<ProgramName, () => string | null>> = {
  java() {
    const run = spawnSync('java', ['-version'], { encoding: 'utf8' });
    const version = Number(/version "(\d+)/.exec(run.stderr ?? '')?.[1] ?? 0);
    if (version >= JAVA_MIN) return null;
    const found = version === 0 ? 'java is missing' : `java has version ${version}`;
    return `${found}: Kafka needs ${JAVA_MIN} or newer (Debian: apt-get install openjdk-17-jre-headless)`;
  },
  mvn: () => (installed('mvn') ? null : 'mvn is missing: it downloads Kafka and the registry (Debian: apt-get install maven)'),
  'redis-server': () => (installed('redis-server') ? null : 'redis-server is missing (Debian: apt-get install redis-server)'),
  openssl: () => (installed('openssl') ? null : 'openssl is missing: it creates certificates (Debian: apt-get install openssl)'),
};

function installed(program: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' }).status === 0;
}

/** One line for each program that is missing or too old. */
export function missingPrograms(names: readonly ProgramName[] = ['java', 'mvn', 'redis-server']): string[] {
  return names.map((name) => checks[name]()).filter((line) => line !== null);
}

/** Errors: `local.missing_program`. */
export function requirePrograms(...names: ProgramName[]): void {
  const missing = missingPrograms(names);
  if (missing.length > 0) throw new SquitterError('local.missing_program', { detail: missing.join('; ') });
}
