// Options of every command that reads a frame file.
import { parseCoordinates, parseTime } from '../runtime/options.ts';

export const fileOptions = {
  receiver: {
    flag: 'receiver',
    value: 'LAT,LON',
    env: 'SQUITTER_RECEIVER',
    help: 'location of the receiver; surface positions need it',
    fallback: null as { lat: number; lon: number } | null,
    parse: parseCoordinates,
  },
  start: {
    flag: 'start',
    value: 'TIME',
    help: 'ISO time at which the counters of a Beast or AVR file start; ignored when the file has its own times',
    fallback: null as number | null,
    parse: parseTime,
  },
} as const;

/** The start option as µs since the Unix epoch; 0 when it is not given. */
export function isoStart(startMs: number | null): number {
  return (startMs ?? 0) * 1000;
}
