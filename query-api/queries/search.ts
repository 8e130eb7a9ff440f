// One search over live aircraft, pairs of airports, airports, operators and types, while somebody types.
import { keyHex, NON_ICAO_BIT } from '../../pipeline/aircraft/hex-key.ts';
import type { FlightAirport } from '../../pipeline/flights/airports.ts';
import { flightRoute } from '../../pipeline/flights/flight-routes.ts';
import { MICRODEG_PER_DEG } from '../../pipeline/geo/earth.ts';
import { type Fit, fits, searchedText } from '../../pipeline/reference/tables/name-index.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { limits } from '../../schemas/limits/index.ts';
import { compareText } from './counts.ts';
import type { ReadModel } from './read-model.ts';

export const resultFits = fits;
/** Results that fit equally well come in turn from each kind, in this order. */
export const resultKinds = ['aircraft', 'route', 'airport', 'operator', 'type'] as const;

export interface SearchResult {
  readonly kind: (typeof resultKinds)[number];
  readonly match: Fit;
  /** Opens it: an address, two airport codes, or the code of an airport, an operator or a type. */
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly lat?: number;
  readonly lon?: number;
}

const HEX_DIGITS = 6;
const BLANK = 0x20;
const HYPHEN = 0x2d;

/** Up to `countMax` results, the best first. */
export function search(
  { reference, flights }: Pick<ReadModel, 'reference' | 'flights'>,
  listing: Listing,
  text: string,
  countMax: number,
): SearchResult[] {
  const query = searchedText(text);
  const { airports, operators, types } = reference.search(query, countMax);
  const kinds: readonly (readonly SearchResult[])[] = [
    aircraftResults(listing, query, text.trim(), countMax),
    routeResults(query.split(' ').map((code) => flights.airports.byCode(code))),
    airports.map(({ fit, entry: airport }) => {
      const { icao, iata, local, name, city, country, latDeg: lat, lonDeg: lon } = airport;
      const codes = [icao, iata, local].filter((code) => code !== undefined);
      return { kind: 'airport', match: fit, key: codes[0]!, label: name, detail: listed([...codes, city, country]), lat, lon };
    }),
    operators.map(({ fit, entry: { icao, iata, name, callsign } }) => ({
      ...{ kind: 'operator', match: fit, key: icao, label: name },
      detail: listed([icao, iata, callsign]),
    })),
    types.map(({ fit, entry: { designator, description } }) => ({
      ...{ kind: 'type', match: fit, key: designator, label: designator },
      detail: description,
    })),
  ];
  return fits.flatMap((fit) => inTurn(kinds.map((results) => results.filter(({ match }) => match === fit)))).slice(0, countMax);
}

/** Live aircraft by call sign, registration and address; equal ones in the order of their texts. */
function aircraftResults(listing: Listing, query: string, text: string, countMax: number): SearchResult[] {
  const name = query.replaceAll(' ', '');
  const restOfHex = hexRest(text);
  const exact = new FirstTexts(countMax);
  const prefix = new FirstTexts(countMax);
  for (let i = 0; i < listing.count && name !== ''; i += 1) {
    const flight = listing.flights[i]!;
    const registration = listing.facts[i]?.registration;
    const missing = Math.min(restOf(flight, name), restOf(registration, name), restOfHex(listing.columns.key[i]!));
    if (missing < Number.POSITIVE_INFINITY) (missing === 0 ? exact : prefix).offer(flight ?? registration ?? '', i);
  }
  return [
    ...exact.values.map((i) => aircraftResult(listing, i, 'exact')),
    ...prefix.values.map((i) => aircraftResult(listing, i, 'prefix')),
  ];
}

/** 0 when a text is `name`, blanks and hyphens left out, more when the text continues behind it; infinite when it does not begin with it. */
function restOf(text: string | null | undefined, name: string): number {
  if (text === null || text === undefined) return Number.POSITIVE_INFINITY;
  let at = 0;
  for (let i = 0; i < name.length; i += 1, at += 1) {
    if (text.charCodeAt(at) === HYPHEN) at += 1;
    if (text.charCodeAt(at) !== name.charCodeAt(i)) return Number.POSITIVE_INFINITY;
  }
  // Most texts of a frequent beginning are longer: they are not copied.
  return at < text.length && text.charCodeAt(at) !== BLANK ? 1 : text.trimEnd().length - at;
}

/** The same for digits of an address, which `~` precedes if it is not an ICAO one. */
function hexRest(text: string): (key: number) => number {
  const [, tilde, digits] = /^(~?)([0-9a-f]*)$/i.exec(text) ?? [];
  if (digits === undefined || digits.length < limits.searchHexDigitsMin || digits.length > HEX_DIGITS)
    return () => Number.POSITIVE_INFINITY;
  const missing = HEX_DIGITS - digits.length;
  const wanted = (Number.parseInt(digits, 16) | (tilde === '' ? 0 : NON_ICAO_BIT >> (4 * missing))) >>> 0;
  return (key) => (key >> (4 * missing) === wanted ? missing : Number.POSITIVE_INFINITY);
}

function aircraftResult(listing: Listing, i: number, match: Fit): SearchResult {
  const { registration, typeDesignator } = listing.facts[i] ?? {};
  const key = keyHex(listing.columns.key[i]!);
  const [label, ...others] = [listing.flights[i]?.trimEnd(), registration, key].filter((text) => text !== undefined && text !== '');
  const route = flightRoute(listing.routes[i]!);
  const ends = [route?.origin, route?.destination].map((airport) => (airport ? shortCode(airport) : '?')).join(' - ');
  const position = listing.hasPosition(i) && {
    lat: listing.latitudesMicrodeg[i]! / MICRODEG_PER_DEG,
    lon: listing.longitudesMicrodeg[i]! / MICRODEG_PER_DEG,
  };
  const detail = listed([...others, typeDesignator, ends === '? - ?' ? undefined : ends]);
  return { kind: 'aircraft', match, key, label: label!, detail, ...position };
}

/** Two codes of airports, in the order of flight. */
function routeResults([origin, destination, ...others]: readonly (FlightAirport | undefined)[]): SearchResult[] {
  if (origin === undefined || destination === undefined || others.length > 0) return [];
  return [
    {
      ...{ kind: 'route', match: 'exact', key: `${origin.code}/${destination.code}` },
      label: `${shortCode(origin)} - ${shortCode(destination)}`,
      detail: `${origin.airport.name} - ${destination.airport.name}`,
    },
  ];
}

const shortCode = ({ airport, code }: FlightAirport): string => airport.iata ?? code;
const listed = (texts: readonly (string | undefined)[]): string => texts.filter((text) => text !== undefined).join(', ');

/** The first of each list, then the second of each. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, n) => lists.flatMap((list) => list.slice(n, n + 1))).flat();
}

/** The values with the first texts in alphabetical order. */
class FirstTexts {
  private readonly countMax: number;
  private readonly best: { readonly text: string; readonly value: number }[] = [];

  constructor(countMax: number) {
    this.countMax = countMax;
  }

  get values(): number[] {
    return this.best.map(({ value }) => value);
  }

  offer(text: string, value: number): void {
    const { best, countMax } = this;
    if (best.length === countMax && text >= best[countMax - 1]!.text) return;
    const at = best.findIndex((each) => compareText(text, each.text) < 0);
    best.splice(at < 0 ? best.length : at, 0, { text, value });
    best.length = Math.min(best.length, countMax);
  }
}
