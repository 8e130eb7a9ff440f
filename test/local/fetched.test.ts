// The cache is complete or absent, and is downloaded once even with parallel callers and crashes. Maven is replaced by a script here.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/service.ts';
import { fetched } from './fetched.ts';

const path = process.env['PATH'];

describe('the cache of Kafka and the registry', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;

  /** Adds a program at the front of the PATH. */
  function program(name: string, script: string): void {
    const file = join(folder.path, 'bin', name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** A replacement for Maven that counts its runs, takes a while, writes the same files, and ends with `status`. */
  function maven(status: number): void {
    program(
      'mvn',
      `for word in "$@"; do case $word in -Ddestination=*) to=\${word#*=};; esac; done
      echo run >> ${join(folder.path, 'runs')}
      mkdir -p "$to/kafka" "$to/registry" "$to/target"
      echo "[ERROR] a message of Maven"
      sleep 0.3
      touch "$to/registry/app-runner.jar"
      exit ${status}`,
    );
  }

  const runs = (): number => readFileSync(join(folder.path, 'runs'), 'utf8').trim().split('\n').length;

  beforeEach(() => {
    folder = temporaryFolder();
    root = join(folder.path, 'cache');
    mkdirSync(join(folder.path, 'bin'));
    process.env['PATH'] = `${join(folder.path, 'bin')}${delimiter}${path}`;
    program('java', 'echo \'openjdk version "17.0.1"\' >&2');
  });
  afterEach(() => {
    process.env['PATH'] = path;
    folder.remove();
  });

  it('is downloaded once for two parallel calls, and not again', async () => {
    maven(0);
    const printed: string[] = [];
    const [one, other] = await Promise.all([fetched(root, (text) => printed.push(text)), fetched(root, (text) => printed.push(text))]);
    expect(printed).toEqual([expect.stringMatching(/^downloading .*160 MB/)]);
    expect(one).toEqual(other);
    expect(existsSync(one.registryJar)).toBe(true);
    await fetched(root);
    expect(runs()).toBe(1);
    expect(readdirSync(root)).toHaveLength(1);
  });

  it('is absent after a failure, which quotes Maven, and is downloaded by the next call', async () => {
    maven(1);
    await expect(fetched(root)).rejects.toThrow(
      expect.objectContaining({ code: 'local.fetch_failed', message: expect.stringContaining('a message of Maven') }),
    );
    expect(readdirSync(root)).toEqual([]);
    maven(0);
    await fetched(root);
    expect(runs()).toBe(2);
  });

  it('is downloaded even if another process died during its download', async () => {
    maven(0);
    const { kafkaClassPath } = await fetched(root);
    const name = readdirSync(root)[0]!;
    expect(kafkaClassPath).toBe(join(root, name, 'kafka', '*'));
    const other = join(folder.path, 'other');
    mkdirSync(join(other, `${name}.part-dead`), { recursive: true });
    writeFileSync(join(other, `${name}.lock`), '');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(other, `${name}.lock`), longAgo, longAgo);
    await fetched(other);
    expect(readdirSync(other)).toEqual([name]);
  });
});
