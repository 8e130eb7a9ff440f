// Kafka and the registry, fetched once through Maven into a cache that is named by a hash of the pins in pom.xml.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SquitterError } from '../../schemas/errors.ts';
import { withLock } from './lock.ts';
import { requirePrograms } from './missing.ts';
import { logTail, startProgram } from './program.ts';

export interface Fetched {
  /** Class path of Kafka and its tools. */
  readonly kafkaClassPath: string;
  readonly registryJar: string;
  /** Where class-archive.ts keeps what it makes. */
  readonly classArchive: string;
}

/** Told what takes long. */
export type Say = (text: string) => void;

/** What startKafka and startRegistry run; the first call on a machine downloads about 160 MB, and says so. Errors: `local.missing_program`, `local.fetch_failed`. */
export async function fetched(root: string = join(packageRoot(), '.cache'), say: Say = () => {}): Promise<Fetched> {
  const pom = join(packageRoot(), 'infra', 'local', 'pom.xml');
  const hash = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 16);
  const folder = join(root, `local-${hash}`);
  if (!existsSync(folder)) {
    mkdirSync(root, { recursive: true });
    await withLock(`${folder}.lock`, async () => {
      if (existsSync(folder)) return;
      say('fetching Kafka and the schema registry: about 160 MB, this once');
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

/** Fetches beside the folder and renames at the end: the folder is whole or absent, whatever happens. */
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
    const detail = `mvn ended with ${status}. The end of its log:\n${logTail(mvn)}`;
    rmSync(part, { recursive: true });
    throw new SquitterError('local.fetch_failed', { detail });
  }
  rmSync(join(part, 'target'), { recursive: true });
  try {
    renameSync(part, folder);
  } catch (error) {
    // A lock whose holder slept was taken over: both fetched, the first one counts.
    rmSync(part, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
