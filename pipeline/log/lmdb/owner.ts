// Ownership: one process writes at a time. The log itself records the owner, changed inside an LMDB write transaction, so there is no race.
// A dead owner (pid gone, pid reused by a younger process, or another boot) is replaced. Threads of one process share the ownership.
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { isAlive, isSameProcess, thisProcess } from '../../runtime/process-identity.ts';
import { COMMIT_OVERLAPPING, type Owner, type Store } from './rows.ts';

/**
 * Takes or shares the ownership. Returns true for the first log object of its process: no other one writes then. `onFirst` runs inside the same
 * transaction; `afterPowerLoss`: the previous owner did not close the log and the machine has rebooted since, so unflushed data may be lost.
 * Error: `log.in_use`.
 */
export function takeOwnership(store: Store, onFirst: (afterPowerLoss: boolean) => void): boolean {
  return store.root.transactionSync(() => {
    const found = store.meta.get('owner') as Owner | undefined;
    const self = thisProcess();
    if (found !== undefined && isSameProcess(found, self)) {
      store.meta.put('owner', { ...found, opens: found.opens + 1 });
      return false;
    }
    if (found !== undefined && isAlive(found)) throw new SquitterError('log.in_use', { path: store.path, pid: found.pid });
    const afterPowerLoss = found !== undefined && found.bootId !== self.bootId;
    store.meta.put('owner', { ...self, opens: 1 });
    onFirst(afterPowerLoss);
    return true;
  }, COMMIT_OVERLAPPING);
}

/** Releases the ownership. The last log object of the process removes the owner, which marks the log as closed properly. */
export function releaseOwnership(store: Store): void {
  store.root.transactionSync(() => {
    const found = store.meta.get('owner') as Owner | undefined;
    if (found === undefined || !isSameProcess(found, thisProcess())) return;
    if (found.opens > 1) store.meta.put('owner', { ...found, opens: found.opens - 1 });
    else store.meta.remove('owner');
  }, COMMIT_OVERLAPPING);
}

/** Pid of a process that has files of this folder open, from /proc; null if there is none or no /proc. For a log whose index is unreadable. */
export function processUsing(path: string): number | null {
  const prefix = `${realpathSync(path)}${sep}`;
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid) : [];
  const holds = (pid: string): boolean => {
    try {
      const files = `/proc/${pid}/fd`;
      return readdirSync(files).some((file) => readlinkSync(join(files, file)).startsWith(prefix));
    } catch {
      // The process ended, or belongs to another user.
      return false;
    }
  };
  const found = pids.find(holds);
  return found === undefined ? null : Number(found);
}
