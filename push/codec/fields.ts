// The fields of binary frames, derived from the field table: what each is sent as, how exactly and how often, and where a listing has it.
import { ABSENT } from '../../schemas/absent.ts';
import { fieldNames, type MemberRow, memberFields, sourceKinds } from '../../schemas/aircraft-fields.ts';
import { isNativeCategory, nativeType } from '../../schemas/native-members.ts';
import { kinds } from './decoder.ts';

/** Altitude of an aircraft on the ground: beyond all integers of a listing. */
export const GROUND = 2 ** 40;

type Texts = readonly (string | null | undefined)[];

interface FactTexts {
  readonly registration?: string;
  readonly typeDesignator?: string;
  readonly description?: string;
  readonly operator?: string;
  readonly year?: string;
}
interface Facts extends FactTexts {
  readonly dbFlags: number;
}
interface Route {
  readonly originIata?: string;
  readonly destinationIata?: string;
}

/** The part of `Listing` (pipeline/view) that frames are made of. */
export interface AircraftSource {
  /** Fields of the state by name, and `key`: the address, with bit 24 for a non-ICAO one. ABSENT is no value. */
  readonly columns: Readonly<Record<string, Int32Array>>;
  readonly seenMs: Float64Array;
  /** NaN without any position. */
  readonly positionMs: Float64Array;
  /** NaN or 0 without. */
  readonly gpsOkMs: Float64Array;
  readonly flights: Texts;
  readonly facts: readonly (Facts | null)[];
  readonly routes: readonly (Route | null)[];
  /** `,"acas_ra":{…}` in words of 8 bytes, by number in the listing. */
  readonly advisories: ReadonlyMap<number, { readonly words: Float64Array; readonly length: number }>;
}

interface FieldBase {
  /** Member of the `/v2` object; `position` and `velocity` stand for several. */
  readonly name: string;
  readonly kind: number;
  /** A value is the integer × `step` / 10^`decimals`. */
  readonly decimals: number;
  readonly step: number;
  /** In every frame; others are in one of `slowFrames`. */
  readonly isFast: boolean;
  /** Members that must be wanted, if not just this one. */
  readonly needs?: readonly string[];
}

/** A field of integers. */
export interface IntegerField extends FieldBase {
  /** The value of aircraft `i`, before division by `step`. */
  readonly read: (source: AircraftSource, i: number, nowMs: number) => number;
  /** Column of the listing, when the value is just that. */
  readonly column?: string;
  /** For texts that follow from an integer. */
  readonly text?: (value: number) => string | null;
}

/** A field of other texts. */
export interface TextField extends FieldBase {
  readonly readText: (source: AircraftSource, i: number) => string | null;
}

export type WireField = IntegerField | TextField;

/** Values that a map shows, and that must not be late. */
const FAST = new Set([
  ...['type', 'source', 'on_ground', 'flight', 'alt_baro', 'gs', 'track', 'calc_track', 'baro_rate', 'geom_rate', 'squawk', 'emergency'],
  ...['nic', 'rc', 'lastPosition', 'alert', 'spi', 'acas_ra', 'seen'],
]);

/** Coarser than the field table: the age of a message is at most that of the position, which is exact to 20 ms. */
const STEPS: Readonly<Record<string, number>> = { seen: 10 };

const DECISECOND_MS = 100;

const integer = (name: string, read: IntegerField['read'], more: Partial<IntegerField> = {}): IntegerField => ({
  name,
  kind: kinds.number,
  decimals: 0,
  step: STEPS[name] ?? 1,
  isFast: FAST.has(name),
  read,
  ...more,
});
const column = (name: string, source: string, more: Partial<IntegerField> = {}): IntegerField =>
  integer(name, ({ columns }, i) => columns[source]![i]!, { column: source, ...more });
const words = (name: string, source: string, text: (value: number) => string | null): IntegerField =>
  column(name, source, { kind: kinds.text, text });
const masked = (name: string, source: string, names: readonly string[]): IntegerField =>
  column(name, source, { kind: kinds.json, text: (mask) => JSON.stringify(names.filter((_, bit) => ((mask >>> bit) & 1) === 1)) });
const text = (name: string, readText: TextField['readText'], kind: number = kinds.text): TextField => ({
  name,
  kind,
  decimals: 0,
  step: 1,
  isFast: FAST.has(name),
  readText,
});
const fact = (name: string, source: keyof FactTexts): TextField => text(name, ({ facts }, i) => facts[i]?.[source] ?? null);
const airport = (name: string, source: keyof Route): TextField => text(name, ({ routes }, i) => routes[i]?.[source] ?? null);

/** Also an expired position. */
export const hasAnyPosition = ({ columns, positionMs }: AircraftSource, i: number): boolean =>
  !Number.isNaN(positionMs[i]!) && columns['latitudeMicrodeg']![i] !== ABSENT && columns['longitudeMicrodeg']![i] !== ABSENT;
const ofPosition = (name: string, from: string): IntegerField =>
  integer(name, (source, i) => {
    if (!hasAnyPosition(source, i)) return ABSENT;
    const value = source.columns[from]![i]!;
    return value === ABSENT ? 0 : value;
  });

const hasGpsOk = ({ gpsOkMs }: AircraftSource, i: number): boolean => gpsOkMs[i]! > 0;
const ofGpsOk = (name: string, from: string, other: string): IntegerField =>
  integer(name, (source, i) => (!hasGpsOk(source, i) || source.columns[other]![i] === ABSENT ? ABSENT : source.columns[from]![i]!), {
    decimals: 6,
  });

/** Members that are not just the value of their column; null: another field has it. */
const special: Readonly<Record<string, WireField | null>> = {
  hex: null,
  type: words('type', 'source', (source) => nativeType(sourceKinds[source]!) ?? null),
  on_ground: column('on_ground', 'onGround', { kind: kinds.flag }),
  flight: text('flight', ({ flights }, i) => flights[i] ?? null),
  r: fact('r', 'registration'),
  t: fact('t', 'typeDesignator'),
  desc: fact('desc', 'description'),
  ownOp: fact('ownOp', 'operator'),
  year: fact('year', 'year'),
  dbFlags: integer('dbFlags', ({ facts }, i) => facts[i]?.dbFlags || ABSENT),
  route_origin: airport('route_origin', 'originIata'),
  route_dest: airport('route_dest', 'destinationIata'),
  alt_baro: integer('alt_baro', ({ columns }, i) => (columns['onGround']![i] === 1 ? GROUND : columns['altitudeBaroFt']![i]!), {
    kind: kinds.altitude,
  }),
  squawk: words('squawk', 'squawk', (squawk) => String(squawk).padStart(4, '0')),
  category: words('category', 'category', (code) => {
    const category = String.fromCharCode(0x41 + (code >> 3), 0x30 + (code & 7));
    return isNativeCategory(category) ? category : null;
  }),
  lat: { ...integer('position', () => ABSENT, { kind: kinds.position }), isFast: true, needs: ['lat', 'lon'] },
  lon: null,
  seen_pos: null,
  nic: ofPosition('nic', 'nic'),
  rc: ofPosition('rc', 'rcM'),
  lastPosition: integer(
    'lastPosition',
    (source, i) => (hasAnyPosition(source, i) && source.columns['positionValid']![i] !== 1 ? 1 : ABSENT),
    {
      kind: kinds.lastPosition,
    },
  ),
  gpsOkBefore: integer('gpsOkBefore', (source, i) => (hasGpsOk(source, i) ? Math.round(source.gpsOkMs[i]! / DECISECOND_MS) : ABSENT), {
    decimals: 1,
  }),
  gpsOkLat: ofGpsOk('gpsOkLat', 'gpsOkLatitudeMicrodeg', 'gpsOkLongitudeMicrodeg'),
  gpsOkLon: ofGpsOk('gpsOkLon', 'gpsOkLongitudeMicrodeg', 'gpsOkLatitudeMicrodeg'),
  acas_ra: text('acas_ra', ({ advisories }, i) => advisoryText(advisories.get(i)), kinds.json),
  mlat: masked('mlat', 'mlatFields', fieldNames),
  tisb: masked('tisb', 'tisbFields', fieldNames),
  seen: integer('seen', ({ seenMs }, i, nowMs) => Math.max(0, Math.round((nowMs - seenMs[i]!) / DECISECOND_MS)), {
    kind: kinds.age,
    decimals: 1,
  }),
};

/** `gs` and `track` of most aircraft: the components of a velocity message, in kt. */
const velocity: IntegerField = {
  ...integer('velocity', () => ABSENT, { kind: kinds.velocity }),
  isFast: true,
  needs: ['gs', 'track'],
};

/** All fields. The position is first, because it is predicted from the velocity before the frame; the velocity is after `gs` and `track`. */
export const wireFields: readonly WireField[] = [
  ...memberFields
    .filter(({ from }) => from !== 'query')
    .flatMap((row) => {
      const field = special[row.member];
      return field === null ? [] : [field ?? plainField(row)];
    })
    .sort((a, b) => Number(b.kind === kinds.position) - Number(a.kind === kinds.position)),
  velocity,
];

/** Error: no rule for the member. */
function plainField({ member, name, type, decimals, names, bits, from }: MemberRow): WireField {
  if (name === undefined || from !== undefined || (type !== 'int' && type !== 'boolean'))
    throw new Error(`no binary field for the member ${member}`);
  if (type === 'boolean') return column(member, name, { kind: kinds.flag });
  // Only the readsb view shows `unknown`, except as a source.
  if (names !== undefined)
    return words(member, name, (value) => (names[value] === 'unknown' && member !== 'source' ? null : names[value]!));
  return bits === undefined ? column(member, name, { decimals: decimals ?? 0 }) : masked(member, name, bits);
}

/** `{…}` of `,"acas_ra":{…}`. */
function advisoryText(advisory: { readonly words: Float64Array; readonly length: number } | undefined): string | null {
  if (advisory === undefined) return null;
  const { words, length } = advisory;
  const json = Buffer.from(words.buffer, words.byteOffset, length).toString('latin1');
  return json.slice(json.indexOf('{'));
}
