// Values as people read them, in the units they chose. Values of the service are in feet, knots, feet per minute and nautical miles.

export const unitSystems = ['aviation', 'metric', 'imperial'] as const;
export type Units = (typeof unitSystems)[number];
export const isUnits = (value: string): value is Units => (unitSystems as readonly string[]).includes(value);

interface Scale {
  readonly factor: number;
  readonly unit: string;
}
const scales: Readonly<Record<Units, Readonly<Record<'altitude' | 'speed' | 'rate' | 'distance', Scale>>>> = {
  aviation: {
    altitude: { factor: 1, unit: 'ft' },
    speed: { factor: 1, unit: 'kt' },
    rate: { factor: 1, unit: 'ft/min' },
    distance: { factor: 1, unit: 'nm' },
  },
  metric: {
    altitude: { factor: 0.3048, unit: 'm' },
    speed: { factor: 1.852, unit: 'km/h' },
    rate: { factor: 0.00508, unit: 'm/s' },
    distance: { factor: 1.852, unit: 'km' },
  },
  imperial: {
    altitude: { factor: 1, unit: 'ft' },
    speed: { factor: 1.150779, unit: 'mph' },
    rate: { factor: 1, unit: 'ft/min' },
    distance: { factor: 1.150779, unit: 'mi' },
  },
};
export type Quantity = keyof (typeof scales)['aviation'];

export const scaled = (value: number, quantity: Quantity, units: Units): number => value * scales[units][quantity].factor;
export const unitOf = (quantity: Quantity, units: Units): string => scales[units][quantity].unit;

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

const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const;
/** `12:34:56` in UTC. */
export const clockTime = (ms: number): string => new Date(ms).toLocaleTimeString('en', TIME);
/** `2026-11-26 12:34:56` in UTC. */
export const dateTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** A span in its largest unit: `5 s`, `3 min`, `2 h`, `4 days`. */
export function shownSpan(seconds: number): string {
  const steps = [
    { unit: 'days', seconds: 86_400, from: 172_800 },
    { unit: 'h', seconds: 3600, from: 7200 },
    { unit: 'min', seconds: 60, from: 120 },
  ];
  const step = steps.find(({ from }) => seconds >= from) ?? { unit: 's', seconds: 1 };
  return `${Math.round(seconds / step.seconds)} ${step.unit}`;
}
