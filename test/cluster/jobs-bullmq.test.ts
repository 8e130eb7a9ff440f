// BullMQ on a real Redis against the contract. Needs `npm run build`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BullMqScheduler } from '../../exporters/jobs/bullmq.ts';
import type { JobEvent } from '../../exporters/jobs/job-scheduler.ts';
import { jobsContract } from '../contract/jobs.contract.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRedis } from '../local/redis.ts';
import { localPrograms, projectDir } from '../support/requirements.ts';

const NOON_MS = Date.parse('2026-01-10T12:00:00Z');
const needed = localPrograms('redis-server');

describe.skipIf(!needed.met)(`BullMQ ${needed.met ? '' : needed.reason}`, () => {
  let redis: LocalProgram;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis.stop();
  });
  const connection = () => ({ port: Number(new URL(redis.url).port), host: '127.0.0.1', maxRetriesPerRequest: null });
  const inRedis = async <T>(work: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(redis.url);
    return work(client).finally(() => client.disconnect());
  };
  const scheduler = (prefix: string, nowMs: () => number, onEvent: (event: JobEvent) => void = () => {}) =>
    new BullMqScheduler({ connection: connection(), prefix, nowMs, onEvent, checkMs: 20, lockMs: 2000 });

  jobsContract({
    name: 'BullMQ',
    open: async (root, nowMs, onEvent) => scheduler(root, nowMs, onEvent),
    states: (root, job) => inRedis((client) => client.get(`${root}:${job}:days`)).then(String),
    damage: async (root, job) => void (await inRedis((client) => client.set(`${root}:${job}:days`, '{"2026-01-0'))),
    alone: null,
  });

  it('runs the day of a killed process in another one', async () => {
    // A job that never ends, in a process of its own.
    const source = `
      const { BullMqScheduler } = await import(process.argv[1]);
      const connection = { port: Number(process.argv[2]), host: '127.0.0.1', maxRetriesPerRequest: null };
      const scheduler = new BullMqScheduler({ connection, prefix: 'dead', nowMs: () => ${NOON_MS}, checkMs: 20, lockMs: 10_000 });
      await scheduler.start({ name: 'export', dueAfterMs: 0, daysMax: 1, run: (day) => { process.stdout.write(day); return new Promise(() => {}); } });`;
    const file = pathToFileURL(join(projectDir, 'dist/modules/exporters/jobs/bullmq.js')).href;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source, file, String(connection().port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [begun] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(begun)).toBe('2026-01-09');
    const ran: string[] = [];
    const made = scheduler('dead', () => NOON_MS);
    await made.start({ name: 'export', dueAfterMs: 0, daysMax: 1, run: async (day) => void ran.push(day) });
    // The living process has the job: this one waits.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(ran).toEqual([]);
    child.kill('SIGKILL');
    await expect.poll(() => ran, { timeout: 240_000 }).toEqual(['2026-01-09']);
    const states = (): Promise<string> => inRedis((client) => client.get('dead:export:days')).then(String);
    await expect.poll(async () => Object.keys(JSON.parse(await states()) ?? {}), { timeout: 240_000 }).toEqual(['2026-01-09']);
    await made.close();
  });

  it('continues after Redis was killed', async () => {
    const clock = { ms: Date.parse('2026-01-10T02:00:00Z') };
    const ran: string[] = [];
    const made = scheduler('killed', () => clock.ms);
    await made.start({ name: 'export', dueAfterMs: 0, daysMax: 1, run: async (day) => void ran.push(day) });
    await expect.poll(() => ran, { timeout: 240_000 }).toEqual(['2026-01-09']);
    await redis.kill();
    clock.ms += 86_400_000;
    await redis.restart();
    await expect.poll(() => ran, { timeout: 240_000 }).toEqual(['2026-01-09', '2026-01-10']);
    await made.close();
  });
});
