// The embedded log on a full disk, and in a process without file descriptors: each has its own error, nothing is lost, and the log continues afterwards.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { limits } from '../../schemas/limits/index.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { requirement } from '../support/requirements.ts';

const child = join(import.meta.dirname, '../../dist/modules/test/contract/log-limits-child.js');

const folder = folderOfTest();

function shell(script: string, ...args: string[]): string {
  return execFileSync(args.length > 0 ? 'unshare' : 'sh', [...args, ...(args.length > 0 ? ['sh'] : []), '-c', script], {
    encoding: 'utf8',
  });
}

describe('without file descriptors', () => {
  test.each([0, 1, 2, 3, 4, 5, 6])('%i left: opening or writing fails with the error, and no signal ends the process', async (left) => {
    const path = join(folder.path, 'log');
    const log = await openLmdbLog({ path, mode: 'write' });
    await log.append('frames', 0, [{ key: null, value: Buffer.alloc(5000), timestampMs: 1 }]);
    await log.close();
    const outcomes = JSON.parse(shell(`ulimit -n 64; exec ${process.execPath} ${child} ${path} descriptors ${left}`)) as string[];
    if (outcomes[0] === 'opened') expect(outcomes.at(-1)).toBe('appended');
    for (const outcome of outcomes) expect(['opened', 'read', 'appended', 'log.no_descriptors']).toContain(outcome);
    if (left < 4) expect(outcomes).toContain('log.no_descriptors');
  });
});

const canMount = spawnSync('unshare', ['--mount', '--map-root-user', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
const mounts = requirement(canMount, 'skipped: a file system of its own cannot be mounted here (unshare --mount)');

describe.skipIf(!mounts.met)(`on a small disk ${mounts.met ? '' : mounts.reason}`, () => {
  test('the limits follow the disk: however much is written, retention frees space before the reserve is reached', () => {
    const mebibytes = limits.logDiskBytesMin / 1024 ** 2;
    const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs ${folder.path} && exec ${process.execPath} ${child} ${folder.path}/log round ${2 * mebibytes}`;
    expect(JSON.parse(shell(script, '--mount', '--map-root-user'))).toEqual({ refused: [], keepsReserve: true, usesDisk: true });
  });
});

describe.skipIf(!mounts.met)(`on a full disk ${mounts.met ? '' : mounts.reason}`, () => {
  test.each([
    ['the index', 500],
    ['segments', 50_000],
  ])('%s: what was acknowledged is kept, and writing goes on when there is space', (_, bytes) => {
    const script = [
      `mount -t tmpfs -o size=3m tmpfs ${folder.path}`,
      `head -c 1500000 /dev/zero > ${folder.path}/ballast`,
      `exec ${process.execPath} ${child} ${folder.path}/log space ${folder.path}/ballast ${bytes} 2>/dev/null`,
    ].join(' && ');
    expect(JSON.parse(shell(script, '--mount', '--map-root-user'))).toEqual({
      codes: ['log.no_space'],
      unhandled: 0,
      isWhole: true,
    });
  });
});
