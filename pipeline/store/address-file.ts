// The address of a running service's history store, in its data folder: for commands beside the service. Only its owner may read it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SquitterError } from '../../schemas/errors.ts';
import type { HistoryAddress } from './client.ts';

/** Folder of the history store in a data folder. */
export function historyFolder(dataDir: string): string {
  return join(dataDir, 'history');
}

export function writeAddress(dataDir: string, address: HistoryAddress): void {
  const folder = historyFolder(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(dataDir);
  // A new file, so that the mode of an old one does not stay; whole, or not there.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(`${file}.new`, file);
}

export function removeAddress(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** Null while no service with history uses the folder. After a crash of a service the address may lead nowhere. Error: `history.address_unreadable`. */
export function readAddress(dataDir: string): HistoryAddress | null {
  const path = fileOf(dataDir);
  try {
    const { url, user, password, database } = JSON.parse(readFileSync(path, 'utf8')) as HistoryAddress;
    return { url, user, password, database };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new SquitterError('history.address_unreadable', { path, detail: String(error) });
  }
}

function fileOf(dataDir: string): string {
  return join(historyFolder(dataDir), 'address.json');
}
