// The groups of the interface specification as tags of the contract. A path belongs to the first group with a matching pattern.

export interface Group {
  readonly tag: string;
  readonly description: string;
  /** Responses come from the live snapshot: they have its headers, a 304, and 503 without one. */
  readonly isLive: boolean;
  readonly paths: RegExp;
}

/** Its paths fit wider patterns of other groups, too. */
const HISTORY: Group = {
  tag: 'History',
  description: 'The past, from the history store, as long as it keeps it: also while nothing is received.',
  isLive: false,
  paths: /^\/v2\/(aircraft\/[^/]+\/(history|flights)|airport\/[^/]+\/flights|area\/(density|positions)|stats\/history)$|^\/globe_history\//,
};

export const groups: readonly Group[] = [
  {
    tag: 'Bulk Data',
    description: 'Everything at once.',
    isLive: true,
    paths: /^\/v2\/all$/,
  },
  {
    tag: 'Find Aircraft and Flights',
    description:
      'Aircraft and flights by name, address or call sign. For an aircraft that is not tracked the list is empty; that is no error.',
    isLive: true,
    paths: /^\/v2\/(hex|reg|type|callsign|flight|flights|operator|operators|types|search)(\/|$)/,
  },
  {
    tag: 'Location and Proximity',
    description: 'Aircraft and airports by position. Distances in nautical miles, bearings in degrees true.',
    isLive: true,
    paths: /^\/v2\/(bbox$|lat\/|aircraft\/nearest$|airports\/nearby$)/,
  },
  {
    tag: 'Airports and Routes',
    description: 'Flights by origin and destination. Airports by ICAO, IATA or local code.',
    isLive: true,
    paths: /^\/v2\/(airport\/|airports\/|route\/)/,
  },
  {
    tag: 'Tracking and Safety',
    description: 'Past positions of an aircraft, and aircraft in an emergency.',
    isLive: true,
    paths: /^\/v2\/(aircraft\/|squawk\/|emergencies$)/,
  },
  {
    tag: 'Network Statistics',
    description: 'Counts, signal levels, operators.',
    isLive: true,
    paths: /^\/v2\/(stats|area|signal)(\/|$)/,
  },
  HISTORY,
  {
    tag: 'Feeders',
    description: 'For the owner of a feeder: with its key, or in a session of the dashboard at `/feeders`.',
    isLive: false,
    paths: /^\/v2\/feeders\//,
  },
  {
    tag: 'Daily Files',
    description: 'Every position and every ended flight of a UTC day as Parquet, without key, account or limit of rate.',
    isLive: false,
    paths: /^\/bulk(\/|$)/,
  },
  {
    tag: "Aggregators' API",
    description: "The same aircraft for clients of the aggregators' v2 API: times in ms, every kind of source in `type`, `msg`.",
    isLive: true,
    paths: /^\/compat\/v2\//,
  },
  {
    tag: 'Route look-up',
    description: 'Routes of call signs for maps and home automation, in the form of adsb.lol.',
    isLive: false,
    paths: /^\/api\/0\//,
  },
  {
    tag: 'readsb',
    description: "What readsb's web maps and queries read.",
    isLive: true,
    paths: /^\/(data\/|re-api$)/,
  },
  {
    tag: 'Callers',
    description: 'What a caller may do, and how much of it is left.',
    isLive: false,
    paths: /^\/v2\/me$/,
  },
  {
    tag: 'Service',
    description: 'The process itself: health, metrics, the contracts. Needs no key and takes no turn.',
    isLive: false,
    paths: /^\/(healthz|readyz|metrics|(open|async)api\.|api\/o|license|llms\.|v1\/|\.well-known\/)/,
  },
];

/** A list as GeoJSON is of the group of the list. Error: a path without a group, an internal error. */
export function groupOf(path: string): Group {
  const list = path.replace(/^\/v2\/geojson\//, '/v2/');
  const group = [HISTORY, ...groups].find(({ paths }) => paths.test(list));
  if (group === undefined) throw new Error(`${path} belongs to no group of query-api/http/contract/groups.ts`);
  return group;
}
