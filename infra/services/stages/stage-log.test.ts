// A full disk delays commits; all other errors are passed on.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Commit, EventLog } from '../../../pipeline/log/event-log.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { patientLog } from './stage-log.ts';

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
