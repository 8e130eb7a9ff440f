// The working folder of a local program: the caller's, which is kept, or a temporary one, which is removed with the program.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOurEnd } from './watchdog.ts';

export interface WorkFolder {
  readonly path: string;
  readonly temporary: boolean;
  /** Removes it if it is temporary. */
  readonly leave: () => void;
}

/** Creates the folder and starts a program in it. A failed start leaves no temporary folder. */
export async function withWorkFolder<T>(dir: string | undefined, start: (folder: WorkFolder) => Promise<T>): Promise<T> {
  if (dir !== undefined) mkdirSync(dir, { recursive: true });
  const path = dir ?? mkdtempSync(join(tmpdir(), 'squitter-local-'));
  // Programs in it are also killed when our process ends, and may write until then.
  const callOff = dir === undefined ? atOurEnd('sleep 1; rm -rf -- "$1"', path) : null;
  const leave = (): void => {
    if (callOff === null) return;
    callOff();
    rmSync(path, { recursive: true, force: true });
  };
  try {
    return await start({ path, temporary: dir === undefined, leave });
  } catch (error) {
    leave();
    throw error;
  }
}
