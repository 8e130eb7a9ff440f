// The contract of the JobScheduler port. Every adapter runs it, and names what it cannot do. Days and pauses come from a clock that the test sets.
import { afterEach, describe, expect, it } from 'vitest';
import type { DailyJob, JobEvent, JobScheduler } from '../../exporters/jobs/job-scheduler.ts';

export interface JobsAdapter {
  readonly name: string;
  /** A scheduler on the state of `root`; `root` is new for every test. It looks for due days every few milliseconds. */
  open(root: string, nowMs: () => number, onEvent: (event: JobEvent) => void): Promise<JobScheduler>;
  /** The states of the job as text. */
  states(root: string, job: string): Promise<string>;
  /** Writes something unreadable where the states of the job are. */
  damage(root: string, job: string): Promise<void>;
  /** Null: several processes share a job. Otherwise why they do not. */
  readonly alone: string | null;
}

const HOUR_MS = 3_600_000;
let standsMade = 0;
/** A loaded machine may need more than a second for a few round trips. */
const until = <T>(read: () => T) => expect.poll(read, { timeout: 240_000 });

export function jobsContract(adapter: JobsAdapter): void {
  const { alone } = adapter;

  describe(`JobScheduler: ${adapter.name}`, () => {
    const open: JobScheduler[] = [];
    afterEach(async () => {
      await Promise.all(open.splice(0).map((scheduler) => scheduler.close()));
    });

    /** A clock, a root, and what ran. */
    function stand(time: string) {
      standsMade += 1;
      const root = `jobs-${process.pid}-${standsMade}`;
      const clock = { ms: Date.parse(time) };
      const ran: string[] = [];
      const events: JobEvent[] = [];
      const job: DailyJob = {
        ...{ name: 'export', dueAfterMs: 2 * HOUR_MS, daysMax: 3 },
        async run(day) {
          ran.push(day);
        },
      };
      const scheduler = async (own: Partial<DailyJob> = {}): Promise<JobScheduler> => {
        const made = await adapter.open(
          root,
          () => clock.ms,
          (event) => events.push(event),
        );
        open.push(made);
        await made.start({ ...job, ...own });
        return made;
      };
      const done = (): string[] => events.flatMap((event) => (event.kind === 'done' ? [event.day] : []));
      return { root, clock, ran, events, scheduler, done };
    }

    it('runs every closed day once, the oldest first, and none before its time', async () => {
      const { root, clock, ran, scheduler, done } = stand('2026-03-02T01:59:59.999Z');
      await scheduler();
      // 1 March is over, but not by two hours.
      await until(done).toEqual(['2026-02-26', '2026-02-27', '2026-02-28']);
      clock.ms += 1;
      await until(done).toEqual(['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01']);
      expect(ran).toEqual(done());
      expect(Object.keys(JSON.parse(await adapter.states(root, 'export')))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    });

    it('runs no day again after a restart, but where states are damaged, and makes up for days of downtime, not for all of them', async () => {
      const { root, clock, events, scheduler, done } = stand('2026-01-10T02:00:00Z');
      const first = await scheduler();
      await until(done).toEqual(['2026-01-07', '2026-01-08', '2026-01-09']);
      await first.close();
      clock.ms += 2 * 24 * HOUR_MS;
      const second = await scheduler();
      await until(done).toEqual(['2026-01-07', '2026-01-08', '2026-01-09', '2026-01-10', '2026-01-11']);
      await second.close();
      clock.ms += 30 * 24 * HOUR_MS;
      const third = await scheduler();
      await until(() => done().slice(5)).toEqual(['2026-02-08', '2026-02-09', '2026-02-10']);
      await third.close();
      await adapter.damage(root, 'export');
      await scheduler();
      await until(() => done().slice(8)).toEqual(['2026-02-08', '2026-02-09', '2026-02-10']);
      expect(events.some(({ kind }) => kind === 'state')).toBe(true);
    });

    it('tries a failed day again after a pause, and other days do not wait for it', async () => {
      const { clock, ran, events, scheduler, done } = stand('2026-01-10T02:00:00Z');
      let broken = true;
      await scheduler({
        async run(day) {
          ran.push(day);
          if (broken && day === '2026-01-08') throw new Error('the disk is full');
        },
      });
      await until(done).toEqual(['2026-01-07', '2026-01-09']);
      expect(events.find(({ kind }) => kind === 'failed')).toMatchObject({ day: '2026-01-08', attempts: 1 });
      const before = ran.length;
      clock.ms += 59_000;
      // Several looks find nothing due.
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(ran.length).toBe(before);
      clock.ms += 1000;
      await until(() => events.filter(({ kind }) => kind === 'failed').length).toBe(2);
      broken = false;
      clock.ms += 120_000;
      await until(done).toEqual(['2026-01-07', '2026-01-09', '2026-01-08']);
    });

    it('stops a running day when it closes, and runs that day again at the next start', async () => {
      const { ran, scheduler, done } = stand('2026-01-10T02:00:00Z');
      let stopped = 0;
      const first = await scheduler({
        run: (day, signal) =>
          new Promise((_resolve, reject) => {
            ran.push(day);
            signal.addEventListener('abort', () => {
              stopped += 1;
              reject(new Error('stopped'));
            });
          }),
      });
      await until(() => ran).toEqual(['2026-01-07']);
      await first.close();
      expect(stopped).toBe(1);
      await scheduler();
      await until(done).toEqual(['2026-01-07', '2026-01-08', '2026-01-09']);
    });

    if (alone !== null) return;
    it('runs a day in one of several processes', async () => {
      const { clock, ran, scheduler, done } = stand('2026-01-10T02:00:00Z');
      let running = 0;
      let together = 0;
      const run = async (day: string): Promise<void> => {
        running += 1;
        together = Math.max(together, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        ran.push(day);
        running -= 1;
      };
      await Promise.all([scheduler({ run }), scheduler({ run }), scheduler({ run })]);
      await until(() => done().length).toBe(3);
      clock.ms += 24 * HOUR_MS;
      await until(() => done().length).toBe(4);
      expect([ran, together]).toEqual([['2026-01-07', '2026-01-08', '2026-01-09', '2026-01-10'], 1]);
    });
  });
}
