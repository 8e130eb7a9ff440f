// An export that is killed half-way leaves nothing visible, and the next run completes; so does one whose disk was full. One that is interrupted cleans up.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handPosition, writeLog } from '../support/hand-day.ts';
import { squitterBin, TestProgram } from '../support/service.ts';
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
      ...{ timeUs: START_MS * 1000 + i * 700, partition: i % 2, frameOffset: i },
      ...{ latitudeMicrodeg: (i * 7919) % 90_000_000, longitudeMicrodeg: (i * 104_729) % 180_000_000 },
    }),
  );
  await writeLog(dir, positions, [], START_MS + 86_400_000 + 60_000);
});
afterAll(() => rmSync(dir, { recursive: true }));

const command = (out: string): string[] => [
  process.execPath,
  squitterBin,
  ...`export --day ${DAY} --rebuild --data ${dir} --out ${out}`.split(' '),
];

const visible = (out: string): string[] => readdirSync(out).filter((name) => !name.startsWith('.'));
/** Names of unfinished files. */
const unfinished = (out: string): string[] =>
  existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.spill-')) : [];

/** Starts an export and ends it when an unfinished file of the stage is there. False if it was done before the signal came, on a busy machine. */
async function endedAt(out: string, stage: RegExp, signal: NodeJS.Signals): Promise<boolean> {
  const program = new TestProgram(command(out));
  await until(() => !program.running || unfinished(out).some((name) => stage.test(name)), `the stage ${stage}`);
  program.child.kill(signal);
  if ((await program.ended) !== 0) return true;
  expect([visible(out).length, unfinished(out)]).toEqual([4, []]);
  return false;
}

describe('an export', () => {
  it('that is killed at any stage leaves nothing visible, and the next run completes', async () => {
    const out = join(dir, 'killed');
    // Rows are read; the sorted file grows.
    for (const stage of [/files$/, /positions-.*\.parquet/]) {
      while (!(await endedAt(out, stage, 'SIGKILL'))) rmSync(out, { recursive: true });
      expect(unfinished(out).length).toBeGreaterThan(0);
      expect(visible(out)).toEqual([]);
    }
    const program = new TestProgram(command(out));
    expect([await program.ended, program.output()]).toEqual([0, expect.stringContaining(`positions-${DAY}.parquet  ${ROWS} rows`)]);
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
    const program = new TestProgram(['unshare', '--mount', '--map-root-user', 'sh', '-c', script, 'sh', ...command(out)]);
    expect([await program.ended, program.output()]).toEqual([0, expect.stringContaining('[export.no_space]')]);
    const printed = program.output();
    expect(printed).toMatch(/^left: $/m);
    expect(printed).toContain(`manifest-${DAY}.json`);
  });
});
