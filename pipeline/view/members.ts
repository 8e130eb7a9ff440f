// The members of the `/v2` aircraft object, once: how each is written into bytes, in whole objects (render.ts) and in updates (update-writer.ts), and which fields of a change
// it comes from. Members and their order are planned from the field table; a property test compares the bytes with plain.ts.
import { fieldNames, type MemberRow, memberFields, sourceKinds } from '../../schemas/aircraft-fields.ts';
import { isNativeCategory, nativeType } from '../../schemas/native-members.ts';
import { ABSENT, type ColumnName, categoryNames, columnNames } from '../aircraft/columns.ts';
import { shownAnnotation } from '../aircraft/facts.ts';
import { FLIGHT_BYTES } from '../aircraft/table.ts';
import { asciiOnly, putText, type Text, text } from '../aircraft/text.ts';
import { factNames, routeNames } from './changes.ts';
import { type Decimals, putFixed, putGroup } from './digits.ts';
import type { Listing } from './listing.ts';

/** Writes a member of aircraft `i` with a comma before it, and returns the offset after it: `at` when the aircraft does not have it. */
export type Put = (view: DataView, at: number, i: number) => number;

/** The value of a column. */
export interface NumberField {
  readonly key: Text;
  readonly column: ColumnName;
  readonly decimals: Decimals;
}

/** One of some texts, by the number in the column. An empty text is no member, and neither is a number without a text. */
export interface ChoiceField {
  readonly column: ColumnName;
  readonly texts: readonly Text[];
}

export interface Member {
  readonly member: string;
  /** Fields of a change that bring the member into an update. */
  readonly fields: readonly string[];
  /** Part of every update. */
  readonly isAge?: true;
  /** Set for a plain number. */
  readonly number?: NumberField;
  /** Set for one of some texts. */
  readonly choice?: ChoiceField;
  /** From reference data or the route. A row of the table has the text of all of them. */
  readonly isAnnotation?: true;
  /** Its writer for one listing, whose columns are collected once: growth replaces them. Ages are relative to `nowMs`. */
  readonly bind: (listing: Listing, nowMs: number) => Put;
}

const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const key = (member: string): Text => text(`,"${member}":`);
const named = (member: string, value: string): Text => text(`,"${member}":"${value}"`);

export function columnOf({ member, name, type }: MemberRow): ColumnName {
  const column = columnNames.find((column) => column === name);
  if (column === undefined || (type !== 'int' && type !== 'boolean')) throw new Error(`no writer for the member ${member}`);
  return column;
}

function numberMember(member: string, column: ColumnName, decimals: Decimals): Member {
  const number = { key: key(member), column, decimals };
  const bind: Member['bind'] = ({ columns }) => {
    const values = columns[column];
    return (view, at, i) => (values[i] === ABSENT ? at : putFixed(view, putText(view, at, number.key), values[i]!, decimals));
  };
  return { member, fields: [column], number, bind };
}

/** One of some texts, by the number in the column. An empty text is no member. */
function choiceMember(member: string, column: ColumnName, texts: readonly Text[], other?: Text): Member {
  const bind: Member['bind'] = ({ columns }) => {
    const values = columns[column];
    return (view, at, i) => {
      const value = values[i]!;
      // ABSENT is negative, and such an index of an array is slow.
      const chosen = value < 0 ? other : (texts[value] ?? other);
      return chosen === undefined ? at : putText(view, at, chosen);
    };
  };
  return { member, fields: [column], choice: { column, texts }, bind };
}

/** A list of fields: bit n of the column stands for field n. */
function fieldsMember(member: string, column: ColumnName): Member {
  const opening = text(`,"${member}":[`);
  const empty = text(`,"${member}":[]`);
  const texts = fieldNames.map((name) => text(`"${name}",`));
  const bind: Member['bind'] = ({ columns }) => {
    const masks = columns[column];
    return (view, start, i) => {
      const mask = masks[i]!;
      if (mask === 0) return putText(view, start, empty);
      let at = putText(view, start, opening);
      for (let bit = 0; bit < texts.length; bit += 1) if (((mask >>> bit) & 1) === 1) at = putText(view, at, texts[bit]!);
      // The bracket replaces the comma of the last name.
      if (at > start + opening.length) at -= 1;
      view.setUint8(at, CLOSE_BRACKET);
      return at + 1;
    };
  };
  return { member, fields: [column], bind };
}

const POSITION_NUMBERS = [
  { member: 'lat', column: 'latitudeMicrodeg', decimals: 6 },
  { member: 'lon', column: 'longitudeMicrodeg', decimals: 6 },
  { member: 'nic', column: 'nic', decimals: 0 },
  { member: 'rc', column: 'rcM', decimals: 0 },
] as const;
const POSITION_FIELDS = ['positionMs', 'positionValid'];
const SEEN_POSITION = key('seen_pos');
const LAST_POSITION = text(',"lastPosition":{"lat":');

/** A number of a valid position. */
const positionMembers: readonly Member[] = POSITION_NUMBERS.map(({ member, column, decimals }) => {
  const name = key(member);
  const bind: Member['bind'] = ({ columns, positionMs }) => {
    const { positionValid, [column]: values } = columns;
    return (view, at, i) =>
      positionValid[i] === 1 && !Number.isNaN(positionMs[i]) ? putFixed(view, putText(view, at, name), values[i]!, decimals) : at;
  };
  return { member, fields: [column, 'positionValid'], bind };
});

const putAge = (view: DataView, at: number, positionMs: number, nowMs: number): number =>
  putFixed(view, putText(view, at, SEEN_POSITION), Math.max(0, nowMs - positionMs), 3);

/** All of a position: its members, or `lastPosition` when it is not valid any more. */
export function bindPosition({ columns, positionMs }: Listing, nowMs: number): Put {
  const { positionValid, latitudeMicrodeg, longitudeMicrodeg, nic, rcM } = columns;
  const [latitude, longitude, integrity, radius] = POSITION_NUMBERS.map(({ member }) => key(member)) as [Text, Text, Text, Text];
  return (view, start, i) => {
    if (Number.isNaN(positionMs[i])) return start;
    const isValid = positionValid[i] === 1;
    let at = putFixed(view, putText(view, start, isValid ? latitude : LAST_POSITION), latitudeMicrodeg[i]!, 6);
    at = putFixed(view, putText(view, at, longitude), longitudeMicrodeg[i]!, 6);
    at = putFixed(view, putText(view, at, integrity), nic[i]!, 0);
    at = putAge(view, putFixed(view, putText(view, at, radius), rcM[i]!, 0), positionMs[i]!, nowMs);
    if (isValid) return at;
    view.setUint8(at, CLOSE_BRACE);
    return at + 1;
  };
}

const decisecondsOf = (ms: number): number => Math.floor((ms + 50) / 100);

function gpsOkCoordinate(member: string, column: 'gpsOkLatitudeMicrodeg' | 'gpsOkLongitudeMicrodeg'): Member {
  const name = key(member);
  const bind: Member['bind'] = ({ columns, gpsOkMs }) => {
    const { gpsOkLatitudeMicrodeg: latitude, gpsOkLongitudeMicrodeg: longitude, [column]: values } = columns;
    return (view, at, i) => {
      const isShown = gpsOkMs[i]! > 0 && latitude[i] !== ABSENT && longitude[i] !== ABSENT;
      return isShown ? putFixed(view, putText(view, at, name), values[i]!, 6) : at;
    };
  };
  return { member, fields: ['gpsOkMs', 'gpsOkLatitudeMicrodeg', 'gpsOkLongitudeMicrodeg'], bind };
}

function bindFlight({ columns: { flightLength }, flightWords }: Listing): Put {
  return (view, start, i) => {
    const length = flightLength[i]!;
    if (length === 0) return start;
    const at = putText(view, start, FLIGHT);
    const from = (i * FLIGHT_BYTES) / 4;
    for (let word = 0; 4 * word < length; word += 1) view.setInt32(at + 4 * word, flightWords[from + word]!, true);
    view.setUint8(at + length, QUOTE);
    return at + length + 1;
  };
}

function bindAltitude({ columns: { onGround, altitudeBaroFt } }: Listing): Put {
  return (view, at, i) => {
    if (onGround[i] === 1) return putText(view, at, ALTITUDE_GROUND);
    return altitudeBaroFt[i] === ABSENT ? at : putFixed(view, putText(view, at, ALTITUDE), altitudeBaroFt[i]!, 0);
  };
}

function bindSquawk({ columns: { squawk } }: Listing): Put {
  return (view, start, i) => {
    if (squawk[i] === ABSENT) return start;
    const at = putGroup(view, putText(view, start, SQUAWK), squawk[i]!);
    view.setUint8(at, QUOTE);
    return at + 1;
  };
}

function bindAdvisory({ advisories }: Listing): Put {
  return (view, at, i) => {
    const advisory = advisories.size === 0 ? undefined : advisories.get(i);
    return advisory === undefined ? at : putText(view, at, advisory);
  };
}

const FLIGHT = text(',"flight":"');
const ALTITUDE_GROUND = text(',"alt_baro":"ground"');
const ALTITUDE = key('alt_baro');
const SQUAWK = text(',"squawk":"');
const GPS_OK = key('gpsOkBefore');
const SEEN = key('seen');
const OTHER_SOURCE = named('source', 'unknown');

/** Members that are not just the value of their column. */
const specialMembers: readonly Member[] = [
  choiceMember(
    ...(['type', 'source'] as const),
    sourceKinds.map((source) => (nativeType(source) === undefined ? text('') : named('type', nativeType(source)!))),
  ),
  choiceMember(
    ...(['source', 'source'] as const),
    sourceKinds.map((source) => named('source', source)),
    OTHER_SOURCE,
  ),
  { member: 'flight', fields: ['flight'], bind: bindFlight },
  { member: 'alt_baro', fields: ['onGround', 'altitudeBaroFt'], bind: bindAltitude },
  { member: 'squawk', fields: ['squawk'], bind: bindSquawk },
  choiceMember(
    ...(['category', 'category'] as const),
    categoryNames.map((name) => (isNativeCategory(name) ? named('category', name) : text(''))),
  ),
  ...positionMembers,
  {
    ...{ member: 'seen_pos', fields: POSITION_FIELDS, isAge: true },
    bind: ({ columns: { positionValid }, positionMs }, nowMs) => {
      return (view, at, i) => (positionValid[i] === 1 && !Number.isNaN(positionMs[i]) ? putAge(view, at, positionMs[i]!, nowMs) : at);
    },
  },
  {
    ...{ member: 'lastPosition', fields: [...POSITION_FIELDS, ...POSITION_NUMBERS.map(({ column }) => column)], isAge: true },
    bind: (listing, nowMs) => {
      const put = bindPosition(listing, nowMs);
      return (view, at, i) => (listing.columns.positionValid[i] === 1 ? at : put(view, at, i));
    },
  },
  {
    ...{ member: 'gpsOkBefore', fields: ['gpsOkMs'] },
    bind: ({ gpsOkMs }) => {
      return (view, at, i) => (gpsOkMs[i]! > 0 ? putFixed(view, putText(view, at, GPS_OK), decisecondsOf(gpsOkMs[i]!), 1) : at);
    },
  },
  gpsOkCoordinate('gpsOkLat', 'gpsOkLatitudeMicrodeg'),
  gpsOkCoordinate('gpsOkLon', 'gpsOkLongitudeMicrodeg'),
  { member: 'acas_ra', fields: ['acasRa'], bind: bindAdvisory },
  fieldsMember('mlat', 'mlatFields'),
  fieldsMember('tisb', 'tisbFields'),
  {
    ...{ member: 'seen', fields: ['seenMs'], isAge: true },
    bind: ({ seenMs }, nowMs) => {
      return (view, at, i) => putFixed(view, putText(view, at, SEEN), decisecondsOf(Math.max(0, nowMs - seenMs[i]!)), 1);
    },
  },
];

/** A member from reference data or the route. Rare in updates, so it may allocate. */
function annotationMember(member: string): Member {
  const bind: Member['bind'] = ({ facts, routes }) => {
    return (view, at, i) => {
      const value = shownAnnotation(facts[i]!, routes[i]!)[member];
      return value === undefined ? at : putText(view, at, text(`,"${member}":${asciiOnly(JSON.stringify(value))}`));
    };
  };
  return { member, fields: [...factNames, ...routeNames], isAnnotation: true, bind };
}

/** A member with the value of its column: a number, one of some texts, or a set of names. */
function plainMember(row: MemberRow): Member {
  const { member, type, names, bits, decimals = 0 } = row;
  const column = columnOf(row);
  if (type === 'boolean') return choiceMember(member, column, [text(`,"${member}":false`), text(`,"${member}":true`)]);
  if (bits !== undefined) {
    const namesOf = (set: number): string[] => bits.filter((_, bit) => ((set >> bit) & 1) === 1);
    const texts = Array.from({ length: 2 ** bits.length }, (_, set) => text(`,"${member}":${JSON.stringify(namesOf(set))}`));
    return choiceMember(member, column, texts);
  }
  // Only the readsb view shows `unknown`, in its head.
  if (names !== undefined)
    return choiceMember(
      ...([member, column] as const),
      names.map((name) => (name === 'unknown' ? text('') : named(member, name))),
    );
  return numberMember(member, column, decimals);
}

/** All but the hex, which is always there, in the order of the object. */
export const members: readonly Member[] = memberFields
  .filter(({ from, member }) => from !== 'query' && member !== 'hex')
  .map((row) => {
    if (row.from === 'reference') return annotationMember(row.member);
    return specialMembers.find(({ member }) => member === row.member) ?? plainMember(row);
  });
