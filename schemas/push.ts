// The push protocol as data: addresses, subprotocols, filters, messages' bounds and close codes. The hub parses by it, and the AsyncAPI contract and the
// tables of docs/use/push.md are checked against it.
import { memberFields } from './aircraft-fields.ts';
import { limits } from './limits/index.ts';

export const socketPaths = ['/ws/', '/ws', '/v2/ws'] as const;
/** The HTTP port hands connections over to the push port as raw bytes, with its secret and the client's address in front of the other headers. */
export const HOP_HEADER = 'x-squitter-hop';
export const ADDRESS_HEADER = 'x-squitter-address';

export const EVENTS_PATH = '/v2/stream';
export const SNAPSHOT_PATH = '/v2/stream/snapshot';

/** The subprotocols with control frames: frames as JSON, and binary ones. */
export const NAMED_PROTOCOL = 'aircraft.v2.json';
export const BINARY_PROTOCOL = 'aircraft.v2.bin';
/** A token among the subprotocols keeps it out of URLs: `token.` before it. */
export const TOKEN_PROTOCOL = 'token.';

/** Greatest `seq`: binary frames have 32 bits for it. */
export const SEQ_LAST = 2 ** 32 - 1;

interface FilterRow {
  readonly name: string;
  readonly about: string;
  readonly example: unknown;
}
export interface NumberRow extends FilterRow {
  readonly kind: 'number';
  readonly unit: string;
  readonly range: readonly [least: number, greatest: number];
  /** Members that must be there, too. */
  readonly needs: readonly string[];
}
export interface ListRow extends FilterRow {
  readonly kind: 'list';
  readonly itemsMax: number;
  /** Regular expression of an item, without ^ and $, and what it means; null when `names` lists all items. */
  readonly item: { readonly pattern: string; readonly expected: string } | null;
  readonly names: readonly string[] | null;
}
interface OtherRow extends FilterRow {
  readonly kind: 'box' | 'flag';
}

/** Members of an aircraft in frames: all that do not depend on a query. */
export const pushMembers: readonly string[] = memberFields.filter(({ from }) => from !== 'query').map(({ member }) => member);

const ALTITUDE_FT = [-2000, 200_000] as const;
const LATITUDE = [-90, 90] as const;
const LONGITUDE = [-180, 180] as const;
/** A letter or digit at least, besides blanks and hyphens, which do not count. */
const NAME = { pattern: '.*[^\\s-].*', expected: 'a name' };

const number = (
  name: string,
  unit: string,
  range: NumberRow['range'],
  example: number,
  about: string,
  needs: readonly string[] = [],
): NumberRow => ({ kind: 'number', name, unit, range, example, about, needs });
const list = (name: string, example: readonly string[], about: string, item: ListRow['item'] = NAME): ListRow => ({
  ...{ kind: 'list', name, example, about, item },
  names: null,
  itemsMax: name === 'hex' ? limits.pushHexesMax : limits.pushFilterItemsMax,
});

/** Members of a filter, and query parameters of the same meaning: lists are comma lists there. All that are present must hold. */
export const filterRows: readonly (NumberRow | ListRow | OtherRow)[] = [
  {
    kind: 'box',
    name: 'bbox',
    example: [50, 3, 54, 8],
    about: 'positions in a box: south, west, north, east; a west that is greater than east crosses the antimeridian',
  },
  number('lat', 'degrees', LATITUDE, 52.31, 'latitude of the centre of a circle', ['lon']),
  number('lon', 'degrees', LONGITUDE, 4.76, 'longitude of the centre of a circle', ['lat']),
  number('radius_nm', 'nm', [0, limits.aircraftRadiusNmMax], 50, `radius of the circle; ${limits.aircraftRadiusNmMax} without it`, [
    'lat',
    'lon',
  ]),
  list('hex', ['4b1234', '~2a1b3c'], 'these addresses', {
    pattern: '~?[0-9a-fA-F]{6}',
    expected: '6 hex digits, with ~ before them for a non-ICAO address',
  }),
  list('callsign', ['KLM', 'DLH4'], 'call signs that begin so'),
  list('types', ['A320', 'B738'], 'type designators'),
  list('operators', ['KLM', 'LH'], 'operators by ICAO or IATA code, from the call sign'),
  list('airports', ['AMS', 'EGLL'], 'flights to or from these airports'),
  list('squawks', ['7700'], 'squawks', { pattern: '[0-7]{4}', expected: 'four octal digits' }),
  { kind: 'flag', name: 'military', example: true, about: 'military aircraft, or with false all others' },
  number('min_altitude', 'ft', ALTITUDE_FT, 10_000, 'altitude from here on; on the ground it is 0'),
  number('max_altitude', 'ft', ALTITUDE_FT, 40_000, 'altitude up to here'),
  {
    kind: 'list',
    name: 'fields',
    example: ['lat', 'lon', 'alt_baro'],
    about: 'only these members of aircraft, and `hex`',
    item: null,
    names: pushMembers,
    itemsMax: pushMembers.length,
  },
];

export const filterNames: readonly string[] = filterRows.map(({ name }) => name);

/** A zone by its south-west corner, like `50,-10`. */
export const ZONE_DEG = 10;
export const ZONE_PATTERN = '(0|-90|-?[1-8]0),(0|-180|-?[1-9]0|-?1[0-7]0)';

/** Action of a client after a close: `resume` where the profile can, `wait` 10 s or more before that, `fix` its request first. */
export type AfterClose = 'resume' | 'wait' | 'fix';

/** Codes of close frames that the service sends. */
export const closeCodes: readonly { readonly code: number; readonly means: string; readonly next: AfterClose }[] = [
  { code: 1001, means: 'the service stops', next: 'resume' },
  { code: 1002, means: 'the client broke the WebSocket protocol', next: 'fix' },
  { code: 1003, means: 'a binary message, where texts are expected', next: 'fix' },
  { code: 1007, means: 'a text message that is not UTF-8', next: 'fix' },
  {
    code: 1008,
    means: `a bad message or filter, or more than ${limits.pushMessagesPerSMax} messages and pings in a second`,
    next: 'fix',
  },
  { code: 1009, means: `a message of more than ${limits.pushMessageBytesMax / 1024} KiB`, next: 'fix' },
  { code: 1013, means: 'the service cannot do this now', next: 'wait' },
  { code: 4401, means: 'the key is wrong or has expired', next: 'fix' },
  { code: 4403, means: 'the key was revoked, or the feeder is banned', next: 'fix' },
  { code: 4408, means: `the client did not keep up for ${limits.pushBehindMsMax / 1000} s`, next: 'wait' },
  { code: 4429, means: 'the bytes of the day are used up', next: 'wait' },
];
