// The cache is complete or absent, and is downloaded once even with parallel callers and crashes. Maven is replaced by a script here.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/service.ts';
import { fetched } from './fetched.ts';

it('the cache of Kafka and the registry is absent after a failure, and downloaded once for parallel calls and after a crash', async () => {
  const { path: folder, remove } = temporaryFolder();
  const path = process.env['PATH'];
  onTestFinished(() => {
    process.env['PATH'] = path;
    remove();
  });
  process.env['PATH'] = `${folder}${delimiter}${path}`;
  const program = (name: string, script: string): void => writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program('java', 'echo \'openjdk version "17.0.1"\' >&2');
  /** A replacement for Maven that counts its runs, takes a while, writes the same files, and ends with `status`. */
  const maven = (status: number): void =>
    program(
      'mvn',
      `for word in "$@"; do case $word in -Ddestination=*) to=\${word#*=};; esac; done
      echo run >> ${join(folder, 'runs')}
      mkdir -p "$to/kafka" "$to/registry" "$to/target"
      echo "[ERROR] a message of Maven"
      sleep 0.3
      touch "$to/registry/app-runner.jar"
      exit ${status}`,
    );
  const root = join(folder, 'cache');
  const runs = (): number => readFileSync(join(folder, 'runs'), 'utf8').split('run').length - 1;

  maven(1);
  await expect(fetched(root)).rejects.toMatchObject({
    code: 'local.fetch_failed',
    message: expect.stringContaining('a message of Maven') as string,
  });
  expect(readdirSync(root)).toEqual([]);
  maven(0);
  const printed: string[] = [];
  const [one, other] = await Promise.all([fetched(root, (text) => printed.push(text)), fetched(root, (text) => printed.push(text))]);
  expect(printed).toEqual([expect.stringMatching(/^downloading .*160 MB/)]);
  const [name] = readdirSync(root) as [string];
  expect([one, existsSync(one.registryJar), one.kafkaClassPath]).toEqual([other, true, join(root, name, 'kafka', '*')]);
  await fetched(root);
  expect([runs(), readdirSync(root).length]).toEqual([2, 1]);

  const crashed = join(folder, 'crashed');
  const lock = join(crashed, `${name}.lock`);
  mkdirSync(join(crashed, `${name}.part-dead`), { recursive: true });
  writeFileSync(lock, '');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  await fetched(crashed);
  expect(readdirSync(crashed)).toEqual([name]);
});
