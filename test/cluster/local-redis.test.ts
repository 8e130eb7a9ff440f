// Local programs end with our process, whatever ends it. Redis proves it for all of them, because it is the quickest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { localPrograms, projectDir } from '../support/requirements.ts';

const needed = localPrograms('redis-server');

describe.skipIf(!needed.met)(`local Redis ${needed.met ? '' : needed.reason}`, () => {
  it.each(['SIGKILL', 'SIGTERM', 'an ordinary end'] as const)('ends with the process that started it: %s', async (how) => {
    const module = pathToFileURL(`${projectDir}/dist/modules/test/local/redis.js`).href;
    const script = `const { startRedis } = await import('${module}');
      const redis = await startRedis();
      if (${how === 'SIGKILL'}) redis.pause();
      process.stdout.write(String(redis.pid));
      process.stdin.once('data', () => process.exit(0));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    const folder = dirname(readlinkSync(`/proc/${pid}/fd/1`));
    const alive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect([alive(), existsSync(folder)]).toEqual([true, true]);
    if (how === 'an ordinary end') parent.stdin.write('end');
    else parent.kill(how);
    await expect.poll(alive, { timeout: 240_000 }).toBe(false);
    await expect.poll(() => existsSync(folder), { timeout: 240_000 }).toBe(false);
  });
});
