// log.json beside index and segments: which log this is, how often it was opened for writing, and its schemas. It says that an index is missing or
// older than the segments, and gives back what an index that is made anew cannot know otherwise.
import { closeSync, fdatasyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { logFailure } from './failures.ts';
import type { FormatRow, SchemaRow, Store } from './rows.ts';

export interface Identity {
  readonly id: string;
  readonly framePartitions: number;
  /** Openings for writing, counted in the index as well. */
  readonly opened: number;
  readonly schemas: readonly ({ readonly id: number } & SchemaRow)[];
}

const identityFile = (path: string): string => join(path, 'log.json');

/** Null where there is none: logs of version 0.1 have none. Damage counts as none: it is written again when the log is opened. */
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

/** Writes it as the index has it. Only for the writing process; a thread that is later than another writes the same or more. */
export function saveIdentity(store: Pick<Store, 'path' | 'root' | 'meta' | 'schemas'>): void {
  store.root.resetReadTxn();
  const { id, framePartitions, opened } = store.meta.get('format') as FormatRow;
  const schemas = [...store.schemas.getRange()].map(({ key, value }) => ({ id: key, ...value }));
  writeIdentity(store.path, { id: id ?? '', framePartitions, opened: opened ?? 0, schemas });
}

/** As a whole or not at all. Errors: those of the disk. */
export function writeIdentity(path: string, identity: Identity): void {
  const partFile = `${identityFile(path)}.${threadId}.part`;
  try {
    const file = openSync(partFile, 'w');
    try {
      writeSync(file, `${JSON.stringify(identity, null, 1)}\n`);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partFile, identityFile(path));
  } catch (error) {
    throw logFailure(path, error, 'log.not_writable');
  }
}
