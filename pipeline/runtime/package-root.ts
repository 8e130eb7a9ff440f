// The root folder of this package, compiled or not: the base of paths to files that are not code.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SquitterError } from '../../schemas/errors.ts';

/** The folder of package.json. */
export const packageRoot = (): string => folderOf('package.json');

/** The nearest folder above this code that has a file. */
function folderOf(file: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, file)) && dirname(folder) !== folder) folder = dirname(folder);
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

/** A program or thread of the same build as this code (build.js), by the path of its module without its ending. */
export function programFile(module: string): URL {
  return pathToFileURL(join(folderOf('infra/cli/squitter.js'), `${module}.js`));
}

/** True if code of ours, or a package, is not where the installation put it. */
export function isMissingModule(error: unknown): boolean {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).endsWith('MODULE_NOT_FOUND');
}

/** Release of the package. */
export function packageVersion(): string {
  return (JSON.parse(packageFile('package.json').toString()) as { version: string }).version;
}
