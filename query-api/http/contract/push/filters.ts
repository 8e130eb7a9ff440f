// Filters of subscriptions as JSON schemas: the object of a subscribe message, and the query parameters of the same meaning.
import { limits } from '../../../../schemas/limits/index.ts';
import { filterRows, type ListRow, type NumberRow, ZONE_DEG, ZONE_PATTERN } from '../../../../schemas/push.ts';
import type { JsonSchema } from '../schemas.ts';

type Row = (typeof filterRows)[number];

const whole = (pattern: string): string => `^(?:${pattern})$`;
const numberSchema = ({ range: [minimum, maximum] }: Pick<NumberRow, 'range'>): JsonSchema => ({
  ...{ type: 'number', format: 'double', minimum, maximum },
});
const itemSchema = ({ item, names }: ListRow): JsonSchema =>
  item === null ? { type: 'string', enum: names } : { type: 'string', pattern: whole(item.pattern) };
const corners: readonly JsonSchema[] = [90, 180, 90, 180].map((degrees) => numberSchema({ range: [-degrees, degrees] }));

function memberSchema(row: Row): JsonSchema {
  switch (row.kind) {
    case 'number':
      return numberSchema(row);
    case 'flag':
      return { type: 'boolean' };
    case 'box':
      return { type: 'array', items: corners, minItems: corners.length, maxItems: corners.length };
    case 'list':
      return { type: 'array', items: itemSchema(row), minItems: 1, maxItems: row.itemsMax };
  }
}

function description(row: Row): string {
  if (row.kind === 'number') return `${row.about}; ${row.unit}`;
  if (row.kind === 'box') return `${row.about}; degrees`;
  return row.kind === 'list' && row.names === null ? `${row.about}; at most ${row.itemsMax}` : row.about;
}

const needs = filterRows.flatMap((row) => (row.kind === 'number' && row.needs.length > 0 ? [[row.name, row.needs] as const] : []));

export const filterSchema: JsonSchema = {
  type: 'object',
  description:
    'Which aircraft, and which of their members: all members of the filter must hold, a list holds when one of its items does, and `{}` is every aircraft. Also refused: a south above the north, a `min_altitude` above the `max_altitude`, an airport that is unknown.',
  properties: Object.fromEntries(
    filterRows.map((row) => [row.name, { ...memberSchema(row), description: description(row), examples: [row.example] }]),
  ),
  dependencies: Object.fromEntries(needs),
  additionalProperties: false,
};

const zoneAbout = `cells of ${ZONE_DEG} degrees by their south-west corner; each is a stream of its own; at most ${limits.pushZonesMax}`;

export const zonesSchema: JsonSchema = {
  type: 'array',
  description: zoneAbout,
  items: { type: 'string', pattern: whole(ZONE_PATTERN) },
  minItems: 1,
  maxItems: limits.pushZonesMax,
  examples: [['50,0', '50,10']],
};

/** Query parameters of a filter: lists are comma lists. */
const filterParameters: JsonSchema = {
  ...Object.fromEntries(
    filterRows.map((row) => [
      row.name,
      row.kind === 'number' || row.kind === 'flag'
        ? { ...memberSchema(row), description: description(row), examples: [row.example] }
        : { type: 'string', description: `${description(row)}; separated by commas`, examples: [String(row.example)] },
    ]),
  ),
  radius: { ...numberSchema({ range: [0, limits.aircraftRadiusNmMax] }), description: 'the same as `radius_nm`; nm', examples: [50] },
};

/** The query of an address. `more`: parameters besides the filter and the key. */
export function querySchema(more: readonly ('zones' | 'zone' | 'resume')[]): JsonSchema {
  const parameters: Record<string, JsonSchema> = {
    zones: { type: 'string', description: `${zoneAbout}; separated by semicolons, without a filter beside it`, examples: ['50,0;50,10'] },
    zone: { type: 'string', description: `one cell of ${ZONE_DEG} degrees by its south-west corner`, examples: ['50,0'] },
    stream: { type: 'string', description: 'stream of the newest frame, to resume after it', examples: ['k3VqX1Zan1'] },
    seq: { type: 'integer', minimum: 0, description: 'number of the newest frame, to resume after it', examples: [42] },
  };
  const pick = (name: string, as = name): JsonSchema => ({ [as]: parameters[name]! });
  return {
    type: 'object',
    properties: {
      ...filterParameters,
      ...(more.includes('zones') ? pick('zones') : {}),
      ...(more.includes('zone') ? pick('zone', 'zones') : {}),
      ...(more.includes('resume') ? { ...pick('stream'), ...pick('seq') } : {}),
      token: { type: 'string', description: 'the key, for clients that can put it nowhere else' },
    },
    additionalProperties: false,
  };
}
