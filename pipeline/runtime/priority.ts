// Priorities of work that gives way to live data.
import { getPriority, setPriority } from 'node:os';

const LOWEST_PRIORITY = 19;

/** Lowers the priority of the calling thread below that of this process, or that of process `pid`. Without the right to do so nothing changes. */
export function lowerPriority(by: number, pid = 0): void {
  try {
    setPriority(pid, Math.min(LOWEST_PRIORITY, getPriority(process.pid) + by));
  } catch {
    // The process has ended, or a sandbox or the system has no priorities: all share the processor.
  }
}
