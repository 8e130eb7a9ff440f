// A temporary folder of its own for every test of a file.
import { afterEach, beforeEach } from 'vitest';
import { temporaryFolder } from './service.ts';

/** Call it before other hooks of the file: the folder is made first and removed last. */
export function folderOfTest(): { path: string } {
  const folder = { path: '', remove: () => {} };
  beforeEach(() => void Object.assign(folder, temporaryFolder()));
  afterEach(() => folder.remove());
  return folder;
}
