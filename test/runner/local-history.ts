// The history store of a local cluster: the server that is named, or ClickHouse's engine in a child process of the runner, as in the embedded service.
import { randomBytes } from 'node:crypto';
import { isFinal, type StoreChild, startStoreChild } from '../../infra/history-store/store-child.ts';
import type { Closer } from '../../infra/services/closing.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { historyFolder } from '../../pipeline/store/address-file.ts';
import type { HistoryAddress } from '../../pipeline/store/client.ts';
import { limits } from '../../schemas/limits/index.ts';

/** A server, the engine in a process of the runner, or no history. */
export type HistoryWanted = HistoryAddress | 'engine' | null;

export interface LocalHistory {
  /** Null without history: then there is nothing for project stages and the export service to do. */
  readonly address: HistoryAddress | null;
  /** Process of the engine; null for a server and without history. */
  readonly pid: number | null;
}

export interface LocalHistoryOptions {
  readonly dataDir: string;
  readonly print: (text: string) => void;
  /** The compiled entry of the engine's process. */
  readonly processFile?: URL;
}

const NONE: LocalHistory = { address: null, pid: null };
const ENTRY = programFile('infra/history-store/store-process');
const WITHOUT = 'neither a project stage nor the export service runs';

/** Without the engine there is no history, which is said. Its closer is added at the front. Errors: `history.in_use`, `history.not_started`. */
export async function startLocalHistory(wanted: HistoryWanted, options: LocalHistoryOptions, closers: Closer[]): Promise<LocalHistory> {
  const { print } = options;
  if (wanted === null) {
    print(`no history (--no-history): ${WITHOUT}`);
    return NONE;
  }
  if (wanted !== 'engine') return { address: wanted, pid: null };
  const access = { user: 'squitter', password: randomBytes(24).toString('base64url') };
  const child = await engine(options, access);
  if (child === null) return NONE;
  closers.unshift(() => child.stop());
  return { address: { url: child.url, ...access, database: 'squitter' }, pid: child.pid() };
}

async function engine(
  { dataDir, print, processFile = ENTRY }: LocalHistoryOptions,
  access: Pick<HistoryAddress, 'user' | 'password'>,
): Promise<StoreChild | null> {
  try {
    return await startStoreChild({
      ...{ folder: historyFolder(dataDir), ...access, processFile },
      readers: limits.storeReaders,
      memoryBytesMax: limits.storeMemoryBytesMax,
      diskReserveBytes: null,
      log: (_, fields, message) => print(`${message} ${JSON.stringify(fields)}`),
    });
  } catch (error) {
    if (!isFinal(error)) throw error;
    print(`no history: ${error.message}; ${WITHOUT}`);
    return null;
  }
}
