// Filters of subscriptions: which aircraft, and which members of them. Parsed from a subscribe message or from a query, in one canonical form: equal
// filters are one topic, encoded once for all their subscribers.

import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import { plainText } from '../../pipeline/view/listing.ts';
import type { Box } from '../../pipeline/view/position-grid.ts';
import type { Circle } from '../../pipeline/view/search.ts';
import { knownAirport } from '../../query-api/queries/airports.ts';
import { badValue, unknownParameter } from '../../query-api/queries/errors.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { limits } from '../../schemas/limits/index.ts';
import { filterNames, filterRows, type ListRow, type NumberRow, ZONE_DEG, ZONE_PATTERN } from '../../schemas/push.ts';

/** Conditions that are all met by the aircraft of a topic; those that are null do not matter. Lists are sorted and mean any of their items. */
export interface Filter {
  readonly box: Box | null;
  readonly circle: Circle | null;
  /** `hexKey`s. */
  readonly hexes: readonly number[] | null;
  /** First characters of call signs. */
  readonly callsigns: readonly string[] | null;
  readonly types: readonly string[] | null;
  /** ICAO codes. */
  readonly operators: readonly string[] | null;
  /** Keys of airports where the flight begins or ends. */
  readonly airports: readonly string[] | null;
  /** Written as decimal numbers. */
  readonly squawks: readonly number[] | null;
  readonly military: boolean | null;
  /** On the ground counts as 0. */
  readonly altitudeFtMin: number | null;
  readonly altitudeFtMax: number | null;
  /** Members of the aircraft object besides `hex`; null is all. */
  readonly members: readonly string[] | null;
}

export const everything: Filter = {
  box: null,
  circle: null,
  hexes: null,
  callsigns: null,
  types: null,
  operators: null,
  airports: null,
  squawks: null,
  military: null,
  altitudeFtMin: null,
  altitudeFtMax: null,
  members: null,
};

/** Equal for filters with the same meaning. */
export function filterKey(filter: Filter): string {
  return JSON.stringify(Object.values(filter));
}

/** The parts of the read model that names are looked up in. */
export type Names = Pick<ReadModel, 'reference' | 'flights'>;

/** The filter of a subscribe message: an object with members of `filterRows`. Errors: `api.bad_value`, `api.unknown_parameter`, `api.unknown_airport`. */
export function parseFilter(value: unknown, names: Names): Filter {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badValue('filter', JSON.stringify(value) ?? '', 'expected an object');
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).filter((name) => !filterNames.includes(name));
  if (unknown.length > 0) throw unknownParameter(unknown, filterNames);
  return new FilterParser(given, names).parse();
}

/** The same from the parameters of an URL, for clients that cannot send; comma lists, and `radius` beside `radius_nm`. Others are left alone. */
export function parseFilterQuery(query: URLSearchParams, names: Names): Filter {
  const given: Record<string, unknown> = {};
  for (const name of filterNames) {
    const texts = query.getAll(name === 'radius_nm' && !query.has(name) ? 'radius' : name);
    if (texts.length > 1) throw badValue(name, texts.join('&'), 'expected once, but it is repeated');
    if (texts.length === 1) given[name] = fromText(name, texts[0]!);
  }
  return new FilterParser(given, names).parse();
}

const rows: ReadonlyMap<string, (typeof filterRows)[number]> = new Map(filterRows.map((row) => [row.name, row]));

function fromText(name: string, text: string): unknown {
  switch (rows.get(name)!.kind) {
    case 'box':
      return text.split(',').map(numberOf);
    case 'list':
      return text.split(',').map((item) => item.trim());
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'number':
      return numberOf(text);
  }
}

/** A plain decimal number; any other text stays as it is, and is refused. */
function numberOf(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

class FilterParser {
  private readonly given: Readonly<Record<string, unknown>>;
  private readonly names: Names;

  constructor(given: Readonly<Record<string, unknown>>, names: Names) {
    this.given = given;
    this.names = names;
  }

  parse(): Filter {
    const { reference } = this.names;
    const altitudeFtMin = this.number('min_altitude');
    const altitudeFtMax = this.number('max_altitude');
    if (altitudeFtMin !== null && altitudeFtMax !== null && altitudeFtMin > altitudeFtMax)
      throw badValue('min_altitude', String(altitudeFtMin), `expected at most max_altitude, ${altitudeFtMax}`);
    return {
      box: this.box(),
      circle: this.circle(),
      hexes: this.list('hex', hexKey),
      callsigns: this.list('callsign', plainText),
      types: this.list('types', plainText),
      operators: this.list('operators', (text) => reference.operator(plainText(text))?.icao ?? plainText(text)),
      airports: this.list('airports', (text) => knownAirport(this.names, text).key),
      squawks: this.list('squawks', Number),
      military: this.flag('military'),
      altitudeFtMin,
      altitudeFtMax,
      members: this.list('fields', (text) => text),
    };
  }

  private number(name: string): number | null {
    const value = this.given[name];
    if (value === undefined) return null;
    const [least, greatest] = (rows.get(name) as NumberRow).range;
    if (typeof value !== 'number' || !(value >= least && value <= greatest))
      throw badValue(name, String(value), `expected a number from ${least} to ${greatest}`);
    return value;
  }

  private flag(name: string): boolean | null {
    const value = this.given[name];
    if (value === undefined) return null;
    if (typeof value !== 'boolean') throw badValue(name, String(value), 'expected true or false');
    return value;
  }

  /** Items of a list, each once, sorted. */
  private list<Item extends string | number>(name: string, read: (text: string) => Item): readonly Item[] | null {
    const value = this.given[name];
    if (value === undefined) return null;
    const { itemsMax, item, names } = rows.get(name) as ListRow;
    if (!Array.isArray(value) || value.length === 0) throw badValue(name, String(value), 'expected a list with at least one item');
    if (value.length > itemsMax) throw badValue(name, `${value.length} items`, `expected at most ${itemsMax} items`);
    const pattern = item === null ? null : new RegExp(`^(?:${item.pattern})$`, 'u');
    const items = new Set<Item>();
    for (const text of value as unknown[]) {
      if (typeof text !== 'string') throw badValue(name, String(text), 'expected texts');
      if (pattern?.test(text) === false) throw badValue(name, text, `expected ${item!.expected}`);
      if (names?.includes(text) === false) throw badValue(name, text, 'expected names of aircraft members');
      items.add(read(text));
    }
    return [...items].sort((a, b) => (a < b ? -1 : 1));
  }

  private circle(): Circle | null {
    const { given } = this;
    const latDeg = this.number('lat');
    const lonDeg = this.number('lon');
    const radiusNm = this.number('radius_nm');
    if (latDeg !== null && lonDeg !== null) return { latDeg, lonDeg, radiusNm: radiusNm ?? limits.aircraftRadiusNmMax };
    const missing = latDeg === null ? 'lat' : 'lon';
    if (latDeg !== null || lonDeg !== null || radiusNm !== null)
      throw badValue(missing, String(given[missing]), 'expected lat and lon together');
    return null;
  }

  private box(): Box | null {
    const value = this.given['bbox'];
    if (value === undefined) return null;
    const corners = Array.isArray(value) ? (value as unknown[]) : [];
    const isFine =
      corners.length === 4 && corners.every((corner, n) => typeof corner === 'number' && Math.abs(corner) <= (n % 2 === 0 ? 90 : 180));
    const [southDeg, westDeg, northDeg, eastDeg] = corners as [number, number, number, number];
    if (!isFine || southDeg > northDeg)
      throw badValue('bbox', String(value), 'expected min_lat, min_lon, max_lat, max_lon in degrees, min_lat ≤ max_lat');
    return { southDeg, westDeg, northDeg, eastDeg };
  }
}

const zone = new RegExp(`^(?:${ZONE_PATTERN})$`);

/** The zone with this south-west corner, like `50,-10`. Error: `api.bad_value`. */
export function parseZone(value: unknown): Filter {
  if (typeof value !== 'string' || !zone.test(value))
    throw badValue('zones', String(value), `expected the south-west corner of a cell of ${ZONE_DEG} degrees, like 50,-10`);
  const [southDeg, westDeg] = value.split(',').map(Number) as [number, number];
  return { ...everything, box: { southDeg, westDeg, northDeg: southDeg + ZONE_DEG, eastDeg: westDeg + ZONE_DEG } };
}
