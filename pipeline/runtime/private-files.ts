// Modes of folders and files that only their owner may read. An operator who gives a folder another mode gives it to the files that are made in it later.
import { statSync } from 'node:fs';

export const PRIVATE_FOLDER_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

/** Mode of a new folder in this one: the same. */
export function folderModeIn(folder: string): number {
  return statSync(folder).mode & 0o777;
}

/** Mode of a new file in this folder: that of the folder, without execution. */
export function fileModeIn(folder: string): number {
  return statSync(folder).mode & 0o666;
}
