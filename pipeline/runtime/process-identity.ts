// Identity of a process: its pid, start time and boot id. A pid alone is not unique, because the system reuses it.
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time from /proc; empty on systems without /proc. */
  readonly startedAt: string;
  /** Empty when the system does not report it. */
  readonly bootId: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: processStat(process.pid)?.startedAt ?? '', bootId: bootId() };
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.bootId === b.bootId;
}

/** True while that process runs. When its start time is unknown, any process with its pid counts. */
export function isAlive({ pid, startedAt, bootId: boot }: ProcessIdentity): boolean {
  // Signals to pid 0 go to the group of this process.
  if (boot !== bootId() || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs under another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const stat = processStat(pid);
  if (stat === undefined) return true;
  return !stat.isZombie && (startedAt === '' || stat.startedAt === startedAt);
}

/** From /proc/PID/stat: field 3, the state, and field 22, the start in clock ticks since boot; undefined when it cannot be read. */
function processStat(pid: number): { readonly isZombie: boolean; readonly startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { isZombie: fields[0] === 'Z' || fields[0] === 'X', startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
