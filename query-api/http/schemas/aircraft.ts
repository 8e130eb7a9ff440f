// The aircraft record as a JSON schema, from the field table: one property per member, with unit, range and conditions of absence.
// No member is ever null; a member that is not always present is absent while it is unknown or expired.
import { fieldNames, KEPT_S, type MemberRow, memberFields, sourceKinds } from '../../../schemas/aircraft-fields.ts';

/** Members of a position: present together or not at all. */
const positionMembers = ['lat', 'lon', 'nic', 'rc', 'seen_pos'];

/** JSON types that do not follow from the row, and other schema keywords of the member. */
const shapes: { readonly [member: string]: object } = {
  hex: { pattern: '^~?[0-9a-f]{6}$' },
  type: { type: 'string', enum: ['adsb_icao', 'adsr', 'tisb', 'mlat'] },
  flight: { maxLength: 8 },
  dbFlags: { type: 'integer' },
  // Integers here; the specification allows fractions.
  oat: { type: 'number' },
  tat: { type: 'number' },
  calc_track: { type: 'number' },
  squawk: { pattern: '^[0-7]{4}$' },
  category: { pattern: '^([AB][1-7]|C[1-3])$' },
  seen_pos: { type: 'number' },
  seen: { type: 'number' },
  gpsOkBefore: { type: 'number' },
  sil_type: { enum: ['perhour', 'persample'] },
  acas_ra: { type: 'object', additionalProperties: true },
  mlat: { type: 'array', items: { type: 'string', enum: [...fieldNames] } },
  tisb: { type: 'array', items: { type: 'string', enum: [...fieldNames] } },
  dst: { type: 'number' },
  dir: { type: 'number' },
  emergency_reasons: { type: 'array', items: { type: 'string' }, minItems: 1 },
};

const altitudeOrGround = { oneOf: [{ type: 'integer' }, { type: 'string', enum: ['ground'] }] };

const position = Object.fromEntries(memberFields.filter(({ member }) => positionMembers.includes(member)).map(propertyOf));
const lastPosition = { type: 'object', required: positionMembers, properties: position };

/** A row's name and JSON schema. */
function propertyOf(row: MemberRow): [string, object] {
  const { member, range, isFlag, names, bits } = row;
  const [minimum, maximum] = range ?? [null, null];
  const shape = member === 'lastPosition' ? lastPosition : shapes[member];
  const schema = {
    ...(member === 'alt_baro' ? altitudeOrGround : { type: jsonType(row) }),
    description: descriptionOf(row),
    ...(minimum === null ? {} : { minimum }),
    ...(maximum === null ? {} : { maximum }),
    ...(isFlag === true ? { enum: [0, 1] } : {}),
    ...(names === undefined ? {} : { enum: [...names] }),
    ...(bits === undefined ? {} : { items: { type: 'string', enum: [...bits] } }),
    ...shape,
  };
  return [member, schema];
}

function jsonType({ type, decimals, names, bits }: MemberRow): string {
  if (bits !== undefined) return 'array';
  if (names !== undefined) return 'string';
  if (type === 'int') return decimals === undefined ? 'integer' : 'number';
  return type === 'boolean' ? 'boolean' : 'string';
}

/** Description of the member: meaning, unit, decimals, and how long it is present. */
function descriptionOf({ about, unit, decimals, always, keptS }: MemberRow): string {
  const texts = [about];
  const decimalText = decimals === undefined ? [] : [`${decimals} ${decimals === 1 ? 'decimal' : 'decimals'}`];
  if (unit !== undefined) texts.push(`Unit: ${[unit, ...decimalText].join(', ')}.`);
  else if (decimals !== undefined) texts.push(`${decimalText.join()}.`);
  if (always === true) texts.push('Always present.');
  else if (keptS === null) texts.push('Does not expire.');
  else if (keptS !== undefined && keptS !== KEPT_S) texts.push(`Kept for ${keptText(keptS)}.`);
  return texts.join(' ');
}

function keptText(seconds: number): string {
  const DAY_S = 86_400;
  return seconds % DAY_S === 0 ? `${seconds / DAY_S} days` : `${seconds} s`;
}

const properties = Object.fromEntries(memberFields.map(propertyOf));

export const aircraftSchema = {
  $id: 'Aircraft',
  type: 'object',
  description: `One aircraft. Members that are unknown or expired are absent, never null. A value expires ${KEPT_S} s after its last update unless its description says otherwise. Members may be added.`,
  required: memberFields.filter(({ always }) => always === true).map(({ member }) => member),
  properties,
  // They appear together or not at all.
  dependentRequired: Object.fromEntries(positionMembers.map((name) => [name, positionMembers.filter((other) => other !== name)])),
  additionalProperties: false,
} as const;

/** The record of readsb and the aggregators: `type` has every kind of source; all categories and values of `sil_type`. */
export const readsbAircraftSchema = {
  $id: 'ReadsbAircraft',
  type: 'object',
  description: 'One aircraft with the names and values of readsb.',
  required: aircraftSchema.required.map((name) => (name === 'source' ? 'type' : name)),
  properties: {
    ...properties,
    type: { ...properties['type'], description: 'Kind of source of the position. Always present.', enum: [...sourceKinds] },
    category: { ...properties['category'], pattern: '^[A-D][0-7]$' },
    sil_type: { ...properties['sil_type'], enum: ['unknown', 'perhour', 'persample'] },
  },
  additionalProperties: false,
} as const;
