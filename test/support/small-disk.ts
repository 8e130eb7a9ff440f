// A file system of a few MiB for tests that fill the disk: a tmpfs in its own mount namespace, which no other process sees and which needs no root.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Requirement, requirement } from './requirements.ts';
import { TestProgram } from './service.ts';

const MIB = 1024 ** 2;
const NAMESPACE = ['--mount', '--map-root-user', 'sh', '-c'];

/** True if such a file system can be created here. */
export function smallDisks(): Requirement {
  const { status } = spawnSync('unshare', [...NAMESPACE, 'mount -t tmpfs tmpfs /mnt']);
  return requirement(status === 0, 'skipped: a file system of its own cannot be mounted here (unshare --mount)');
}

export type SmallDisk = Awaited<ReturnType<typeof createSmallDisk>>;

/** `at`: an existing folder, which is hidden by it; default: a new one. */
export async function createSmallDisk(mebibytes: number, at?: string) {
  const folder = at ?? mkdtempSync(join(tmpdir(), 'squitter-disk-'));
  const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs ${folder} && echo mounted && exec sleep infinity`;
  const holder = new TestProgram(['unshare', ...NAMESPACE, script]);
  await holder.match(/mounted/);
  const { pid } = holder.child;
  const path = `/proc/${pid}/root${folder}`;
  const ballast = join(path, 'ballast');
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    /** Its root, for every process of this user. */
    path,
    /** Program and arguments in front of a command that shall have it at the folder where it was mounted. */
    launcher: ['nsenter', `--target=${pid}`, '--mount', '--user', '--preserve-credentials'],
    freeBytes,
    /** Fills it with a file except for this many bytes. */
    fill(leaveBytes: number): void {
      // In pieces: other processes may write meanwhile.
      while (freeBytes() > leaveBytes) {
        const bytes = Math.min(8 * MIB, freeBytes() - leaveBytes);
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    /** Removes that file. */
    clear: () => rmSync(ballast),
    remove(): void {
      void holder.kill();
      if (at === undefined) rmSync(folder, { recursive: true });
    },
  };
}
