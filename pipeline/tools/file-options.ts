// Options of every command that reads a frame file.
import { flagOption, parseTime, receiverOption } from '../runtime/options.ts';

export const fileOptions = {
  receiver: receiverOption('location of the receiver; surface positions need it'),
  start: flagOption(
    'start',
    'TIME',
    'ISO time at which the counters of a Beast or AVR file start; ignored when the file has its own times',
    parseTime,
  ),
} as const;

/** The start option as µs since the Unix epoch; 0 when it is not given. */
export function isoStart(startMs: number | null): number {
  return (startMs ?? 0) * 1000;
}
