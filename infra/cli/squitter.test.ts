// The launcher: what Node is started with, through the link that npm installs.
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';

const folder = temporaryFolder();
afterAll(folder.remove);
const link = join(folder.path, 'squitter');
symlinkSync(resolve('infra/cli/squitter.sh'), link);
writeFileSync(join(folder.path, 'node'), '#!/bin/sh\necho "$MALLOC_ARENA_MAX $MALLOC_MMAP_THRESHOLD_ $*"\n', { mode: 0o700 });

const PROGRAM = resolve('infra/cli/../../dist/infra/cli/squitter.js');
const started = (argv: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(link, argv, { env: { PATH: `${folder.path}:${process.env['PATH']}`, ...env }, encoding: 'utf8' })
    .trim()
    .replace('infra/cli/../../', '');

test.each([
  [['start', '--data', 'a b'], {}, `2 262144 --max-semi-space-size=2 --no-short-builtin-calls ${PROGRAM} start --data a b`],
  [['service', 'fold'], {}, `2 262144 --initial-old-space-size=256 ${PROGRAM} service fold`],
  [['--version'], { MALLOC_ARENA_MAX: '4' }, `4 262144 ${PROGRAM} --version`],
])('%j', (argv, env, line) => expect(started(argv, env)).toBe(line));
