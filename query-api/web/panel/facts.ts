// Facts of an aircraft, as tables of titles and of how their texts come from the members of `/v2`. A text is undefined while it is unknown.
import { HEARD_S, RECKONED_S } from '../map/aircraft-layer.ts';
import type { Fact } from '../page/lists.ts';
import { type Quantity, shown, shownAltitude, shownSpan, type Units } from '../page/units.ts';
import { distanceAndBearing, type Position } from '../sky/mercator.ts';
import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf, numberOf, positionOf, signalOf, textOf } from '../sky/values.ts';
import * as words from './words.ts';

export interface Context {
  readonly units: Units;
  readonly me: Position | null;
  /** Name of the operator, which has a request of its own. */
  readonly operator: string | undefined;
}
type Read = (aircraft: Aircraft, context: Context) => string | undefined;
type Rows = readonly (readonly [title: string, read: Read])[];

export const factsOf = (rows: Rows, aircraft: Aircraft, context: Context): Fact[] =>
  rows.map(([title, read]) => [title, read(aircraft, context)]);

const joined = (...parts: readonly (string | undefined)[]): string | undefined =>
  textOf(parts.filter((part) => part !== undefined && part !== '').join(', '));
/** Parts of a text, each by its own rule. */
const all =
  (...reads: readonly Read[]): Read =>
  (aircraft, context) =>
    joined(...reads.map((read) => read(aircraft, context)));
const first =
  (...reads: readonly Read[]): Read =>
  (aircraft, context) =>
    reads.map((read) => read(aircraft, context)).find((each) => each !== undefined);
/** A member that is a number, in words. */
const measure =
  (member: string, inWords: (value: number, context: Context) => string): Read =>
  (aircraft, context) => {
    const value = numberOf(aircraft[member]);
    return value === undefined ? undefined : inWords(value, context);
  };
const quantity = (member: string, kind: Quantity, what = ''): Read =>
  measure(member, (value, { units }) => `${shown(value, kind, units)}${what}`);
const degrees = (member: string, what = ''): Read => measure(member, (value) => `${Math.round(value)}°${what}`);
const celsius = (member: string, what: string): Read => measure(member, (value) => `${value} °C ${what}`.replace('-', '−'));
const text =
  (member: string): Read =>
  (aircraft) =>
    textOf(aircraft[member]);
const list =
  (member: string, inWords: words.Words = {}): Read =>
  ({ [member]: values }) =>
    Array.isArray(values) ? textOf(values.map((each) => inWords[each] ?? each).join(', ')) : undefined;
/** `3: within 10 m` */
const coded =
  (member: string, inWords: words.Words, more: (aircraft: Aircraft) => string = () => ''): Read =>
  (aircraft) => {
    const code = aircraft[member];
    return code === undefined ? undefined : `${code}: ${inWords[String(code)] ?? 'reserved'}${Number(code) > 0 ? more(aircraft) : ''}`;
  };

/** The kind of an aircraft's emergency, in words; empty without one. */
export function emergencyOf({ squawk, emergency }: Aircraft): string {
  const ofSquawk = ['7500', '7600', '7700'].includes(String(squawk)) ? words.squawks[String(squawk)] : undefined;
  const declared = words.emergencies[String(emergency)];
  return joined(ofSquawk && `${ofSquawk} (squawk ${squawk})`, declared === ofSquawk ? undefined : declared) ?? '';
}

export const identityRows: Rows = [
  ['Registration', text('r')],
  ['Address', ({ hex }) => (hex.startsWith('~') ? `${hex}, not given by ICAO` : hex)],
  ['Type', ({ t, desc }) => textOf([t, desc].flatMap((each) => textOf(each) ?? []).join(' · '))],
  ['Operator', (_, { operator }) => operator],
  ['Owner', text('ownOp')],
  ['Built', ({ year }) => textOf(String(year ?? ''))],
  ['Category', coded('category', words.categories)],
  ['Country', ({ hex }) => words.countryOf(hex)],
  ['Flags', ({ dbFlags }) => textOf(words.flagsOf(dbFlags))],
];

const rate = (member: string): Read =>
  measure(member, (value, { units }) => `${value > 0 ? '+' : ''}${shown(value, 'rate', units).replace('-', '−')}`);
const wing: Read = ({ roll }) => (Math.abs(numberOf(roll) ?? 0) < 1 ? undefined : `${Number(roll) > 0 ? 'right' : 'left'} wing down`);

export const flightRows: Rows = [
  ['Altitude', (aircraft, { units }) => shownAltitude(altitudeOf(aircraft), units)],
  ['Altitude by GPS', quantity('alt_geom', 'altitude')],
  ['Climb or descent', first(rate('baro_rate'), rate('geom_rate'))],
  ['Ground speed', ({ gs }, { units }) => shown(numberOf(gs), 'speed', units)],
  [
    'Airspeed',
    all(
      quantity('ias', 'speed', ' indicated'),
      quantity('tas', 'speed', ' true'),
      measure('mach', (mach) => `Mach ${mach.toFixed(2)}`),
    ),
  ],
  ['Track', first(degrees('track', ' true'), degrees('calc_track', ' true, from its last positions'), () => '—')],
  ['Heading', all(degrees('mag_heading', ' magnetic'), degrees('true_heading', ' true'), wing)],
  ['Wind, calculated', (aircraft, context) => quantity('ws', 'speed', ` from ${degrees('wd')(aircraft, context)}`)(aircraft, context)],
  ['Temperature, calculated', all(celsius('oat', 'outside'), celsius('tat', 'total'))],
  [
    'Selected altitude',
    all(quantity('nav_altitude_mcp', 'altitude'), (aircraft, context) =>
      aircraft['nav_altitude_fms'] === aircraft['nav_altitude_mcp']
        ? undefined
        : quantity('nav_altitude_fms', 'altitude', ' in the flight plan')(aircraft, context),
    ),
  ],
  ['Selected heading', degrees('nav_heading')],
  ['Altimeter setting', measure('nav_qnh', (qnh) => `${qnh} hPa`)],
  ['Autopilot', first(list('nav_modes', words.modes), ({ nav_modes: modes }) => (modes === undefined ? undefined : 'none'))],
  ['Squawk', ({ squawk, spi }) => joined(textOf(squawk) ?? '—', words.squawks[String(squawk)], spi === 1 ? 'ident pressed' : undefined)],
  ['Collision avoidance', ({ acas_ra: advisory }) => textOf((advisory as { readonly advisory?: string } | undefined)?.advisory)],
];

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

export const pointOf = (aircraft: Aircraft): Position | null =>
  positionOf(aircraft) ?? (aircraft['lastPosition'] as Position | undefined | null) ?? null;

function fromMe(aircraft: Aircraft, { me, units }: Context): string | undefined {
  const point = pointOf(aircraft);
  if (point === null || me === null) return undefined;
  const { distanceNm, bearing } = distanceAndBearing(me, point);
  return `${shown(distanceNm, 'distance', units)}, bearing ${Math.round(bearing)}°`;
}

/** Members that the service calculates. */
const calculations: words.Words = { ws: 'wind', oat: 'temperature', true_heading: 'true heading', calc_track: 'track' };
function calculated(aircraft: Aircraft): string | undefined {
  // On the ground the heading is sent.
  const isSent = (member: string): boolean => member === 'true_heading' && aircraft['on_ground'] === true;
  const members = Object.keys(calculations).filter((member) => aircraft[member] !== undefined && !isSent(member));
  return textOf(members.map((member) => calculations[member]).join(', '));
}

export const integrityRows: Rows = [
  ['Source', ({ source, type }) => words.sourceWords[String(source ?? type)] ?? textOf(source ?? type)],
  ['Position', positionAge],
  [
    'Coordinates',
    (aircraft) => {
      const point = pointOf(aircraft);
      return point === null ? undefined : `${point.lat.toFixed(4)}, ${point.lon.toFixed(4)}`;
    },
  ],
  ['From me', fromMe],
  [
    'Integrity (NIC)',
    ({ nic, rc }) => {
      const containment = numberOf(rc) ? `within ${numberOf(rc)!.toLocaleString('en')} m` : 'no radius is known';
      return nic === undefined ? undefined : `${nic}: ${containment}`;
    },
  ],
  ['Risk to be outside (SIL)', coded('sil', words.chances, ({ sil_type: type }) => words.chancePer[String(type)] ?? '')],
  ['Accuracy (NACp)', coded('nac_p', words.accuracies)],
  ['Speed accuracy (NACv)', coded('nac_v', words.speedAccuracies)],
  ['GPS altitude accuracy', coded('gva', words.heightAccuracies)],
  ['Unnoticed faults (SDA)', coded('sda', words.chances, () => ' per flight hour')],
  ['ADS-B version', coded('version', words.versions)],
  ['Satellite navigation', ({ gpsOkBefore }) => (gpsOkBefore === undefined ? undefined : 'lost: the position may be wrong')],
  ['By multilateration', list('mlat')],
  ['By TIS-B', list('tisb')],
  ['Calculated here', calculated],
  ['Signal', (aircraft) => signalOf(aircraft)?.toFixed(1).replace('-', '−').concat(' dBFS')],
  ['Messages', measure('messages', (count) => count.toLocaleString('en'))],
  ['Last message', measure('seen', (seconds) => `${shownSpan(seconds)} ago`)],
];
