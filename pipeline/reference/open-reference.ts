// Reference data of a running service: the shipped data and the imports in a folder, reloaded after each import.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../schemas/limits/index.ts';
import type { Reference } from './reference.ts';
import { manifestMark } from './store/folder.ts';
import { StoredReference } from './stored-reference.ts';
import { type LoadedTables, loadTables, shippedTables, type TableKind } from './tables.ts';

export interface ReferenceOptions {
  /** Target of `squitter reference import`: `reference` in the data folder. It need not exist. null: no imports. */
  readonly folder: string | null;
  readonly clock: () => number;
  /** Called after each load. */
  readonly onLoaded?: (rows: ReferenceRows) => void;
  /** Called once for each state of the folder that cannot be read; the previous data stay in use. */
  readonly onError?: (error: unknown) => void;
  readonly pollMs?: number;
}

export type ReferenceRows = Readonly<Record<TableKind, number>>;

export interface ReferenceStats {
  rows: ReferenceRows;
  /** Time of the last load, ms since the Unix epoch. */
  loadedAtMs: number;
  loads: number;
  failures: number;
}

export interface OpenReference {
  readonly reference: Reference;
  readonly stats: Readonly<ReferenceStats>;
  close(): Promise<void>;
}

/** Folder of the reference data within a data folder. */
export function referenceFolder(dataDir: string): string {
  return join(dataDir, 'reference');
}

/** Loads the data and then checks for new data every two seconds. Reports data that cannot be read and continues without them. */
export async function openReference(options: ReferenceOptions): Promise<OpenReference> {
  const { folder, clock, pollMs = limits.referencePollMs } = options;
  let loaded: LoadedTables = { tables: shippedTables(), files: {} };
  const reference = new StoredReference(loaded.tables);
  const stats: ReferenceStats = { rows: rowsOf(loaded), loadedAtMs: clock(), loads: 0, failures: 0 };
  let mark: string | null = null;
  const check = async (at: string): Promise<void> => {
    try {
      const current = await manifestMark(at);
      if (current === mark) return;
      // Set before loading, so that a state of the folder that fails is not tried again.
      mark = current;
      const next = await loadTables(at, loaded);
      if (next === loaded) return;
      loaded = next;
      reference.replace(loaded.tables);
      stats.rows = rowsOf(loaded);
      stats.loadedAtMs = clock();
      stats.loads += 1;
      options.onLoaded?.(stats.rows);
    } catch (error) {
      stats.failures += 1;
      options.onError?.(error);
    }
  };
  const stop = new AbortController();
  const poll = async (at: string): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(pollMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
      if (!stop.signal.aborted) await check(at);
    }
  };
  if (folder !== null) await check(folder);
  const polling = folder === null ? Promise.resolve() : poll(folder);
  return {
    reference,
    stats,
    close() {
      stop.abort();
      return polling;
    },
  };
}

function rowsOf({ tables }: LoadedTables): ReferenceRows {
  return {
    aircraft: tables.aircraft?.keys.length ?? 0,
    routes: tables.routes?.rows ?? 0,
    airports: tables.airports.rows,
    runways: tables.runways?.rows ?? 0,
    operators: tables.operators.size,
    types: tables.types.size,
    blocks: tables.blocks.size,
  };
}
