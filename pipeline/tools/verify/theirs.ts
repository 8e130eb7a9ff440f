// The other program's values in our terms: a response is a whole `aircraft.json`, or one line of a JSON position port.
import { SquitterError } from '../../../schemas/errors.ts';
import { fieldRules, namesNotCompared, rulesByName, type Value, windValue } from './fields.ts';

export interface TheirPosition {
  readonly lat: number;
  readonly lon: number;
  /** When the position was received, by their clock; ms since the Unix epoch. */
  readonly timeMs: number;
}

export interface TheirAircraft {
  readonly hex: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly position: TheirPosition | null;
  /** The program prints whole numbers. */
  readonly coarse: boolean;
  /** It has some of the values only: those without one are not compared. */
  readonly partial?: boolean;
  /** Members without a rule. */
  readonly unknown: readonly string[];
}

export interface TheirResponse {
  /** Their clock, ms since the Unix epoch. */
  readonly nowMs: number;
  /** True for a list of all aircraft, false for one aircraft at one of its positions. */
  readonly whole: boolean;
  readonly aircraft: readonly TheirAircraft[];
}

type Members = Readonly<Record<string, unknown>>;

/** Larger times are in ms, as in the aggregators' interface. */
const LARGEST_SECONDS = 1e11;
const ALIASES: ReadonlyMap<string, string> = new Map(fieldRules.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])));
/** Old names within the `mlat` and `tisb` lists. */
const LIST_ALIASES: Readonly<Record<string, string>> = { speed: 'gs', vert_rate: 'baro_rate' };

/** Reads an `aircraft.json` or one line. `arrivalMs` replaces a missing `now`. Error: `verify.not_aircraft`. */
export function readResponse(text: string, source: string, arrivalMs: number): TheirResponse {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new SquitterError('verify.not_aircraft', { source, detail: (error as Error).message }, error);
  }
  const members = (Array.isArray(parsed) ? { aircraft: parsed } : parsed) as Members | null;
  if (typeof members !== 'object' || members === null)
    throw new SquitterError('verify.not_aircraft', { source, detail: 'expected an object or a list' });
  const list = members['aircraft'] ?? members['ac'];
  const nowMs = timeMs(members['now']) ?? arrivalMs;
  if (Array.isArray(list))
    return { nowMs, whole: true, aircraft: list.map((item) => readAircraft(item as Members, nowMs)).filter((item) => item !== null) };
  const aircraft = readAircraft(members, nowMs);
  if (aircraft === null)
    throw new SquitterError('verify.not_aircraft', { source, detail: 'expected a list of aircraft, or one aircraft with a hex' });
  return { nowMs, whole: false, aircraft: [aircraft] };
}

function timeMs(now: unknown): number | undefined {
  if (typeof now !== 'number' || !Number.isFinite(now)) return undefined;
  return Math.round(now > LARGEST_SECONDS ? now : now * 1000);
}

function readAircraft(members: Members, nowMs: number): TheirAircraft | null {
  const hex = members['hex'];
  if (typeof hex !== 'string') return null;
  const values = new Map<string, Value>();
  const unknown: string[] = [];
  let coarse = false;
  for (const [member, raw] of Object.entries(members)) {
    const name = ALIASES.get(member) ?? member;
    // Only old programs have these.
    if (member === 'nucp' || name !== member) coarse = true;
    if (namesNotCompared.has(member)) continue;
    if (!rulesByName.has(name)) unknown.push(member);
    else if (!values.has(name)) putValue(values, name, raw, nowMs);
  }
  const position = positionOf(members, nowMs);
  if (position !== null) values.set('position', SHOWN);
  const wind = windValue(members['wd'], members['ws']);
  if (wind !== undefined) values.set('wind', wind);
  return { hex: hex.trim().toLowerCase(), values, position, coarse, unknown };
}

function putValue(values: Map<string, Value>, name: string, raw: unknown, nowMs: number): void {
  if (name === 'seen' || name === 'seen_pos') {
    if (typeof raw === 'number') values.set(name, Math.round(nowMs - raw * 1000));
  } else if (name === 'gpsOkBefore') {
    if (typeof raw === 'number') values.set(name, Math.round(raw * 1000));
  } else if (name === 'lastPosition') values.set(name, SHOWN);
  else if (name === 'acas_ra') values.set(name, advisoryValue(raw));
  else if (name === 'rssi') {
    if (typeof raw === 'number' && raw > RSSI_UNKNOWN) values.set(name, raw);
  } else if (Array.isArray(raw)) values.set(name, listValue(raw.map((item) => LIST_ALIASES[String(item)] ?? String(item))));
  else if (typeof raw === 'number') values.set(name, raw);
  else if (typeof raw === 'string' && raw.trim() !== '') values.set(name, raw.trimEnd());
}

/** Stands for a position; positions are compared separately. */
export const SHOWN = 'shown';

/** The seven bytes of an advisory; its words follow from them. */
export function advisoryValue(advisory: unknown): Value {
  const { bytes } = (advisory ?? {}) as { bytes?: unknown };
  return typeof bytes === 'string' ? bytes.toLowerCase() : SHOWN;
}

/** Programs print -49.5 for an unknown level. */
export const RSSI_UNKNOWN = -49.4;

/** A list as one value, regardless of order. */
export function listValue(items: readonly string[]): string {
  return [...items].sort().join(' ');
}

function positionOf(members: Members, nowMs: number): TheirPosition | null {
  const { lat, lon, seen_pos: age } = members as { lat?: unknown; lon?: unknown; seen_pos?: unknown };
  if (typeof lat !== 'number' || typeof lon !== 'number') return null;
  return { lat, lon, timeMs: typeof age === 'number' ? Math.round(nowMs - age * 1000) : nowMs };
}
