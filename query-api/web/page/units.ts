// Values as people read them, in the units they chose. Values of the service are in feet, knots, feet per minute and nautical miles.

export const unitSystems = ['aviation', 'metric', 'imperial'] as const;
export type Units = (typeof unitSystems)[number];

/** Factor and unit of each quantity. */
const scales = {
  aviation: { altitude: [1, 'ft'], speed: [1, 'kt'], rate: [1, 'ft/min'], distance: [1, 'nm'] },
  metric: { altitude: [0.3048, 'm'], speed: [1.852, 'km/h'], rate: [0.00508, 'm/s'], distance: [1.852, 'km'] },
  imperial: { altitude: [1, 'ft'], speed: [1.150779, 'mph'], rate: [1, 'ft/min'], distance: [1.150779, 'mi'] },
} as const;
export type Quantity = keyof (typeof scales)['aviation'];

export const scaled = (value: number, quantity: Quantity, units: Units): number => value * scales[units][quantity][0];
export const unitOf = (quantity: Quantity, units: Units): string => scales[units][quantity][1];

/** A number with its unit; an em dash without a value. */
export function shown(value: number | null | undefined, quantity: Quantity, units: Units): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '—';
  const number = scaled(value, quantity, units);
  const digits = quantity === 'distance' && Math.abs(number) < 10 ? 1 : quantity === 'rate' && units === 'metric' ? 1 : 0;
  return `${number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unitOf(quantity, units)}`;
}

/** Altitude of an aircraft as `alt_baro` has it. */
export const shownAltitude = (value: number | 'ground' | null | undefined, units: Units): string =>
  value === 'ground' ? 'on the ground' : shown(value, 'altitude', units);

/** `12:34:56` in UTC. */
export const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
/** `2026-11-26 12:34:56` in UTC. */
export const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** A span in its largest unit: `5 s`, `3 min`, `2 h`, `4 days`. */
export function shownSpan(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** At most one decimal below 10, of levels in dBFS, too. */
export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
