// Lines of an SBS-1 (BaseStation) port as responses: each has the values of one message of one aircraft. `push/outputs` describes the format.
import { SquitterError } from '../../../schemas/errors.ts';
import type { Value } from './fields.ts';
import { SHOWN, type TheirAircraft, type TheirResponse } from './theirs.ts';

const CELLS = 22;
const flag = (text: string): Value => (text === '0' ? 0 : 1);
/** Cells that hold a value under our name. */
const VALUES: readonly (readonly [cell: number, name: string, read: (text: string) => Value])[] = [
  [10, 'flight', String],
  [11, 'alt_baro', Number],
  [12, 'gs', Number],
  [13, 'track', Number],
  [16, 'vert_rate', Number],
  [17, 'squawk', String],
  [18, 'alert', flag],
  [20, 'spi', flag],
];

/** True for lines of the format, also those without aircraft data. */
export function isSbsLine(text: string): boolean {
  return /^(MSG|SEL|ID|AIR|STA|CLK),/.test(text);
}

/** The response of a MSG line, null for other lines. Dates are UTC. Error: `verify.not_aircraft`. */
export function readSbsLine(text: string, source: string): TheirResponse | null {
  const cells = text.split(',').map((cell) => cell.trim());
  if (cells[0] !== 'MSG') return null;
  const hex = cells[4]!;
  const [generatedMs, loggedMs] = [timeOf(cells[6], cells[7]), timeOf(cells[8], cells[9])];
  if (cells.length !== CELLS || !/^[0-9A-Fa-f]{6}$/.test(hex) || Number.isNaN(generatedMs) || Number.isNaN(loggedMs))
    throw new SquitterError('verify.not_aircraft', { source, detail: `not a line of SBS-1: ${text.slice(0, 100)}` });
  const values = new Map<string, Value>();
  for (const [cell, name, read] of VALUES) if (cells[cell] !== '') values.set(name, read(cells[cell]!));
  if (cells[21] === '-1') values.set('alt_baro', 'ground');
  const hasPosition = cells[14] !== '' && cells[15] !== '';
  if (hasPosition) values.set('position', SHOWN);
  const aircraft: TheirAircraft = {
    hex: hex.toLowerCase(),
    values,
    position: hasPosition ? { lat: Number(cells[14]), lon: Number(cells[15]), timeMs: generatedMs } : null,
    coarse: !`${cells[12]}${cells[13]}`.includes('.'),
    partial: true,
    unknown: [],
  };
  return { nowMs: loggedMs, whole: true, aircraft: [aircraft] };
}

/** `2026/01/31` and `12:00:00.000` as ms since the Unix epoch; NaN for other texts. */
function timeOf(date = '', time = ''): number {
  return Date.parse(`${date.replaceAll('/', '-')}T${time}Z`);
}
