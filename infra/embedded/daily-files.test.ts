// The daily files in the embedded service: a failure is shown beside readiness.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { until } from '../../test/support/until.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { publishDays } from './daily-files.ts';
import { startOptions } from './start-options.ts';

it('warns of a day that was not published, and keeps the schedule for its owner alone', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'squitter-days-'));
  const closers: Closer[] = [];
  const logger = pino({ enabled: false });
  const readiness = new Readiness();
  const log = { partitions: () => 1, offsetAt: () => Promise.reject(new SquitterError('log.closed')) } as unknown as EventLog;
  const { options } = parseOptions(startOptions, ['--data', dataDir], {});
  try {
    await publishDays(options, { log, registry: new Registry(), logger, readiness, hasHistory: false }, closers);
    await until(() => readiness.warnings().length === 1);
    expect(readiness.warnings()[0]).toMatch(/^\d{4}-\d\d-\d\d was not published: the log is closed$/);
    expect(readiness.reasons()).toEqual([]);
    const modeOf = (name: string): number => statSync(join(dataDir, name)).mode & 0o777;
    expect([modeOf('jobs'), modeOf('jobs/export.json')]).toEqual([0o700, 0o600]);
  } finally {
    await closeAll(closers, logger);
    rmSync(dataDir, { recursive: true });
  }
});
