// log.json next to index and segments: id of the log, number of openings for writing, and schemas. It shows that an index is missing or older than
// the segments, and has the data that a rebuilt index cannot get from the segments.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { fileModeIn } from '../../runtime/private-files.ts';
import { logFailure } from './failures.ts';
import type { FormatRow, SchemaRow, Store } from './rows.ts';

export interface Identity {
  readonly id: string;
  readonly framePartitions: number;
  /** Number of openings for writing; the index has the same counter. */
  readonly opened: number;
  readonly schemas: readonly ({ readonly id: number } & SchemaRow)[];
}

const identityFile = (path: string): string => join(path, 'log.json');

/** Reads log.json; null if it is missing or damaged. It is written again when the log is opened. */
export function readIdentity(path: string): Identity | null {
  let text: string;
  try {
    text = readFileSync(identityFile(path), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw logFailure(path, error, 'log.not_readable');
  }
  try {
    const found = JSON.parse(text) as Partial<Identity> | null;
    const isWhole = typeof found?.id === 'string' && Number.isInteger(found.framePartitions) && Number.isInteger(found.opened);
    return isWhole && Array.isArray(found.schemas) ? (found as Identity) : null;
  } catch {
    return null;
  }
}

/** Writes log.json from the index. Only for the writing process; a later thread writes the same data or more. */
export function saveIdentity(store: Pick<Store, 'path' | 'root' | 'meta' | 'schemas'>): void {
  store.root.resetReadTxn();
  const { id, framePartitions, opened } = store.meta.get('format') as FormatRow;
  const schemas = [...store.schemas.getRange()].map(({ key, value }) => ({ id: key, ...value }));
  writeIdentity(store.path, { id, framePartitions, opened, schemas });
}

/** Writes log.json atomically. Errors: those of the disk. */
export function writeIdentity(path: string, identity: Identity): void {
  const partFile = `${identityFile(path)}.${threadId}.part`;
  try {
    writeFileSync(partFile, `${JSON.stringify(identity, null, 1)}\n`, { mode: fileModeIn(path), flush: true });
    renameSync(partFile, identityFile(path));
  } catch (error) {
    throw logFailure(path, error, 'log.not_writable');
  }
}
