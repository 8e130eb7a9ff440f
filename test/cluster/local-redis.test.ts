// Real Redis as test/local starts it. It is the quickest of the programs, so it also proves for all of them that they end with our process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { startRedis } from '../local/redis.ts';
import { localPrograms, projectDir } from '../support/requirements.ts';

const needed = localPrograms('redis-server');

describe.skipIf(!needed.met)(`local Redis ${needed.met ? '' : needed.reason}`, () => {
  it('requires its password and keeps its data over kill -9', async () => {
    const redis = await startRedis({ password: 'a "password" of tests' });
    const client = new Redis(redis.url);
    await client.set('key', 'value');
    // The append-only file is written at the end of the event loop's turn, before the response.
    client.disconnect();
    await redis.kill();
    await redis.restart();
    const again = new Redis(redis.url);
    expect(await again.get('key')).toBe('value');
    again.disconnect();
    const stranger = new Redis(redis.url.replace(/:[^:@]*@/, ''), { lazyConnect: true });
    stranger.on('error', () => {});
    await expect(stranger.get('key')).rejects.toThrow('NOAUTH');
    stranger.disconnect();
    await redis.stop();
  });

  it.each(['SIGKILL', 'SIGTERM', 'an ordinary end'] as const)('ends with the process that started it: %s', async (how) => {
    const module = pathToFileURL(`${projectDir}/dist/modules/test/local/redis.js`).href;
    const script = `const { startRedis } = await import('${module}');
      const redis = await startRedis();
      if (${how === 'SIGKILL'}) redis.pause();
      process.stdout.write(String(redis.pid));
      if (${how === 'an ordinary end'}) setTimeout(() => process.exit(0), 100);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
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
    if (how !== 'an ordinary end') parent.kill(how);
    await expect.poll(alive, { timeout: 240_000 }).toBe(false);
    await expect.poll(() => existsSync(folder), { timeout: 240_000 }).toBe(false);
  });
});
