// Aircraft by 24-bit address, from aircraft registers. In memory as sorted columns, about 25 bytes an aircraft.
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter, type Texts } from '../store/columns.ts';
import { rowOf } from '../store/sorted.ts';

export const AIRCRAFT = 'aircraft';

/** Data of an aircraft; unknown values are '' or 0. */
export interface AircraftRecord {
  readonly registration: string;
  /** ICAO type designator. */
  readonly typeDesignator: string;
  /** Manufacturer and model. */
  readonly description: string;
  readonly operator: string;
  /** Year built; 0 if unknown. */
  readonly year: number;
  /** `dbFlags`: 1 military, 2 interesting, 4 PIA, 8 LADD. */
  readonly flags: number;
}

export class AircraftTable {
  readonly keys: Uint32Array;
  private readonly registrations: Texts;
  private readonly typeDesignators: Texts;
  private readonly descriptions: Texts;
  private readonly operators: Texts;
  private readonly years: Uint16Array;
  private readonly flags: Uint8Array;

  constructor(table: ColumnTable) {
    const reader = new TableReader(table);
    this.keys = reader.numbers('key', 'u32');
    this.registrations = reader.texts('registration');
    this.typeDesignators = reader.sharedTexts('type');
    this.descriptions = reader.sharedTexts('description');
    this.operators = reader.sharedTexts('operator');
    this.years = reader.numbers('year', 'u16');
    this.flags = reader.numbers('flags', 'u8');
  }

  find(key: number): AircraftRecord | undefined {
    const row = rowOf(this.keys, key);
    return row < 0 ? undefined : this.at(row);
  }

  at(row: number): AircraftRecord {
    return {
      registration: this.registrations.at(row),
      typeDesignator: this.typeDesignators.at(row),
      description: this.descriptions.at(row),
      operator: this.operators.at(row),
      year: this.years[row]!,
      flags: this.flags[row]!,
    };
  }
}

/** Aircraft during an import. A later `put` wins, except that empty values never replace others. Uses columns: a million objects would take seconds. */
export class AircraftSet {
  /** Row + 1 by address. The system allocates only the pages in use. */
  private readonly rowAfter = new Int32Array(1 << 24);
  private readonly keys: number[] = [];
  private readonly registrations: string[] = [];
  private readonly typeDesignators: string[] = [];
  private readonly descriptions: string[] = [];
  private readonly operators: string[] = [];
  private readonly years: number[] = [];
  private readonly flags: number[] = [];

  constructor(before?: AircraftTable) {
    if (before === undefined) return;
    for (let row = 0; row < before.keys.length; row += 1) this.put(before.keys[row]!, before.at(row));
  }

  put(key: number, record: Partial<AircraftRecord>): void {
    const row = this.rowFor(key);
    const { registration = '', typeDesignator = '', description = '', operator = '', year = 0, flags } = record;
    if (registration !== '') this.registrations[row] = registration;
    if (typeDesignator !== '') this.typeDesignators[row] = typeDesignator;
    if (description !== '') this.descriptions[row] = description;
    if (operator !== '') this.operators[row] = operator;
    if (year !== 0) this.years[row] = year;
    if (flags !== undefined) this.flags[row] = flags;
  }

  pack(): PackedTable {
    const keys = Uint32Array.from(this.keys).sort();
    const rows = Array.from(keys, (key) => this.rowAfter[key]! - 1);
    const sorted = <T>(column: readonly T[]): T[] => rows.map((row) => column[row]!);
    return new TableWriter(AIRCRAFT, keys.length)
      .numbers('key', keys)
      .texts('registration', sorted(this.registrations))
      .sharedTexts('type', sorted(this.typeDesignators))
      .sharedTexts('description', sorted(this.descriptions))
      .sharedTexts('operator', sorted(this.operators))
      .numbers('year', Uint16Array.from(sorted(this.years)))
      .numbers('flags', Uint8Array.from(sorted(this.flags)))
      .pack();
  }

  private rowFor(key: number): number {
    const known = this.rowAfter[key]!;
    if (known > 0) return known - 1;
    const row = this.keys.push(key) - 1;
    this.rowAfter[key] = row + 1;
    this.registrations.push('');
    this.typeDesignators.push('');
    this.descriptions.push('');
    this.operators.push('');
    this.years.push(0);
    this.flags.push(0);
    return row;
  }
}
