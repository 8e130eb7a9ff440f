// A process that is killed while it reads the index must not hold its pages forever: the index would grow with every commit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type LmdbLog, openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { projectDir } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const folder = temporaryFolder();
let log: LmdbLog;
afterEach(async () => {
  await log.close();
  folder.remove();
});

/** A process that is killed while it reads the log at `path`. */
async function killedReader(path: string): Promise<void> {
  const module = join(projectDir, 'dist/modules/pipeline/log/lmdb/lmdb-log.js');
  const code = `const { openLmdbLog } = await import(${JSON.stringify(module)});
    const log = await openLmdbLog({ path: ${JSON.stringify(path)}, mode: 'read' });
    for (const _ of log.store.rows.getRange()) process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

test('a killed reader makes the index grow only until the next maintenance', async () => {
  const path = join(folder.path, 'log');
  log = await openLmdbLog({ path, mode: 'write' });
  const indexBytes = (): number => statSync(join(path, 'index/data.mdb')).size;
  const commit = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) await log.append('progress', 0, [{ key: 'k', value: Buffer.alloc(300), timestampMs: 1 }]);
  };
  await commit(200);
  await killedReader(path);
  const before = indexBytes();
  await commit(50);
  // Until then its lock keeps the pages.
  expect(indexBytes()).toBeGreaterThan(before + 500_000);
  await log.maintain(0);
  await commit(50);
  const after = indexBytes();
  await commit(200);
  expect(indexBytes()).toBeLessThan(after + 500_000);
});
