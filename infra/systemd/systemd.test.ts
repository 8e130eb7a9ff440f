// squitter.service: systemd's own checks, and ours of the options, limits and stop time.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { debianProgram, projectDir } from '../../test/support/requirements.ts';
import { squitter, temporaryFolder } from '../../test/support/service.ts';

const run = promisify(execFile);
const text = readFileSync(join(import.meta.dirname, 'squitter.service'), 'utf8');
const analyze = debianProgram('systemd-analyze', 'systemd');
/** From 0 to 10, less is better. A unit without restrictions has 9.6. */
const EXPOSURE_MAX = 2.5;

/** Every value of a setting, in order. */
const values = (setting: string): string[] => [...text.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map((match) => match[1]!);

test.skipIf(!analyze.met)(`systemd-analyze finds no error and few privileges ${analyze.reason}`, async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const unit = join(folder.path, 'squitter.service');
  writeFileSync(unit, text.replace('/opt/squitter', projectDir));
  expect(await run(analyze.path, ['verify', unit])).toEqual({ stdout: '', stderr: '' });
  const threshold = `--threshold=${EXPOSURE_MAX * 10}`;
  await expect(run(analyze.path, ['security', '--offline=yes', '--no-pager', threshold, unit])).resolves.toBeDefined();
});

test('its variables and its command are those of `squitter start`; it has descriptors for all connections and time to stop', async () => {
  expect(values('ExecStart')).toEqual(['/opt/squitter/infra/cli/squitter.sh start']);
  const { stdout } = await squitter(['start', '--help']);
  const names = values('Environment').flatMap((line) => [...line.matchAll(/(\w+)=/g)].map((match) => match[1]!));
  expect(names).toContain('SQUITTER_DATA');
  for (const name of names.filter((item) => item.startsWith('SQUITTER_'))) expect(stdout).toContain(name);
  expect(Number(values('LimitNOFILE')[0])).toBeGreaterThan(
    limits.httpConnectionsMax + limits.feederConnectionsMax + 2 * limits.pushConnectionsMax + limits.grpcConnectionsMax + 1000,
  );
  expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThanOrEqual(20);
});
