// Writes an aircraft's record as its state in Avro, without intermediate objects: tens of thousands are written each second. Only values that are
// valid at that moment are in it; absent ones are null.
import avsc, { type Schema } from 'avsc';
import { type StateField, stateFields } from '../../schemas/aircraft-fields.ts';
import { type AcasAdvisory, type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { AvroWriter } from '../avro/writer.ts';
import { fieldTime, fieldValue, isValid, SOURCE_MLAT, SOURCE_TISB } from './accept.ts';
import { advisoryOf, isAdvisoryValid } from './advisory.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import { isGpsLost } from './gps.ts';
import {
  B_CATEGORY,
  B_KIND,
  B_RELIABLE_NIC,
  B_SIL_TYPE,
  B_VERSION_ADSB,
  F_AIR_GROUND,
  F_ALTITUDE_BARO,
  F_CALLSIGN,
  F_RELIABLE,
  F_SIL,
  F_SQUAWK,
  GROUND,
  NON_ICAO,
  NOTHING,
  UNCERTAIN,
  W_KEY,
  W_MESSAGES,
  W_SEEN,
  X_FLIGHT,
  X_GPS_OK_LATITUDE,
  X_GPS_OK_LONGITUDE,
  X_GPS_OK_TIME,
  X_OAT,
  X_RELIABLE_LONGITUDE,
  X_RELIABLE_RC,
  X_TAT,
  X_WIND_DIRECTION,
  X_WIND_SPEED,
} from './layout.ts';
import { rssiDeciDbfs } from './signal.ts';
import { KIND_UNKNOWN } from './source.ts';
import { calcTrackDeg, hasPosition, maskOf } from './state.ts';
import { plainField } from './state-fields.ts';
import { isTemperatureValid, isWindValid } from './wind.ts';

/** Upper bound of a field with the branch of its union: a long is the longest. An advisory reserves its own room. */
const FIELD_BYTES_MAX = 12;
const STATE_BYTES_MAX = FIELD_BYTES_MAX * stateFields.length;
const CHARACTER_BYTES_MAX = 3;
const HEX_CHARACTERS = 6;
const FLIGHT_CHARACTERS = 8;
const TILDE = 0x7e;
const DIGIT_0 = 0x30;
const HEX_DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const UPPER_HEX_DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

/** Writes one or more fields that follow each other in the state. */
type Step = (writer: AvroWriter, aircraft: Aircraft) => void;

/** Fields that are computed, and what writes them. Every other one is the valid value of a field of the record, or null. */
const computed: readonly { readonly names: readonly StateField['name'][]; readonly write: Step }[] = [
  { names: ['hex', 'tickMs', 'source', 'seenMs', 'messages', 'rssiDeciDbfs'], write: writeHead },
  {
    names: ['positionMs', 'positionValid', 'latitudeMicrodeg', 'longitudeMicrodeg', 'nic', 'rcM'],
    write: writePosition,
  },
  { names: ['gpsOkMs', 'gpsOkLatitudeMicrodeg', 'gpsOkLongitudeMicrodeg'], write: writeGpsOk },
  { names: ['onGround', 'flight', 'category', 'squawk'], write: writeIdentity },
  { names: ['altitudeBaroFt'], write: writeAltitude },
  { names: ['calcTrackDeg'], write: (writer, aircraft) => writer.nullableInt(calcTrackDeg(aircraft)) },
  { names: ['version'], write: writeVersion },
  { names: ['silType'], write: writeSilType },
  { names: ['windDirectionDeg', 'windSpeedKt', 'oatC', 'tatC'], write: writeWeather },
  { names: ['acasRa'], write: writeAdvisory },
  { names: ['mlatFields', 'tisbFields'], write: writeMasks },
];

const steps = planSteps();

/** The steps that write all fields in order. Error: the table separates fields that one step writes. */
function planSteps(): Step[] {
  const planned: Step[] = [];
  let run: number[] = [];
  const endRun = (): void => {
    const fields = Uint8Array.from(run);
    if (fields.length > 0) planned.push((writer, aircraft) => writeFields(writer, aircraft, fields));
    run = [];
  };
  for (let i = 0; i < stateFields.length; ) {
    const group = computed.find(({ names }) => names[0] === stateFields[i]!.name);
    if (group === undefined) {
      run.push(plainField(stateFields[i]!));
      i += 1;
      continue;
    }
    endRun();
    const { names, write } = group;
    if (names.some((name, k) => stateFields[i + k]?.name !== name))
      throw new Error(`${names.join(', ')} do not follow each other in the state`);
    planned.push(write);
    i += names.length;
  }
  endRun();
  return planned;
}

/** The body of an AircraftState: the state at `aircraft.now`. No time is passed on: V8 would allocate a number for each call. */
export function writeState(writer: AvroWriter, aircraft: Aircraft): void {
  writer.reserve(STATE_BYTES_MAX);
  for (let i = 0; i < steps.length; i += 1) steps[i]!(writer, aircraft);
}

const stateType = avsc.Type.forSchema(aircraftStateSchema as unknown as Schema, { wrapUnions: false });

/** The same as an object. */
export function stateOf(aircraft: Aircraft): AircraftState {
  const writer = new AvroWriter();
  writeState(writer, aircraft);
  return stateType.fromBuffer(writer.bytes.subarray(0, writer.length)) as AircraftState;
}

function writeHead(writer: AvroWriter, aircraft: Aircraft): void {
  const { words, bytes, at, byte, now, timeBaseMs } = aircraft;
  const kind = bytes[byte + B_KIND]!;
  writeHex(writer, words[at + W_KEY]!);
  writer.long(timeBaseMs + now);
  writer.int(kind === NOTHING ? KIND_UNKNOWN : kind);
  writer.long(timeBaseMs + words[at + W_SEEN]!);
  writer.int(words[at + W_MESSAGES]!);
  writer.int(rssiDeciDbfs(aircraft));
}

/** The characters of `hexOf(key)`, as an Avro string. */
export function writeHex(writer: AvroWriter, key: number): void {
  writer.int((key & NON_ICAO) === 0 ? HEX_CHARACTERS : HEX_CHARACTERS + 1);
  writeHexDigits(writer, key);
}

/** The characters of `hexOf(key)` alone. */
export function writeHexDigits(writer: AvroWriter, key: number): void {
  writer.reserve(HEX_CHARACTERS + 1);
  if ((key & NON_ICAO) !== 0) writer.byte(TILDE);
  for (let shift = 20; shift >= 0; shift -= 4) writer.byte(HEX_DIGITS[(key >> shift) & 15]!);
}

function writePosition(writer: AvroWriter, aircraft: Aircraft): void {
  const { words, bytes, at, byte } = aircraft;
  const known = hasPosition(aircraft);
  writer.isNull(!known);
  if (known) writer.long(aircraft.timeBaseMs + fieldTime(aircraft, F_RELIABLE));
  writer.boolean(isValid(aircraft, F_RELIABLE));
  intOrNull(writer, known, fieldValue(aircraft, F_RELIABLE));
  intOrNull(writer, known, words[at + X_RELIABLE_LONGITUDE]!);
  intOrNull(writer, known, bytes[byte + B_RELIABLE_NIC]!);
  intOrNull(writer, known, words[at + X_RELIABLE_RC]!);
}

function writeGpsOk(writer: AvroWriter, aircraft: Aircraft): void {
  const { words, at } = aircraft;
  const gpsLost = isGpsLost(aircraft);
  writer.isNull(!gpsLost);
  if (gpsLost) writer.long(aircraft.timeBaseMs + words[at + X_GPS_OK_TIME]!);
  intOrNull(writer, gpsLost, words[at + X_GPS_OK_LATITUDE]!);
  intOrNull(writer, gpsLost, words[at + X_GPS_OK_LONGITUDE]!);
}

function writeIdentity(writer: AvroWriter, aircraft: Aircraft): void {
  const { bytes, byte } = aircraft;
  const airGround = fieldValue(aircraft, F_AIR_GROUND);
  const airGroundKnown = isValid(aircraft, F_AIR_GROUND) && airGround !== UNCERTAIN;
  writer.isNull(!airGroundKnown);
  if (airGroundKnown) writer.boolean(airGround === GROUND);
  const called = isValid(aircraft, F_CALLSIGN);
  writer.isNull(!called);
  if (called) {
    writer.int(FLIGHT_CHARACTERS);
    for (let i = 0; i < FLIGHT_CHARACTERS; i += 1) writer.byte(bytes[byte + 4 * X_FLIGHT + i]!);
  }
  const category = bytes[byte + B_CATEGORY]!;
  writer.isNull(category === 0);
  if (category !== 0) {
    writer.int(2);
    writer.byte(UPPER_HEX_DIGITS[category >> 4]!);
    writer.byte(UPPER_HEX_DIGITS[category & 15]!);
  }
  const squawked = isValid(aircraft, F_SQUAWK);
  writer.isNull(!squawked);
  if (squawked) {
    const squawk = fieldValue(aircraft, F_SQUAWK);
    writer.int(4);
    for (let tens = 1000; tens >= 1; tens /= 10) writer.byte(DIGIT_0 + (Math.floor(squawk / tens) % 10));
  }
}

function writeAltitude(writer: AvroWriter, aircraft: Aircraft): void {
  intOrNull(writer, isAltitudeReliable(aircraft), fieldValue(aircraft, F_ALTITUDE_BARO));
}

function writeVersion(writer: AvroWriter, { bytes, byte }: Aircraft): void {
  const version = bytes[byte + B_VERSION_ADSB]!;
  intOrNull(writer, version !== NOTHING, version);
}

function writeSilType(writer: AvroWriter, aircraft: Aircraft): void {
  const silType = aircraft.bytes[aircraft.byte + B_SIL_TYPE]!;
  intOrNull(writer, silType !== NOTHING && isValid(aircraft, F_SIL), silType);
}

function writeWeather(writer: AvroWriter, aircraft: Aircraft): void {
  const { words, at } = aircraft;
  const windValid = isWindValid(aircraft);
  intOrNull(writer, windValid, words[at + X_WIND_DIRECTION]!);
  intOrNull(writer, windValid, words[at + X_WIND_SPEED]!);
  const temperatureValid = isTemperatureValid(aircraft);
  intOrNull(writer, temperatureValid, words[at + X_OAT]!);
  intOrNull(writer, temperatureValid, words[at + X_TAT]!);
}

function writeMasks(writer: AvroWriter, aircraft: Aircraft): void {
  writer.long(maskOf(aircraft, SOURCE_MLAT));
  writer.long(maskOf(aircraft, SOURCE_TISB));
}

function writeFields(writer: AvroWriter, aircraft: Aircraft, fields: Uint8Array): void {
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i]!;
    intOrNull(writer, isValid(aircraft, field), fieldValue(aircraft, field));
  }
}

function intOrNull(writer: AvroWriter, known: boolean, value: number): void {
  writer.isNull(!known);
  if (known) writer.int(value);
}

function writeAdvisory(writer: AvroWriter, aircraft: Aircraft): void {
  const advisory = isAdvisoryValid(aircraft) ? advisoryOf(aircraft) : null;
  writer.isNull(advisory === null);
  if (advisory !== null) writeReport(writer, advisory);
  writer.reserve(STATE_BYTES_MAX);
}

function writeReport(writer: AvroWriter, { timeMs, df, bytes, advisory, complement, threatHex, ...threat }: AcasAdvisory): void {
  const characters = bytes.length + advisory.length + complement.length + (threatHex?.length ?? 0);
  writer.reserve(STATE_BYTES_MAX + CHARACTER_BYTES_MAX * characters);
  writer.long(timeMs);
  writer.int(df);
  writer.string(bytes);
  writer.string(advisory);
  writer.string(complement);
  writer.nullableString(threatHex);
  writer.nullableInt(threat.threatAltitudeFt);
  writer.nullableInt(threat.threatRangeDeciNm);
  writer.nullableInt(threat.threatBearingDeg);
}
