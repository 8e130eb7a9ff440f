// `/v2/operators`, `/v2/types`, `/v2/airports/nearby` and `/v2/airports/active`: what has aircraft now, and airports by position. A directory has the same entries
// for every caller, built once per snapshot; the first ones, up to the limit.
import { json } from '../../../pipeline/flights/airports.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { activeAirports, nearbyAirports } from '../../queries/airports.ts';
import type { FlightIndex } from '../../queries/flight-index.ts';
import { operatorsNow, typesNow } from '../../queries/operators.ts';
import type { ReadModel } from '../../queries/read-model.ts';
import { metaBody, metaText } from '../responses/meta.ts';
import { amount, integer, listOf, number, object, upTo } from '../schemas/build.ts';
import { truncated } from '../schemas/envelope.ts';
import { airportWith, metaOf, operatorCounts, operatorWith, typeCounts, typeProperties } from '../schemas/flight.ts';
import { latitude, longitude } from '../schemas/parameters.ts';
import type { Made, SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

interface Directory {
  readonly path: string;
  /** Name of its member in the response. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly entry: object;
  readonly about?: string;
  /** All entries, in order. */
  readonly entries: (model: ReadModel, index: FlightIndex) => readonly object[];
}

const counts = {
  aircraft_count: amount('aircraft listed'),
  airborne: amount('number of aircraft in the air'),
  ground: amount('number of aircraft on the ground'),
};

const directories: readonly Directory[] = [
  {
    ...{ path: '/v2/operators', name: 'operators', summary: 'Operators with aircraft that are tracked now', entries: operatorsNow },
    description: 'By number of aircraft, descending, then by code. The operator of a flight is the three letters before its number.',
    entry: operatorWith({
      ...counts,
      types: typeCounts('up to five types'),
      callsigns: { type: 'array', items: { type: 'string' }, description: 'up to five call signs' },
    }),
  },
  {
    ...{ path: '/v2/types', name: 'types', summary: 'Aircraft types that are tracked now', entries: typesNow },
    description: 'By number of aircraft, descending, then by designator.',
    entry: object({ ...typeProperties, ...counts, operators: operatorCounts('up to five operators') }, [
      't',
      ...Object.keys(counts),
      'operators',
    ]),
  },
  {
    ...{
      path: '/v2/airports/active',
      name: 'airports',
      summary: 'Airports by arrivals and departures',
      about: 'airports with live flights',
    },
    description: 'By number of movements, descending, then by code. `/v2/airport/{code}` defines arrivals and departures.',
    entry: airportWith({
      arrivals: amount('arrivals'),
      departures: amount('departures'),
      movements: amount('arrivals and departures'),
    }),
    entries: (_, index) =>
      activeAirports(index).map(({ airport, arrivals, departures }) => ({
        ...airport.block,
        ...{ arrivals, departures, movements: arrivals + departures },
      })),
  },
];

function rowOf({ path, name, summary, description, entry, about = name, entries }: Directory): SnapshotRow {
  const limit = upTo(limits.pageItemsMax, limits.pageItemsDefault, `${name} at most; \`truncated\` is true where there were more`);
  return {
    ...{ path, summary, description, query: { limit } },
    response: metaOf({ [name]: listOf(entry, about), truncated }, [name]),
    respond: ({ context, snapshot, query }: SnapshotRequest<unknown, { readonly limit: number }>): Made => {
      const index = context.flights.index(snapshot);
      const body = (): Buffer => {
        const all = index.once(`entries of ${name}`, () => entries(context, index).map(json));
        const shown = all.slice(0, query.limit);
        const cut = shown.length < all.length ? ',"truncated":true' : '';
        return Buffer.from(`${metaText(snapshot, shown.length)},"${name}":[${shown.join(',')}]${cut}}\n`, 'latin1');
      };
      // Other limits are rare: their bodies are not cached.
      const isUsual = query.limit === limits.pageItemsDefault;
      return { make: isUsual ? () => index.once(`usual ${name}`, body) : body };
    },
  };
}

const nearbyRow: SnapshotRow = {
  path: '/v2/airports/nearby',
  summary: 'The nearest airports',
  description: 'Ascending distance, ties by code. Closed airports are left out.',
  query: {
    lat: latitude,
    lon: longitude,
    radius: {
      ...{ type: 'number', minimum: 0, default: limits.airportRadiusNmDefault },
      description: `nautical miles; more than ${limits.airportRadiusNmMax} counts as ${limits.airportRadiusNmMax}`,
    },
    limit: upTo(limits.airportsNearbyMax, limits.airportsNearbyDefault, 'maximum number of airports'),
  },
  required: ['lat', 'lon'],
  response: metaOf({
    lat: latitude,
    lon: longitude,
    radius_nm: number('radius of the search, nm'),
    limit: integer('maximum number of airports'),
    airports: listOf(
      airportWith({
        distance_nm: { type: 'number', minimum: 0, description: 'from the requested position, nm, 3 decimals' },
        bearing: {
          ...{ type: 'number', minimum: 0, maximum: 360 },
          description: 'bearing from the requested position, degrees true, 1 decimal',
        },
      }),
      'airports',
    ),
  }),
  respond: ({ context, snapshot, query }: SnapshotRequest<unknown, { lat: number; lon: number; radius: number; limit: number }>) => {
    const { lat, lon, limit } = query;
    const make = (): string => {
      const { radiusNm: radius_nm, airports } = nearbyAirports(context, query);
      return metaBody(snapshot, airports.length, { lat, lon, radius_nm, limit, airports });
    };
    // Reference data change without a tick.
    return { make, variant: `-${context.reference.version}` };
  },
};

export const directoryRoutes: readonly SnapshotRow[] = [...directories.map(rowOf), nearbyRow];
