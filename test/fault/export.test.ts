// An export that is killed half-way leaves nothing visible, and the next run completes; so does one whose disk was full.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handPosition } from '../support/hand-day.ts';
import { writeLog } from '../support/logged-day.ts';
import { projectDir } from '../support/requirements.ts';
import { smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const DAY = '2025-02-28';
const START_MS = Date.parse(`${DAY}T00:00:00Z`);
const ROWS = 120_000;

const disks = smallDisks();
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-export-'));
  const positions = Array.from({ length: ROWS }, (_, i) =>
    handPosition(DAY, 0x400000 + (i % 50), {
      ...{
        timeUs: START_MS * 1000 + i * 700,
        partition: i % 2,
        frameOffset: i,
        latitudeMicrodeg: (i * 7919) % 90_000_000,
        longitudeMicrodeg: (i * 104_729) % 180_000_000,
      },
    }),
  );
  await writeLog(dir, positions, [], START_MS + 86_400_000 + 60_000);
});
afterAll(() => rmSync(dir, { recursive: true }));

const commandLine = (out: string): string[] => [
  ...[join(projectDir, 'dist/infra/cli/squitter.js'), 'export', '--day', DAY, '--rebuild', '--data', dir, '--out', out],
];

function start(out: string) {
  const child = spawn(process.execPath, commandLine(out), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', error: '' };
  child.stdout.on('data', (piece) => {
    printed.out += piece;
  });
  child.stderr.on('data', (piece) => {
    printed.error += piece;
  });
  return { child, printed, ended: once(child, 'close') as Promise<[number | null]> };
}

const visible = (out: string): string[] => readdirSync(out).filter((name) => !name.startsWith('.'));
/** Names of unfinished files. */
const unfinished = (out: string): string[] =>
  existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.spill-')) : [];

/** Starts an export and ends it when an unfinished file of the stage is there. False if it was done before the signal came, on a busy machine. */
async function endedAt(out: string, stage: RegExp, signal: NodeJS.Signals): Promise<boolean> {
  const { child, ended, printed } = start(out);
  let isDone = false;
  const ending = ended.finally(() => {
    isDone = true;
  });
  await until(() => isDone || unfinished(out).some((name) => stage.test(name)), `the stage ${stage}`).finally(() => child.kill(signal));
  const [status] = await ending;
  if (status !== 0) return true;
  expect([visible(out).length, unfinished(out), printed.error]).toEqual([4, [], expect.any(String)]);
  return false;
}

describe('an export', () => {
  it('that is killed at any stage leaves nothing visible, and the next run completes', async () => {
    const out = join(dir, 'killed');
    // The spill is open; rows are read; the sorted file grows.
    for (const stage of [/spill\.duckdb/, /files$/, /positions-.*\.parquet/]) {
      while (!(await endedAt(out, stage, 'SIGKILL'))) rmSync(out, { recursive: true });
      expect(unfinished(out).length).toBeGreaterThan(0);
      expect(visible(out)).toEqual([]);
    }
    const { ended, printed } = start(out);
    expect([(await ended)[0], printed.out]).toEqual([0, expect.stringContaining(`positions-${DAY}.parquet  ${ROWS} rows`)]);
    expect([visible(out).length, unfinished(out)]).toEqual([4, []]);
  });

  it('that is interrupted ends cleanly', async () => {
    const out = join(dir, 'interrupted');
    while (!(await endedAt(out, /./, 'SIGINT'))) rmSync(out, { recursive: true });
    expect([visible(out), unfinished(out)]).toEqual([[], []]);
  });

  it.skipIf(!disks.met)(`whose disk is full says so, publishes nothing, and completes when there is space ${disks.reason}`, async () => {
    // In a mount namespace of its own: DuckDB resolves paths, so that it cannot use one through /proc.
    const out = join(dir, 'full');
    mkdirSync(out);
    const script = `mount -t tmpfs -o size=2m tmpfs ${out} && ! "$@" && echo "left: $(ls -A ${out})" && mount -o remount,size=64m ${out} && "$@" && ls ${out}`;
    const child = spawn('unshare', ['--mount', '--map-root-user', 'sh', '-c', script, 'sh', process.execPath, ...commandLine(out)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect([status, errors]).toEqual([0, expect.stringContaining('[export.no_space]')]);
    expect(printed).toMatch(/^left: \n/);
    expect(printed).toContain(`manifest-${DAY}.json`);
  });
});
