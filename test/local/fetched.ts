// Kafka and the registry, downloaded once through Maven into a cache that is named by a hash of pom.xml, which pins the versions.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { withLock } from './lock.ts';
import { requirePrograms } from './missing.ts';
import { logTail, startProgram } from './program.ts';

export interface Fetched {
  /** Class path of Kafka and its tools. */
  readonly kafkaClassPath: string;
  readonly registryJar: string;
  /** File for the archive of class-archive.ts. */
  readonly classArchive: string;
}

/** Prints messages about slow steps. */
export type Print = (text: string) => void;

/** Files for startKafka and startRegistry. The first call on a machine downloads about 160 MB and reports that. Errors: `local.missing_program`, `local.fetch_failed`. */
export async function fetched(root: string = join(packageRoot(), '.cache'), print: Print = () => {}): Promise<Fetched> {
  const pom = join(packageRoot(), 'test', 'local', 'pom.xml');
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16);
  const folder = join(root, `local-${hash}`);
  if (!existsSync(folder)) {
    mkdirSync(root, { recursive: true });
    await withLock(`${folder}.lock`, async () => {
      if (existsSync(folder)) return;
      print('downloading Kafka and the schema registry: about 160 MB (once)');
      await fetchInto(folder, pom);
    });
  }
  const registry = join(folder, 'registry');
  return {
    kafkaClassPath: join(folder, 'kafka', '*'),
    classArchive: join(folder, 'kafka.jsa'),
    registryJar: join(registry, readdirSync(registry).find((file) => file.endsWith('-runner.jar'))!),
  };
}

/** Downloads into a temporary folder and renames it, so that the folder is always complete or absent. */
async function fetchInto(folder: string, pom: string): Promise<void> {
  requirePrograms('java', 'mvn');
  const root = dirname(folder);
  for (const left of readdirSync(root)) if (left.startsWith(`${basename(folder)}.part-`)) rmSync(join(root, left), { recursive: true });
  const part = mkdtempSync(`${folder}.part-`);
  const mvn = startProgram({
    name: 'mvn',
    command: 'mvn',
    args: ['-B', '-ntp', '-f', pom, 'package', `-Ddestination=${part}`],
    logFile: join(part, 'mvn.log'),
  });
  const status = await mvn.ended;
  if (status !== 0) {
    const detail = `mvn ended with ${status}. The end of the log:\n${logTail(mvn)}`;
    rmSync(part, { recursive: true });
    throw new SquitterError('local.fetch_failed', { detail });
  }
  rmSync(join(part, 'target'), { recursive: true });
  try {
    renameSync(part, folder);
  } catch (error) {
    // The lock of a frozen holder was taken over, so both downloaded. The first one is kept.
    rmSync(part, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
