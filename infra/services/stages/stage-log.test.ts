// A full disk delays commits; all other errors are passed on.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Commit, EventLog } from '../../../pipeline/log/event-log.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { patientLog } from './stage-log.ts';

const COMMIT: Commit = { group: 'fold', topic: 'frames', partition: 0, fromOffset: 0, nextOffset: 5, outputs: [] };

/** A log whose commits fail with these codes, one after the other, and then succeed. */
function failing(codes: ErrorCode[]): { readonly log: EventLog; readonly commits: Commit[] } {
  const commits: Commit[] = [];
  const log = {
    async commit(commit: Commit): Promise<void> {
      const code = codes.shift();
      if (code !== undefined) throw new SquitterError(code);
      commits.push(commit);
    },
  } as EventLog;
  return { log, commits };
}

describe('the patient log', () => {
  it('retries a commit until the disk has room', async () => {
    const { log, commits } = failing(['log.no_space', 'log.no_space', 'log.no_descriptors']);
    const patient = patientLog(log, 20);
    const done = patient.log.commit(COMMIT);
    await sleep(10);
    expect(patient.waiting()).toBe(1);
    expect(commits).toEqual([]);
    await done;
    expect(patient.waiting()).toBe(0);
    expect(commits).toEqual([COMMIT]);
  });

  it('passes on errors that are not temporary', async () => {
    const { log } = failing(['log.commit_conflict', 'log.commit_failed', 'log.too_much_waiting']);
    for (const code of ['log.commit_conflict', 'log.commit_failed', 'log.too_much_waiting'])
      await expect(patientLog(log).log.commit(COMMIT)).rejects.toMatchObject({ code });
  });

  it('gives up on request, after a last attempt', async () => {
    const { log, commits } = failing(['log.no_space', 'log.no_space', 'log.no_space']);
    const patient = patientLog(log);
    const refused = patient.log.commit(COMMIT);
    await sleep(0);
    patient.giveUp();
    await expect(refused).rejects.toMatchObject({ code: 'log.no_space' });
    await expect(patient.log.commit(COMMIT)).rejects.toMatchObject({ code: 'log.no_space' });
    expect(commits).toEqual([]);
  });
});
