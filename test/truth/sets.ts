// The sets of the shared data with a truth.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from './values.ts';

export const decodeSets = [
  'rs1090_short_flights',
  'pymodes_sample_adsb',
  'pymodes_sample_commb_df20',
  'pymodes_sample_commb_df21',
  'twuillemin_example1',
  'twuillemin_example2',
] as const;

export const stateSets = ['rs1090_short_flights'] as const;

export interface TruthRow {
  readonly i: number;
  readonly df: number;
  readonly frame: string;
  readonly agreed: Fields;
  readonly disputed: Readonly<Record<string, Fields>>;
}

/** Location of the shared data: `../shared/data` beside the project, or `SQUITTER_SHARED`. */
export class SharedData {
  private readonly folder: string;

  constructor(shared: string) {
    this.folder = join(shared, 'data');
  }

  get present(): boolean {
    return existsSync(this.folder);
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  text(...parts: string[]): string {
    return readFileSync(this.path(...parts), 'utf8');
  }

  /** Rows of a JSON-lines file. */
  rows<Row>(...parts: string[]): Row[] {
    return lines(this.text(...parts)).map((line) => JSON.parse(line) as Row);
  }
}

/** Lines that are not empty. */
export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
