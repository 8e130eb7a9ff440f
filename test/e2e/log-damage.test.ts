// A damaged data folder on the command line: nothing is deleted, the service refuses it with a clear error, and `log repair` gives a log
// with an equal audit.
import { cpSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headOfFile } from '../../pipeline/log/lmdb/segment-files.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { squitter, startService, temporaryFolder } from '../support/service.ts';

const folder = temporaryFolder();
const good = join(folder.path, 'good');
const data = join(folder.path, 'data');
const segments = () => readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.seg')).length;

beforeAll(async () => {
  const service = await startService(good, ['--simulate', '50']);
  await sleep(5000);
  expect(await service.stop()).toBe(0);
}, 120_000);
afterAll(folder.remove);

function damage(how: () => void): void {
  rmSync(data, { recursive: true, force: true });
  cpSync(good, data, { recursive: true });
  how();
}

const run = (...args: string[]) => squitter([...args, '--data', data]);

describe('a damaged data folder', () => {
  test('whose index is gone or empty is refused, and repaired from its segments', async () => {
    for (const how of [
      () => rmSync(join(data, 'log/index'), { recursive: true }),
      () => truncateSync(join(data, 'log/index/data.mdb'), 0),
    ]) {
      damage(how);
      const before = segments();
      expect(before).toBeGreaterThan(5);
      for (const command of [['start', ...freePortFlags], ['audit']]) {
        const { code, stderr } = await run(...command);
        expect([code, segments()], stderr).toEqual([1, before]);
        expect(stderr).toMatch(/^squitter: .*squitter log repair.*\[log\.damaged\]$/m);
        expect(stderr).not.toMatch(/\n\s+at /);
      }
      expect((await run('log', 'check')).code).toBe(1);
    }
    const repair = await run('log', 'repair');
    expect([repair.code, repair.stdout], repair.stderr).toEqual([
      0,
      expect.stringMatching(/starts again at offset 0 of frames\/1[\s\S]*log: repaired\n$/),
    ]);
    const service = await startService(data, ['--no-simulation']);
    expect(await service.stop()).toBe(0);
    expect((await run('log', 'check')).stdout).toMatch(/^log: whole: /m);
    const audit = await run('audit');
    expect([audit.code, audit.stdout], audit.stderr).toEqual([0, expect.stringMatching(/^audit: equal: [1-9]/m)]);
  }, 180_000);

  test.each(['snapshots', 'flightplans'] as const)(
    'with a segment of %s cut short: the audit reports it',
    async (topic) => {
      damage(() => {
        const log = join(data, 'log');
        const file = segmentFilesIn(log).find((each) => headOfFile(log, each)?.topic === topic && each.bytes > 400)!;
        truncateSync(join(log, 'segments', file.name), file.bytes - 50);
      });
      const audit = await run('audit');
      expect(audit.code, audit.stderr).toBe(1);
      const said = topic === 'snapshots' ? audit.stderr : audit.stdout;
      expect(said).toMatch(
        topic === 'snapshots' ? /\[log\.damaged\]$/m : /^damaged: flightplans\/0[\s\S]*^audit: the log is damaged in 1 range/m,
      );
      expect((await run('log', 'check')).stdout).toMatch(/^log: damaged: 1 problem/m);
      expect((await run('log', 'mend')).code).toBe(2);
    },
    120_000,
  );
});
