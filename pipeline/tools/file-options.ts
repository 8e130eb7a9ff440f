// Options that every command with a frame file has.
import { parseCoordinates, parseTime } from '../runtime/options.ts';

export const fileOptions = {
  receiver: {
    flag: 'receiver',
    value: 'LAT,LON',
    env: 'SQUITTER_RECEIVER',
    help: 'where the receiver stood: surface positions then resolve',
    fallback: null as { lat: number; lon: number } | null,
    parse: parseCoordinates,
  },
  start: {
    flag: 'start',
    value: 'TIME',
    help: 'ISO time that the counters of a Beast or AVR file count from; without effect where the file has times of its own',
    fallback: null as number | null,
    parse: parseTime,
  },
} as const;

/** The start option as µs since the Unix epoch; 0 where it was not given. */
export function isoStart(startMs: number | null): number {
  return (startMs ?? 0) * 1000;
}
