// The scheduled export as services run it: real programs, a real log, states on the disk.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import { dailyJob } from '../../exporters/daily/daily-job.ts';
import { InProcessScheduler } from '../../exporters/jobs/in-process.ts';
import type { JobEvent } from '../../exporters/jobs/job-scheduler.ts';
import { logStages } from '../../infra/services/history/export-stages.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { handPosition, writeLog } from '../support/hand-day.ts';
import { projectDir } from '../support/requirements.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-daily-job-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const command = (day: string): [string, ...string[]] => [
  ...([process.execPath, join(projectDir, 'dist/infra/cli/squitter.js'), 'export', '--day', day, '--rebuild'] as [string, ...string[]]),
  ...['--data', dir, '--out', join(dir, 'bulk')],
];

describe('the scheduled export', () => {
  it('publishes every closed day that has positions', async () => {
    const days = ['2026-02-28', '2026-03-01'];
    const positions = days.flatMap((day, d) =>
      Array.from({ length: 20 }, (_, i) =>
        handPosition(`${day}T12:00:${10 + i}Z`, 0x4840d6, { partition: i % 2, frameOffset: d * 20 + i }),
      ),
    );
    await writeLog(dir, positions, [], Date.parse('2026-03-02T00:00:10Z'));
    const { log } = await openData(dir, 'read');
    const nowMs = Date.parse('2026-03-02T02:00:00Z');
    const events: JobEvent[] = [];
    let programs = 0;
    const onEvent = (event: JobEvent): void => void events.push(event);
    const scheduler = new InProcessScheduler(join(dir, 'jobs'), { nowMs: () => nowMs, checkMs: 20, onEvent });
    const counted = (day: string) => {
      programs += 1;
      return command(day);
    };
    await scheduler.start(dailyJob({ log, outDir: join(dir, 'bulk'), stages: logStages, command: counted }));
    await expect.poll(() => events.length, { timeout: 240_000 }).toBe(30);
    await scheduler.close();
    await log.close();
    expect((await new Catalog(join(dir, 'bulk')).days()).map(({ day }) => day).reverse()).toEqual(days);
    expect([programs, events.filter(({ kind }) => kind !== 'done')]).toEqual([2, []]);
  });

  it('ends its program when it stops, and says why a program failed, and that a day has no files', async () => {
    await writeLog(dir, [handPosition('2026-03-01T12:00:00Z', 1)], [], Date.parse('2026-03-02T00:00:10Z'));
    const { log } = await openData(dir, 'read');
    const exported: unknown[] = [];
    const onExported = async (...done: unknown[]): Promise<void> => void exported.push(done);
    const job = (script: string) =>
      dailyJob({ log, outDir: join(dir, 'bulk'), stages: logStages, command: () => [process.execPath, '-e', script], onExported });
    const never = new AbortController().signal;
    await expect(job('console.error("line\\nthe disk is full"); process.exit(1)').run('2026-03-01', never)).rejects.toMatchObject({
      code: 'export.day_failed',
      message: expect.stringContaining('the disk is full'),
    });
    const mark = join(dir, 'started');
    const stop = new AbortController();
    const run = job(`require('fs').writeFileSync(${JSON.stringify(mark)}, ''); setInterval(() => {}, 1000)`).run('2026-03-01', stop.signal);
    await expect.poll(() => existsSync(mark), { timeout: 240_000 }).toBe(true);
    stop.abort();
    await expect(run).rejects.toThrow('SIGTERM');
    // Positions just before or after the day are none of its own.
    await job('').run('2026-03-01', never);
    expect(exported).toEqual([['2026-03-01', null]]);
    await log.close();
    expect(readdirSync(dir)).not.toContain('bulk');
  });
});
