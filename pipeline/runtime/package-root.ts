// The root folder of this package, compiled or not: the base of paths to files that are not code.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SquitterError } from '../../schemas/errors.ts';

/** The folder of package.json. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Content of a file that is part of the package, by its path in it. Error: `install.incomplete`. */
export function packageFile(path: string): Buffer {
  try {
    return readFileSync(join(packageRoot(), path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SquitterError('install.incomplete', { detail: code === 'ENOENT' ? `${path} is missing` : message }, error);
  }
}

/** True if code of ours, or a package, is not where the installation put it. */
export function isMissingModule(error: unknown): boolean {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).endsWith('MODULE_NOT_FOUND');
}

/** Release of the package. */
export function packageVersion(): string {
  return (JSON.parse(packageFile('package.json').toString()) as { version: string }).version;
}
