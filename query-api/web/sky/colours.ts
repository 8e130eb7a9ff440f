// Colours of aircraft and tracks. Ramps go from orange to blue, which people with any of the usual kinds of colour blindness tell apart; kinds of sources have
// the colours of Okabe and Ito, made for them.

import type { ColourKind } from '../page/view.ts';
import { heightOf, numberOf, type Values } from './values.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

/** From low to high values, light on a dark map. */
const RAMP_DARK: readonly Rgb[] = [
  [255, 158, 122],
  [255, 190, 92],
  [250, 224, 72],
  [166, 222, 98],
  [86, 205, 150],
  [84, 188, 214],
  [150, 172, 255],
];
/** The same order of hues, dark on a light map. */
const RAMP_LIGHT: readonly Rgb[] = [
  [199, 62, 20],
  [176, 104, 0],
  [120, 128, 0],
  [34, 136, 60],
  [0, 126, 128],
  [24, 92, 168],
  [84, 48, 150],
];
export const UNKNOWN: Rgb = [128, 134, 140];
export const EMERGENCY: Rgb = [226, 20, 40];

interface Scale {
  readonly title: string;
  readonly unit: 'altitude' | 'speed' | 'dBFS';
  readonly from: number;
  readonly to: number;
  readonly value: (aircraft: Values) => number | undefined;
}

export const scales: Readonly<Record<Exclude<ColourKind, 'source'>, Scale>> = {
  altitude: { title: 'Altitude', unit: 'altitude', from: 0, to: 42_000, value: heightOf },
  speed: { title: 'Speed', unit: 'speed', from: 0, to: 560, value: ({ gs }) => numberOf(gs) },
  signal: { title: 'Signal', unit: 'dBFS', from: -40, to: -5, value: ({ rssi }) => numberOf(rssi) },
};

/** Kinds of sources, as `type` has them, with words. */
export const sources: readonly { readonly type: string; readonly title: string; readonly light: Rgb; readonly dark: Rgb }[] = [
  { type: 'adsb', title: 'ADS-B', light: [0, 96, 160], dark: [86, 180, 233] },
  { type: 'adsr', title: 'ADS-R', light: [0, 128, 100], dark: [0, 190, 145] },
  { type: 'tisb', title: 'TIS-B', light: [176, 84, 140], dark: [224, 140, 188] },
  { type: 'mlat', title: 'MLAT', light: [190, 80, 0], dark: [240, 150, 40] },
  { type: 'mode_s', title: 'Mode S', light: [110, 116, 122], dark: [160, 166, 172] },
];
export const sourceOf = ({ source, type }: Values): (typeof sources)[number] => {
  const text = String(source ?? type ?? '');
  return sources.find((each) => text.startsWith(each.type)) ?? sources.at(-1)!;
};

/** Steps of the ramp: stretches of a track with one colour are one line. */
const STEPS = 48;
/** A colour of the ramp; `part` goes from 0 to 1. */
export function rampColour(part: number, isDark: boolean): Rgb {
  const ramp = isDark ? RAMP_DARK : RAMP_LIGHT;
  const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
  const index = Math.min(Math.floor(at), ramp.length - 2);
  const mix = (i: number): number => Math.round(ramp[index]![i]! + (at - index) * (ramp[index + 1]![i]! - ramp[index]![i]!));
  return [mix(0), mix(1), mix(2)];
}

export function colourOf(kind: ColourKind, aircraft: Values, isDark: boolean): Rgb {
  if (kind === 'source') return sourceOf(aircraft)[isDark ? 'dark' : 'light'];
  const { value, from, to } = scales[kind];
  const found = value(aircraft);
  return found === undefined ? UNKNOWN : rampColour(Math.round((STEPS * (found - from)) / (to - from)) / STEPS, isDark);
}

export const cssColour = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;
