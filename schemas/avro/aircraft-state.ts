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
import { type AvroValue, optional, record, required } from './value.ts';

export { emergencyNames, fieldNames, navModeNames, silTypeNames, sourceKinds } from '../aircraft-fields.ts';

const acasAdvisorySchema = record('AcasAdvisory', [
  required('timeMs', 'long', 'event time of the report'),
  required('df', 'int', 'downlink format that brought it'),
  required('bytes', 'string', 'the report, 14 hex digits'),
  required('advisory', 'string', 'what the crew is told, in words'),
  required('complement', 'string', 'what other aircraft asked for, in words'),
  optional('threatHex', 'string', 'address of the threat'),
  // The position of a threat that has no address.
  optional('threatAltitudeFt', 'int'),
  optional('threatRangeDeciNm', 'int', 'tenths of a nautical mile'),
  optional('threatBearingDeg', 'int', "from the aircraft's nose, clockwise"),
]);

/** An ACAS (TCAS) resolution advisory report. ICAO Annex 10 vol. IV §4.3.8.4.2.2. */
export type AcasAdvisory = AvroValue<typeof acasAdvisorySchema>;

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
