// How much memory the service may use: that of the machine, or of its control group.
import { totalmem } from 'node:os';
import { limits } from '../../schemas/limits/index.ts';

/** Bytes. `groupLimit`: 0, or more than the machine has, if the control group has no limit. */
export function memoryBytes(machine = totalmem(), groupLimit = process.constrainedMemory()): number {
  return groupLimit > 0 ? Math.min(machine, groupLimit) : machine;
}

/** A Raspberry Pi with 1 or 2 GB. */
export function isSmallMemory(bytes = memoryBytes()): boolean {
  return bytes < limits.smallMemoryBytes;
}
