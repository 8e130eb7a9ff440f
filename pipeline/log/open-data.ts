// Opens the log and its codecs from the data folder, for processes of the embedded profile.
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

/** Opens the log in `dataDir` and its codecs. Errors: those of `openLmdbLog`, `schema.incompatible`. */
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
