// The tools as assistants see them: names, descriptions, and JSON schemas of arguments and results, which come from the table of record fields.
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type RecordField, recordFields } from '../rpc/record-fields.ts';

export const toolNames = ['get_aircraft', 'nearby_aircraft', 'network_stats'] as const;
export type ToolName = (typeof toolNames)[number];

/** A JSON schema of an object. Results may get further members later, so only arguments are closed. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties?: false;
}

const object = (properties: ObjectSchema['properties'], required: readonly string[]): ObjectSchema => ({
  ...{ type: 'object', properties, required },
});
const closed = (properties: ObjectSchema['properties'], required: readonly string[]): ObjectSchema => ({
  ...{ ...object(properties, required), additionalProperties: false },
});

/** A call changes nothing, the same call may be repeated, and the data come from outside of the conversation. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const tool = (name: ToolName, title: string, description: string, inputSchema: ObjectSchema, outputSchema: ObjectSchema) => ({
  ...{ name, title, description, inputSchema, outputSchema, annotations: { title, ...annotations } },
});

/** Where the record differs from the field of the same value in `/v2`. */
const about: Readonly<Partial<Record<string, string>>> = {
  alt_baro: 'Pressure altitude at 1013.25 hPa; may be negative, absent on the ground.',
  seen_seconds: 'Age of the last message at the time of the snapshot.',
  distance_nm: 'Distance from the requested position.',
};
const shapes: Readonly<Partial<Record<string, object>>> = {
  hex: { pattern: '^~?[0-9a-f]{6}$' },
  squawk: { pattern: '^[0-7]{4}$' },
};
const types = { string: 'string', double: 'number', int32: 'integer', bool: 'boolean' } as const;

const sourceTime = { type: 'number', description: 'Time of the snapshot, Unix seconds.' };

const properties = Object.fromEntries(recordFields.map((field) => [field.name, property(field)]));
const { distance_nm: _, ...withoutDistance } = properties;

export const toolDefinitions = [
  tool(
    'get_aircraft',
    'One live aircraft',
    'Where one aircraft is now, by its ICAO 24-bit address: position, altitude, speed, track, squawk, route. An error says when no receiver hears it.',
    closed(
      {
        hex: {
          type: 'string',
          pattern: '^~?[0-9a-fA-F]{6}$',
          description: 'ICAO 24-bit address: 6 hex digits, with `~` before them for a non-ICAO address.',
          examples: ['4840d6'],
        },
      },
      ['hex'],
    ),
    object(withoutDistance, ['hex']),
  ),
  tool(
    'nearby_aircraft',
    'Live aircraft near a position',
    'The aircraft nearest to a position now, with their distances. The position is needed as coordinates: find them first for a town or an airport.',
    closed(
      {
        lat: { type: 'number', minimum: -90, maximum: 90, description: 'Latitude, degrees WGS 84.', examples: [52.31] },
        lon: { type: 'number', minimum: -180, maximum: 180, description: 'Longitude, degrees WGS 84.', examples: [4.76] },
        radius_nm: {
          type: 'number',
          minimum: 0,
          default: limits.aircraftRadiusNmMax,
          description: `Radius, nautical miles; more than ${limits.aircraftRadiusNmMax} counts as ${limits.aircraftRadiusNmMax}.`,
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: limits.nearbyRecordsMax,
          default: limits.nearbyRecordsDefault,
          description: 'Maximum number of aircraft.',
        },
      },
      ['lat', 'lon'],
    ),
    object(
      {
        aircraft: { type: 'array', items: object(properties, ['hex']), description: 'The nearest aircraft, ascending distance.' },
        total: { type: 'integer', minimum: 0, description: 'Number of all aircraft within the radius.' },
        source_time: sourceTime,
      },
      ['aircraft', 'total', 'source_time'],
    ),
  ),
  tool(
    'network_stats',
    'The network now',
    'How many aircraft the receivers hear now, and how old the data are.',
    closed({}, []),
    object(
      {
        aircraft_total: { type: 'integer', minimum: 0, description: 'Aircraft listed.' },
        source_time: sourceTime,
        served_at: { type: 'number', description: 'Time of this response, Unix seconds.' },
      },
      ['aircraft_total', 'source_time', 'served_at'],
    ),
  ),
];

function property({ name, kind, member }: RecordField): object {
  const { about: text, unit, names } = memberFields.find((row) => row.member === member)!;
  const described = about[name] ?? text;
  return {
    type: types[kind],
    description: unit === undefined ? described : `${described} Unit: ${unit}.`,
    ...(names === undefined ? {} : { enum: [...names] }),
    ...shapes[name],
  };
}
