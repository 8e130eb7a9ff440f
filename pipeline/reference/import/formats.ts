// All formats of reference data. A file is recognized by its first line, never by its name.
import { aircraftFormats } from './aircraft-formats.ts';
import { airportFormats } from './airport-formats.ts';
import type { Format } from './format.ts';
import { otherFormats } from './other-formats.ts';

const formats: readonly Format[] = [...aircraftFormats, ...airportFormats, ...otherFormats];

export function formatOf(first: string): Format | undefined {
  return formats.find((format) => format.recognises(first));
}
