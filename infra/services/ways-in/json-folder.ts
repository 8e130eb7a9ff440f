// The folder of `--write-json`: each file appears whole, by the rename of a temporary one, and nothing is written outside the folder.
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../../../pipeline/runtime/folder-lock.ts';
import { SquitterError } from '../../../schemas/errors.ts';

const LOCK = '.squitter.lock';
const TEMPORARY = '.squitter-part';
const READ_WRITE = 0o666;

export class JsonFolder {
  /** Files written. */
  written = 0;
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Takes the folder for this process, and removes what a killed one left. Errors: `map.json_folder_unusable`, `map.json_folder_in_use`. */
  static async open(path: string): Promise<JsonFolder> {
    const lock = join(path, LOCK);
    try {
      await takeLock(lock, (pid) => new SquitterError('map.json_folder_in_use', { path: lock, pid }));
      for (const name of await readdir(path)) if (name.endsWith(TEMPORARY)) await rm(join(path, name), { force: true });
    } catch (error) {
      if (error instanceof SquitterError) throw error;
      throw new SquitterError('map.json_folder_unusable', { path, detail: (error as Error).message }, error);
    }
    return new JsonFolder(path);
  }

  /** Errors: those of the system. */
  async write(name: string, content: Buffer | string): Promise<void> {
    const temporary = join(this.path, `.${name}${TEMPORARY}`);
    try {
      // A link in the place of the temporary file is not followed.
      const file = await open(temporary, 'wx');
      try {
        // Readers are other users: the folder says who may read, not the umask of the service.
        await file.chmod((await stat(this.path)).mode & READ_WRITE);
        await file.writeFile(content);
      } finally {
        await file.close();
      }
      await rename(temporary, join(this.path, name));
      this.written += 1;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
  }

  /** Gives the folder back. Its files stay. */
  async close(): Promise<void> {
    await this.remove(LOCK);
  }
}
