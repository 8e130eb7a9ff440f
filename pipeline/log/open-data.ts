// The log and its codecs as every process of the embedded profile opens them, from the data folder.
import { join } from 'node:path';
import { type Codecs, openCodecs } from './codec.ts';
import { type LmdbLog, type LmdbLogOptions, openLmdbLog } from './lmdb/lmdb-log.ts';
import { openLocalRegistry } from './local-registry.ts';

export interface OpenData {
  readonly log: LmdbLog;
  readonly codecs: Codecs;
}

/** Folder of the log inside the data folder. */
export const logPath = (dataDir: string): string => join(dataDir, 'log');

/** Opens `dataDir` as `openLmdbLog` does, and its schemas. Errors: those of `openLmdbLog`, `schema.incompatible`. */
export async function openData(
  dataDir: string,
  mode: 'write' | 'read',
  options: Omit<LmdbLogOptions, 'path' | 'mode'> = {},
): Promise<OpenData> {
  const log = await openLmdbLog({ ...options, path: logPath(dataDir), mode });
  try {
    return { log, codecs: await openCodecs(openLocalRegistry(log), mode === 'write') };
  } catch (error) {
    await log.close();
    throw error;
  }
}
