// Value of `adsb.aircraft.v1`: everything known of one aircraft at a tick. Absent means unknown or expired.
// Derived from the field table (aircraft-fields.ts). Scaled integers, unit in the name: 4123 centideg is 41.23 degrees.
import {
  emergencyNames,
  fieldNames,
  navModeNames,
  type StateField,
  type StateRow,
  silTypeNames,
  sourceKinds,
  stateFields,
} from '../aircraft-fields.ts';

export { emergencyNames, fieldNames, navModeNames, type SourceKind, silTypeNames, sourceKinds } from '../aircraft-fields.ts';

/** An ACAS (TCAS) resolution advisory report. ICAO Annex 10 vol. IV §4.3.8.4.2.2. */
export interface AcasAdvisory {
  /** Event time of the report, ms since the Unix epoch. */
  timeMs: number;
  /** Downlink format that brought it: 16, 17, 18, 20, 21. */
  df: number;
  /** The report, 14 upper-case hex digits. */
  bytes: string;
  /** The advisory to the crew, as text. */
  advisory: string;
  /** Requests of other aircraft, as text; may be empty. */
  complement: string;
  /** 24-bit address of the threat. */
  threatHex: string | null;
  /** Position of the threat, when it has no address: altitude, range in tenths of a nautical mile, bearing from the nose, degrees. */
  threatAltitudeFt: number | null;
  threatRangeDeciNm: number | null;
  threatBearingDeg: number | null;
}

/** TypeScript's types of the Avro types. */
interface ValueTypes {
  int: number;
  long: number;
  boolean: boolean;
  string: string;
  AcasAdvisory: AcasAdvisory;
}

type ValueOf<F extends StateField> = ValueTypes[F['type']] | (F extends { readonly always: true } ? never : null);

/** aircraft-fields.ts describes each field. */
export type AircraftState = { [F in StateField as F['name']]: ValueOf<F> };

const nullableInt = ['null', 'int'] as const;
const nullableString = ['null', 'string'] as const;
const optionalInt = (name: string, doc = '') => ({ name, type: nullableInt, default: null, ...(doc === '' ? {} : { doc }) });

const acasAdvisorySchema = {
  type: 'record',
  name: 'AcasAdvisory',
  fields: [
    { name: 'timeMs', type: 'long', doc: 'event time of the report' },
    { name: 'df', type: 'int', doc: 'downlink format that brought it' },
    { name: 'bytes', type: 'string', doc: 'the report, 14 hex digits' },
    { name: 'advisory', type: 'string', doc: 'what the crew is told, in words' },
    { name: 'complement', type: 'string', doc: 'what other aircraft asked for, in words' },
    { name: 'threatHex', type: nullableString, default: null, doc: 'address of the threat' },
    optionalInt('threatAltitudeFt'),
    optionalInt('threatRangeDeciNm', 'tenths of a nautical mile'),
    optionalInt('threatBearingDeg', "from the aircraft's nose, clockwise"),
  ],
} as const;

/** Texts of fields whose value in the state is not described by the table's sentence, which is about `/v2`. */
const ownDocs: { readonly [name: string]: string } = {
  hex: 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address',
  tickMs: 'the tick this state was taken at, ms since the Unix epoch',
  source: `index into ${sourceKinds.join(', ')}`,
  seenMs: 'event time of the last message',
  rssiDeciDbfs: '-495: no signal level known',
  positionMs: 'event time of the last reliable position',
  positionValid: 'false when that position is older than 60 s',
  rcM: 'containment radius, m; 0 unknown',
  gpsOkMs: 'satellite navigation is lost: event time of the last position with good accuracy',
  flight: 'call sign, 8 characters, padded with spaces',
  category: 'emitter category, A0 to D7',
  squawk: '4 octal digits',
  emergency: `index into ${emergencyNames.join(', ')}`,
  navModes: `bits: ${navModeNames.join(', ')}`,
  version: 'ADS-B version',
  silType: `index into ${silTypeNames.join(', ')}`,
  acasRa: 'the last ACAS report, for 15 s',
  mlatFields: `bits: ${fieldNames.join(', ')}`,
  tisbFields: 'bits as in mlatFields',
};

/** A field of the Avro record, in the form of the Avro specification. */
interface AvroField {
  readonly name: string;
  readonly type: unknown;
  readonly default?: null;
  readonly doc: string;
}

/** The fields of the table as those of an Avro record, by number. Error: a number is missing or used twice. */
function avroFields(fields: readonly StateRow[]): AvroField[] {
  return fields.map(({ number, name, type, always, about }, i) => {
    if (number !== i) throw new Error(`${name} has number ${number}, and the next number of the state is ${i}`);
    const avroType = type === 'AcasAdvisory' ? acasAdvisorySchema : type;
    return {
      name,
      ...(always === true ? { type: avroType } : { type: ['null', avroType], default: null }),
      doc: ownDocs[name] ?? about,
    };
  });
}

export const aircraftStateSchema = {
  type: 'record',
  name: 'AircraftState',
  namespace: 'squitter.v1',
  doc: 'Everything known of one aircraft at a tick. Null means unknown or expired.',
  fields: avroFields(stateFields),
} as const;
