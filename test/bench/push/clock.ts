// Time that the processes of a benchmark share, and what a process has used.
import { readFileSync } from 'node:fs';

/** The machine's monotonic clock, ms. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Resident memory of a process now, the most since its peak was reset, and that of no file. Linux. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number; readonly anonymous: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: kib('VmRSS'), peak: kib('VmHWM'), anonymous: kib('RssAnon') };
}

const TICKS_PER_S = 100;

/** CPU time of another process. Linux. */
export function processCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
