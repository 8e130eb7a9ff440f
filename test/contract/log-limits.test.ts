// The embedded log on a full disk, and in a process without file descriptors: each has its own error, nothing is lost, and the log continues afterwards.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { limits } from '../../schemas/limits/index.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { smallDisks } from '../support/small-disk.ts';

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

const mounts = smallDisks();

describe.skipIf(!mounts.met)(`on a small disk ${mounts.reason}`, () => {
  const onDisk = (size: string, command: string): unknown => {
    const script = `mount -t tmpfs -o size=${size} tmpfs ${folder.path} && ${command.replace('LOG', `${process.execPath} ${child} ${folder.path}/log`)}`;
    return JSON.parse(shell(script, '--mount', '--map-root-user'));
  };

  test('the limits follow the disk: however much is written, retention frees space before the reserve is reached', () => {
    const mebibytes = limits.logDiskBytesMin / 1024 ** 2;
    const found = onDisk(`${mebibytes}m`, `exec LOG round ${2 * mebibytes}`);
    expect(found).toEqual({ refused: [], keepsReserve: true, usesDisk: true });
  });

  test.each([
    ['the index', 500],
    ['segments', 50_000],
  ])('that is full, %s: what was acknowledged is kept, and writing goes on when there is space', (_, bytes) => {
    const ballast = `${folder.path}/ballast`;
    const found = onDisk('3m', `head -c 1500000 /dev/zero > ${ballast} && exec LOG space ${ballast} ${bytes} 2>/dev/null`);
    expect(found).toEqual({ codes: ['log.no_space'], unhandled: 0, isWhole: true });
  });
});
