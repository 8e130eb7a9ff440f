// BullMQ on a real Redis against the contract.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BullMqScheduler } from '../../exporters/jobs/bullmq.ts';
import type { JobEvent } from '../../exporters/jobs/job-scheduler.ts';
import type { LocalProgram } from '../../infra/local/local-program.ts';
import { startRedis } from '../../infra/local/redis.ts';
import { localPrograms } from '../support/requirements.ts';
import { jobsContract } from './jobs.contract.ts';

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
  const scheduler = (prefix: string, nowMs: () => number, onEvent: (event: JobEvent) => void = () => {}) =>
    new BullMqScheduler({ connection: connection(), prefix, nowMs, onEvent, checkMs: 20, lockMs: 2000 });

  jobsContract({
    name: 'BullMQ',
    open: async (root, nowMs, onEvent) => scheduler(root, nowMs, onEvent),
    damage: async (root, job) => {
      const client = new Redis(redis.url);
      await client.set(`${root}:${job}:days`, '{"2026-01-0');
      client.disconnect();
    },
    alone: null,
  });

  it('continues after Redis was killed', async () => {
    const clock = { ms: Date.parse('2026-01-10T02:00:00Z') };
    const ran: string[] = [];
    const made = scheduler('killed', () => clock.ms);
    await made.start({ name: 'export', dueAfterMs: 0, daysMax: 1, run: async (day) => void ran.push(day) });
    await expect.poll(() => ran, { timeout: 15_000 }).toEqual(['2026-01-09']);
    await redis.kill();
    clock.ms += 86_400_000;
    await redis.restart();
    await expect.poll(() => ran, { timeout: 15_000 }).toEqual(['2026-01-09', '2026-01-10']);
    await made.close();
  });
});
