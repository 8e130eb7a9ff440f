// A full disk delays commits; all other errors are passed on. A fold that is behind delays readers, for a while.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Commit, EventLog, GroupHandler, RecordBatch } from '../../../pipeline/log/event-log.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { patientLog, yieldingLog } from './stage-log.ts';

const COMMIT: Commit = { group: 'fold', topic: 'frames', partition: 0, fromOffset: 0, nextOffset: 5, outputs: [] };

/** A log whose commits fail with these codes, one after the other, and then succeed. */
function failing(...codes: ErrorCode[]): { readonly log: EventLog; readonly commits: Commit[] } {
  const commits: Commit[] = [];
  const commit = async (value: Commit): Promise<void> => {
    const code = codes.shift();
    if (code !== undefined) throw new SquitterError(code);
    commits.push(value);
  };
  return { log: { commit } as EventLog, commits };
}

it('retries a commit until the disk has room, and gives up on request, after a last attempt', async () => {
  const { log, commits } = failing('log.no_space', 'log.no_descriptors');
  const patient = patientLog(log, 20);
  const done = patient.log.commit(COMMIT);
  await sleep(10);
  expect([patient.waiting(), commits]).toEqual([1, []]);
  await done;
  expect([patient.waiting(), commits]).toEqual([0, [COMMIT]]);

  const full = patientLog(failing('log.no_space', 'log.no_space', 'log.no_space').log);
  const refused = full.log.commit(COMMIT);
  await sleep(0);
  full.giveUp();
  for (const commit of [refused, full.log.commit(COMMIT)]) await expect(commit).rejects.toMatchObject({ code: 'log.no_space' });
  for (const code of ['log.commit_conflict', 'log.commit_failed', 'log.too_much_waiting'] as const)
    await expect(patientLog(failing(code).log).log.commit(COMMIT)).rejects.toMatchObject({ code });
});

it('reads on when the fold has caught up, when it has been behind for too long, and when the group takes the partition back', async () => {
  const { historyYieldRecords, historyYieldMsMax } = limits;
  const behind = { earliest: 5, next: 1000 + historyYieldRecords + 1 };
  let [bounds, nowMs, handler] = [behind, 0, {} as GroupHandler];
  const log = yieldingLog(
    {
      bounds: async () => bounds,
      committed: async () => 1000,
      join: async (_group: string, _topic: string, joined: GroupHandler) => {
        handler = joined;
      },
    } as unknown as EventLog,
    () => nowMs,
  );
  let read = 0;
  const batch = async (): Promise<void> => {
    read += 1;
  };
  await log.join('history', 'positions', { batch } as unknown as GroupHandler);
  const stop = new AbortController();
  const begin = () => handler.batch({ partition: 0 } as RecordBatch, stop.signal);
  const begun = begin();
  await sleep(10);
  expect(read).toBe(0);
  bounds = { ...behind, next: behind.next - 1 };
  await begun;
  expect(read).toBe(1);

  bounds = behind;
  const again = begin();
  await sleep(10);
  nowMs = historyYieldMsMax;
  await again;
  expect(read).toBe(2);
  // It is still behind, and the history is not held up.
  await begin();
  expect(read).toBe(3);

  bounds = { ...behind, next: 1000 };
  await begin();
  bounds = behind;
  const last = begin();
  await sleep(10);
  stop.abort();
  await last;
});
