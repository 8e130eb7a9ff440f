// What is known of an aircraft, as titles and texts in a fixed order. A text is undefined while it is unknown.
import { HEARD_S, RECKONED_S } from '../map/aircraft-layer.ts';
import { distanceAndBearing } from '../map/mercator.ts';
import { type Quantity, shown, shownAltitude, shownSpan, type Units } from '../page/units.ts';
import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf } from '../sky/values.ts';
import * as words from './words.ts';

export type Fact = readonly [title: string, text: string | undefined];
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  textOf(parts.filter((part) => part !== undefined && part !== '').join(', '));
const wordsOf = (value: unknown, of: words.Words): string | undefined =>
  value === undefined ? undefined : (of[String(value)] ?? String(value));
/** `3: within 10 m` */
const withWords = (value: unknown, of: words.Words, more = ''): string | undefined =>
  value === undefined ? undefined : `${value}: ${of[String(value)] ?? 'reserved'}${more}`;
const some = (value: number | undefined, quantity: Quantity, units: Units): string | undefined =>
  value === undefined ? undefined : shown(value, quantity, units);
const degrees = (value: unknown, what = ''): string | undefined =>
  numberOf(value) === undefined ? undefined : `${Math.round(numberOf(value)!)}°${what}`;
const celsius = (value: unknown, what: string): string | undefined =>
  numberOf(value) === undefined ? undefined : `${value} °C ${what}`.replace('-', '−');

/** A vertical rate with its sign. */
export function shownRate(value: number | undefined, units: Units): string | undefined {
  if (value === undefined) return undefined;
  return `${value > 0 ? '+' : ''}${shown(value, 'rate', units).replace('-', '−')}`;
}

export const rateOf = ({ baro_rate: barometric, geom_rate: geometric }: Aircraft): number | undefined =>
  numberOf(barometric) ?? numberOf(geometric);

/** A level that is measured, dBFS; the weakest stands for none. */
export const signalOf = ({ rssi }: Aircraft): number | undefined => (typeof rssi === 'number' && rssi > -49.4 ? rssi : undefined);

/** What kind of emergency an aircraft has, in words; empty without one. */
export function emergencyOf({ squawk, emergency }: Aircraft): string {
  const ofSquawk = ['7500', '7600', '7700'].includes(String(squawk)) ? words.squawks[String(squawk)] : undefined;
  const declared = words.emergencies[String(emergency)];
  return joined(ofSquawk && `${ofSquawk} (squawk ${squawk})`, declared === ofSquawk ? undefined : declared) ?? '';
}

export function identityFacts(aircraft: Aircraft, operator: string | undefined): Fact[] {
  const { hex, r, t, desc, ownOp, year, category, dbFlags } = aircraft;
  return [
    ['Registration', textOf(r)],
    ['Address', hex.startsWith('~') ? `${hex}, not given by ICAO` : hex],
    ['Type', [textOf(t), textOf(desc)].filter((part) => part !== undefined).join(' · ') || undefined],
    ['Operator', operator],
    ['Owner', textOf(ownOp)],
    ['Built', textOf(String(year ?? ''))],
    ['Category', category === undefined ? undefined : withWords(category, words.categories)],
    ['Country', words.countryOf(hex)],
    ['Flags', textOf(words.flagsOf(dbFlags))],
  ];
}

export function flightFacts(aircraft: Aircraft, units: Units): Fact[] {
  const {
    gs,
    ias,
    tas,
    mach,
    track,
    calc_track: calculated,
    mag_heading: magnetic,
    true_heading: heading,
    roll,
    wd,
    ws,
    oat,
    tat,
  } = aircraft;
  const { nav_altitude_mcp: mcp, nav_altitude_fms: fms, nav_heading: selected, nav_qnh: qnh, nav_modes: modes, squawk } = aircraft;
  const mode = Array.isArray(modes) ? modes.map((each) => words.modes[each] ?? each).join(', ') || 'none' : undefined;
  const advisory = aircraft['acas_ra'] as { readonly advisory?: string } | undefined;
  const turn =
    numberOf(roll) === undefined || Math.abs(numberOf(roll)!) < 1 ? undefined : `${numberOf(roll)! > 0 ? 'right' : 'left'} wing down`;
  const calculatedTrack = track === undefined ? degrees(calculated, ' true, from its last positions') : undefined;
  return [
    ['Altitude', shownAltitude(altitudeOf(aircraft), units)],
    ['Altitude by GPS', some(numberOf(aircraft['alt_geom']), 'altitude', units)],
    ['Climb or descent', shownRate(rateOf(aircraft), units)],
    ['Ground speed', shown(numberOf(gs), 'speed', units)],
    [
      'Airspeed',
      joined(
        some(numberOf(ias), 'speed', units)?.concat(' indicated'),
        some(numberOf(tas), 'speed', units)?.concat(' true'),
        mach === undefined ? undefined : `Mach ${numberOf(mach)!.toFixed(2)}`,
      ),
    ],
    ['Track', degrees(track, ' true') ?? calculatedTrack ?? '—'],
    ['Heading', joined(degrees(magnetic, ' magnetic'), degrees(heading, ' true'), turn)],
    ['Wind, calculated', ws === undefined ? undefined : `${shown(numberOf(ws), 'speed', units)} from ${degrees(wd)}`],
    ['Temperature, calculated', joined(celsius(oat, 'outside'), celsius(tat, 'total'))],
    [
      'Selected altitude',
      joined(
        some(numberOf(mcp), 'altitude', units),
        fms === mcp ? undefined : some(numberOf(fms), 'altitude', units)?.concat(' in the flight plan'),
      ),
    ],
    ['Selected heading', degrees(selected)],
    ['Altimeter setting', qnh === undefined ? undefined : `${qnh} hPa`],
    ['Autopilot', mode],
    ['Squawk', joined(textOf(squawk) ?? '—', words.squawks[String(squawk)], aircraft['spi'] === 1 ? 'ident pressed' : undefined)],
    ['Collision avoidance', textOf(advisory?.advisory)],
  ];
}

/** How old the position is, and what is shown for it. */
export function positionAge({ lat, seen_pos: age, lastPosition }: Aircraft): string {
  const last = lastPosition as { readonly seen_pos?: number } | undefined | null;
  if (numberOf(lat) === undefined)
    return typeof last?.seen_pos === 'number' ? `lost: the last one is ${shownSpan(last.seen_pos)} old` : 'none yet';
  const seconds = numberOf(age) ?? 0;
  const ago = `${shownSpan(seconds)} ago`;
  if (seconds <= HEARD_S) return `heard ${ago}`;
  return seconds <= RECKONED_S ? `heard ${ago}, since then dead-reckoned` : `stale: heard ${ago}`;
}

export const pointOf = ({ lat, lon, lastPosition }: Aircraft): Point | null =>
  typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : ((lastPosition as Point | undefined | null) ?? null);

/** Names of `mlat` and `tisb`, and members that the service calculates. */
const calculations: words.Words = { ws: 'wind', oat: 'temperature', true_heading: 'true heading', calc_track: 'track' };

export function integrityFacts(aircraft: Aircraft, units: Units, me: Point | null): Fact[] {
  const {
    source,
    type,
    nic,
    rc,
    nac_p: nacP,
    nac_v: nacV,
    sil,
    sil_type: silType,
    gva,
    sda,
    version,
    messages,
    seen,
    mlat,
    tisb,
  } = aircraft;
  const point = pointOf(aircraft);
  const away = point === null || me === null ? null : distanceAndBearing(me, point);
  const signal = signalOf(aircraft);
  const names = (list: unknown): string | undefined => (Array.isArray(list) ? textOf(list.join(', ')) : undefined);
  const derived = Object.entries(calculations).flatMap(([name, words]) =>
    aircraft[name] === undefined || (name === 'true_heading' && aircraft['on_ground'] === true) ? [] : words,
  );
  const containment = rc === 0 || rc === undefined ? 'no radius is known' : `within ${numberOf(rc)!.toLocaleString('en')} m`;
  return [
    ['Source', wordsOf(source ?? type, words.sourceWords)],
    ['Position', positionAge(aircraft)],
    ['Coordinates', point === null ? undefined : `${point.lat.toFixed(4)}, ${point.lon.toFixed(4)}`],
    ['From me', away === null ? undefined : `${shown(away.distanceNm, 'distance', units)}, bearing ${degrees(away.bearing)}`],
    ['Integrity (NIC)', nic === undefined ? undefined : `${nic}: ${containment}`],
    ['Risk to be outside (SIL)', withWords(sil, words.chances, Number(sil) > 0 ? (words.chancePer[String(silType)] ?? '') : '')],
    ['Accuracy (NACp)', withWords(nacP, words.accuracies)],
    ['Speed accuracy (NACv)', withWords(nacV, words.speedAccuracies)],
    ['GPS altitude accuracy', withWords(gva, words.heightAccuracies)],
    ['Unnoticed faults (SDA)', withWords(sda, words.chances, Number(sda) > 0 ? ' per flight hour' : '')],
    ['ADS-B version', withWords(version, words.versions)],
    ['Satellite navigation', aircraft['gpsOkBefore'] === undefined ? undefined : 'lost: the position may be wrong'],
    ['By multilateration', names(mlat)],
    ['By TIS-B', names(tisb)],
    ['Calculated here', textOf(derived.join(', '))],
    ['Signal', signal === undefined ? undefined : `${signal.toFixed(1).replace('-', '−')} dBFS`],
    ['Messages', numberOf(messages)?.toLocaleString('en')],
    ['Last message', numberOf(seen) === undefined ? undefined : `${shownSpan(numberOf(seen)!)} ago`],
  ];
}
