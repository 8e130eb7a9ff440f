// Who writes: one process at a time. Kept in the log itself and changed inside an LMDB write transaction, so there is no race.
// A dead owner (pid gone, or given to a younger process, or another boot) is taken over; threads of one process share.
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { isAlive, isSameProcess, thisProcess } from '../../runtime/process-identity.ts';
import { COMMIT_WITHOUT_FLUSH } from './commit-flags.ts';
import type { Owner, Store } from './rows.ts';

export interface Ownership {
  /** This log is the first of its process: nobody else writes now. */
  readonly isFirst: boolean;
  /** The owner before us did not close, and the machine was started again since: what was not flushed may be lost. */
  readonly afterPowerLoss: boolean;
}

/** Takes or shares the ownership. `onFirst` runs inside the same transaction. Error: `log.in_use`. */
export function takeOwnership(store: Store, onFirst: (afterPowerLoss: boolean) => void): Ownership {
  return store.root.transactionSync(() => {
    const found = store.meta.get('owner') as Owner | undefined;
    const self = thisProcess();
    if (found !== undefined && isSameProcess(found, self)) {
      store.meta.put('owner', { ...found, opens: found.opens + 1 });
      return { isFirst: false, afterPowerLoss: false };
    }
    if (found !== undefined && isAlive(found)) throw new SquitterError('log.in_use', { path: store.path, pid: found.pid });
    const afterPowerLoss = found !== undefined && found.bootId !== self.bootId;
    store.meta.put('owner', { ...self, opens: 1 });
    onFirst(afterPowerLoss);
    return { isFirst: true, afterPowerLoss };
  }, COMMIT_WITHOUT_FLUSH);
}

/** Gives it back; the last log of the process leaves the log without an owner, which says that it was closed properly. */
export function releaseOwnership(store: Store): void {
  store.root.transactionSync(() => {
    const found = store.meta.get('owner') as Owner | undefined;
    if (found === undefined || !isSameProcess(found, thisProcess())) return;
    if (found.opens > 1) store.meta.put('owner', { ...found, opens: found.opens - 1 });
    else store.meta.remove('owner');
  }, COMMIT_WITHOUT_FLUSH);
}

/** A process that has files of this folder open, as /proc tells it; null where there is none, or no /proc. For a log whose index cannot tell. */
export function processUsing(path: string): number | null {
  const prefix = `${realpathSync(path)}${sep}`;
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid) : [];
  const holds = (pid: string): boolean => {
    try {
      const files = `/proc/${pid}/fd`;
      return readdirSync(files).some((file) => readlinkSync(join(files, file)).startsWith(prefix));
    } catch {
      // It ended, or belongs to somebody else.
      return false;
    }
  };
  const found = pids.find(holds);
  return found === undefined ? null : Number(found);
}
