// Reads an aircraft's state from its Avro bytes straight into the cells of a row, without intermediate objects: twenty thousand come each second.
// The reading steps are planned from the field table: a field has the name of its column.
import { stateFields } from '../../schemas/aircraft-fields.ts';
import { AvroReader } from '../avro/reader.ts';
import { ABSENT, categoryOf, columnNames } from './columns.ts';
import { hexKeyBefore } from './hex-key.ts';

/** Operations on a field. NULLABLE: a union of null and the other type. */
const INT = 0;
const NULLABLE_INT = 1;
/** Null becomes 0. */
const NULLABLE_INT_OR_0 = 2;
const NULLABLE_BOOLEAN = 3;
const BOOLEAN = 4;
const TIME = 5;
const NULLABLE_TIME = 6;
/** A long of which the lower 32 bits are used. */
const MASK = 7;
const HEX = 8;
const FLIGHT = 9;
const CATEGORY = 10;
const SQUAWK = 11;
/** Rare, with texts: a state with an advisory is not read here. */
const ADVISORY = 12;

const DIGIT_0 = 0x30;
const SQUAWK_DIGITS = 4;

const specialOperations: { readonly [name: string]: number } = {
  hex: HEX,
  nic: NULLABLE_INT_OR_0,
  rcM: NULLABLE_INT_OR_0,
  flight: FLIGHT,
  category: CATEGORY,
  squawk: SQUAWK,
  acasRa: ADVISORY,
  mlatFields: MASK,
  tisbFields: MASK,
};
/** By Avro type: for a field that is always present, and for one that may be null. */
const operations: { readonly [type: string]: readonly [always: number, nullable: number] } = {
  int: [INT, NULLABLE_INT],
  boolean: [BOOLEAN, NULLABLE_BOOLEAN],
  long: [TIME, NULLABLE_TIME],
};

/** One operation per field, in the order of the state. */
const plan = Uint8Array.from(stateFields, ({ name, type, always }) => {
  const operation = specialOperations[name] ?? operations[type]?.[always === true ? 0 : 1];
  if (operation === undefined) throw new Error(`no column can hold ${name}`);
  return operation;
});
const namesOf = (isWanted: (operation: number) => boolean): string[] =>
  stateFields.filter((_, i) => isWanted(plan[i]!)).map(({ name }) => name);
const isTime = (operation: number): boolean => operation === TIME || operation === NULLABLE_TIME;

/** Fields that are times, ms since the Unix epoch, in the order of `StateReader.times`; one more entry takes any other long. */
const timeNames = namesOf(isTime);
const SPARE_TIME = timeNames.length;
export const TICK_TIME = timeNames.indexOf('tickMs');
export const SEEN_TIME = timeNames.indexOf('seenMs');
export const POSITION_TIME = timeNames.indexOf('positionMs');
export const GPS_OK_TIME = timeNames.indexOf('gpsOkMs');

/** The columns of `StateReader.cells`, in order; the hex becomes the column `key`. */
export const cellNames = namesOf((operation) => !isTime(operation) && operation !== FLIGHT && operation !== ADVISORY).map((name) => {
  const column = columnNames.find((column) => column === (name === 'hex' ? 'key' : name));
  if (column === undefined) throw new Error(`no column is named ${name}`);
  return column;
});
export const KEY_CELL = cellNames.indexOf('key');
const POSITION_VALID_CELL = cellNames.indexOf('positionValid');
const LATITUDE_CELL = cellNames.indexOf('latitudeMicrodeg');
const LONGITUDE_CELL = cellNames.indexOf('longitudeMicrodeg');

export class StateReader {
  /** The result, one cell per column of `cellNames`. */
  readonly cells = new Int32Array(cellNames.length);
  /** By TICK_TIME, SEEN_TIME, POSITION_TIME, GPS_OK_TIME; NaN stands for null, and for the time of an unknown position. */
  readonly times = new Float64Array(timeNames.length + 1);
  /** End of the call sign's bytes. */
  flightEnd = 0;
  /** Number of the call sign's bytes; −1 when there is none. */
  flightLength = -1;
  private readonly reader = new AvroReader();
  /** Number of fields to read. */
  private readonly count: number;

  /** `last`: the last field to read; the fields behind it are ignored. */
  constructor(last: string = stateFields.at(-1)!.name) {
    this.count = stateFields.findIndex(({ name }) => name === last) + 1;
  }

  /**
   * Reads the body from `from` to `end`. False when it is not a state, has an advisory, or its hex is invalid:
   * the result is then undefined.
   */
  read(bytes: Uint8Array, from: number, end = bytes.length): boolean {
    const { reader, cells, times, count } = this;
    reader.start(bytes, from, end);
    let cell = 0;
    let time = 0;
    for (let i = 0; i < count; i += 1) {
      switch (plan[i]) {
        case NULLABLE_INT:
          cells[cell] = reader.isPresent() ? reader.int() : ABSENT;
          cell += 1;
          break;
        case INT:
          cells[cell] = reader.int();
          cell += 1;
          break;
        case NULLABLE_INT_OR_0:
          cells[cell] = reader.isPresent() ? reader.int() : 0;
          cell += 1;
          break;
        case NULLABLE_BOOLEAN:
          cells[cell] = reader.isPresent() ? Number(reader.boolean()) : ABSENT;
          cell += 1;
          break;
        case BOOLEAN:
          cells[cell] = Number(reader.boolean());
          cell += 1;
          break;
        case NULLABLE_TIME:
          if (reader.isPresent()) reader.long(times, time);
          else times[time] = Number.NaN;
          time += 1;
          break;
        case TIME:
          reader.long(times, time);
          time += 1;
          break;
        case MASK:
          reader.long(times, SPARE_TIME);
          cells[cell] = times[SPARE_TIME]!;
          cell += 1;
          break;
        case HEX:
          cells[cell] = this.key();
          cell += 1;
          break;
        case FLIGHT:
          this.flightLength = reader.isPresent() ? reader.skip() : -1;
          this.flightEnd = reader.at;
          break;
        case CATEGORY:
          cells[cell] = this.category();
          cell += 1;
          break;
        case SQUAWK:
          cells[cell] = this.squawk();
          cell += 1;
          break;
        case ADVISORY:
          if (reader.isPresent()) reader.fail();
          break;
      }
    }
    if (!this.isSound() || cells[KEY_CELL]! < 0) return false;
    if (Number.isNaN(times[POSITION_TIME]!) || cells[LATITUDE_CELL] === ABSENT || cells[LONGITUDE_CELL] === ABSENT) {
      times[POSITION_TIME] = Number.NaN;
      cells[POSITION_VALID_CELL] = 0;
    }
    return true;
  }

  /** True when no read failed, and no bytes are left if all fields were read. */
  private isSound(): boolean {
    return this.count === plan.length ? this.reader.isWhole() : !this.reader.hasFailed();
  }

  private key(): number {
    const length = this.reader.skip();
    return hexKeyBefore(this.reader.bytes, this.reader.at, length);
  }

  private category(): number {
    const { reader } = this;
    if (!reader.isPresent() || reader.skip() !== 2) return ABSENT;
    return categoryOf(reader.bytes[reader.at - 2]!, reader.bytes[reader.at - 1]!);
  }

  /** The four digits as a decimal number; ABSENT for anything but 0000 to 7777. */
  private squawk(): number {
    const { reader } = this;
    if (!reader.isPresent() || reader.skip() !== SQUAWK_DIGITS) return ABSENT;
    let squawk = 0;
    for (let i = reader.at - SQUAWK_DIGITS; i < reader.at; i += 1) {
      const digit = reader.bytes[i]! - DIGIT_0;
      if (digit < 0 || digit >= 8) return ABSENT;
      squawk = 10 * squawk + digit;
    }
    return squawk;
  }
}
