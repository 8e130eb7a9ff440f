// The embedded JobScheduler against the contract.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { InProcessScheduler } from '../../exporters/jobs/in-process.ts';
import { jobsContract } from './jobs.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'squitter-jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));

jobsContract({
  name: 'in process',
  open: async (root, nowMs, onEvent) => new InProcessScheduler(join(folder, root), { nowMs, onEvent, checkMs: 10 }),
  states: async (root, job) => readFileSync(join(folder, root, `${job}.json`), 'utf8'),
  damage: async (root, job) => writeFileSync(join(folder, root, `${job}.json`), '{"2026-01-0'),
  alone: 'one process has the data folder',
});
