// A running history store on a folder of its own: the real engine in its child process. Needs `npm run build`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type StoreChildOptions, startStoreChild } from '../../infra/history-store/store-child.ts';
import { applyTables } from '../../pipeline/store/apply-tables.ts';
import { type HistoryAddress, historyClient } from '../../pipeline/store/client.ts';
import { limits } from '../../schemas/limits/index.ts';
import { projectDir, type Requirement, requirement } from './requirements.ts';
import { temporaryFolder } from './service.ts';

export type TestHistoryStore = Awaited<ReturnType<typeof startHistoryStore>>;

/** The engine, an optional dependency: `describe.skipIf(!historyEngine().met)`. */
export function historyEngine(): Requirement {
  return requirement(existsSync(join(projectDir, 'node_modules/chdb')), 'skipped: the optional dependency chdb is not installed');
}

export const storeProcessFile = pathToFileURL(join(projectDir, 'dist/infra/history-store/store-process.js'));

/** A store that answers, with the history tables unless `tables` is false. */
export async function startHistoryStore(options: { readonly tables?: boolean; readonly start?: Partial<StoreChildOptions> } = {}) {
  const { path: folder, remove } = temporaryFolder();
  const lines: string[] = [];
  const access = { user: 'squitter', password: 'secret of a test' };
  const child = await startStoreChild({
    ...{ folder, ...access, processFile: storeProcessFile },
    readers: limits.storeReaders,
    memoryBytesMax: limits.storeMemoryBytesMax,
    diskReserveBytes: 0,
    log: (level, fields, message) => lines.push(`${level} ${message} ${JSON.stringify(fields)}`),
    ...options.start,
  });
  const address: HistoryAddress = { url: child.url, ...access, database: 'squitter' };
  const client = historyClient(address);
  if (options.tables !== false) await applyTables(client);
  return {
    ...{ address, client, child, folder },
    /** Log lines of the store's supervision. */
    lines: lines as readonly string[],
    /** Ends everything and removes the folder. */
    async stop(): Promise<void> {
      await client.close();
      await child.stop();
      remove();
    },
  };
}
