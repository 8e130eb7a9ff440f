// The sets with a truth: those of the shared data, or the part of them in the repository.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fields } from './values.ts';

const decodeSets = [
  'rs1090_short_flights',
  'pymodes_sample_adsb',
  'pymodes_sample_commb_df20',
  'pymodes_sample_commb_df21',
  'twuillemin_example1',
  'twuillemin_example2',
] as const;

const stateSets = ['rs1090_short_flights'] as const;

export interface TruthRow {
  readonly i: number;
  readonly df: number;
  readonly agreed: Fields;
}

/** The sets that may be published: part of the repository, in the same layout. */
const OWN_FOLDER = join('test', 'golden', 'sets');

/** A folder with `frames` and `truth`. A set without files there is left out. */
export class TruthData {
  readonly folder: string;
  readonly decodeSets: readonly string[];
  readonly stateSets: readonly string[];

  constructor(folder: string) {
    this.folder = folder;
    this.decodeSets = decodeSets.filter((set) => existsSync(this.path('truth', `${set}.jsonl`)));
    this.stateSets = stateSets.filter((set) => existsSync(this.path('truth', `${set}.readsb-aircraft.jsonl`)));
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Rows of a JSON-lines file. */
  rows<Row>(...parts: string[]): Row[] {
    const lines = readFileSync(this.path(...parts), 'utf8')
      .trim()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as Row);
  }
}

/** The shared data in `shared`, by default `../shared`; without one there, the sets of the repository. null if `shared` is given and has none. */
export function truthData(shared: string | undefined): TruthData | null {
  const folder = join(shared ?? '../shared', 'data');
  if (existsSync(folder)) return new TruthData(folder);
  return shared === undefined ? new TruthData(OWN_FOLDER) : null;
}

/** One line: which sets are compared. */
export function sourceText({ folder, decodeSets: found }: TruthData): string {
  const missing = found.length === decodeSets.length ? '' : '; the others are not in the repository';
  return `truth: ${found.length} of ${decodeSets.length} sets, from ${folder}${missing}`;
}
