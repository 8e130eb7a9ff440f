// Why a value of ours is not the reference's: reviewed by hand, one entry per cause. A difference that no entry names fails the run, and so
// does an entry that no difference needs any more.
import type { Difference } from './tally.ts';

export interface Cause {
  readonly set: string;
  /** Rows as the differences name them. */
  readonly rows: readonly (number | string)[];
  readonly fields: readonly string[];
  /** What is so, and whose fault it is. */
  readonly cause: string;
  /** The paragraph or the recording that shows it. */
  readonly source: string;
}

export const causes: readonly Cause[] = [
  {
    set: 'rs1090_short_flights',
    rows: ['acf4e8 at 1753827839.326'],
    fields: ['baro_rate', 'messages'],
    cause: 'readsb printed this object after it had folded the next frame, 1 ms later: both values are those of that frame',
    source: 'the frames: row 462 (…839.326) is the position, row 463 (…839.327) the velocity with 2688 ft/min; DO-260B §2.2.3.2.6.1.10',
  },
  {
    set: 'rs1090_short_flights',
    rows: ['acf4e8 at 1753827846.401'],
    fields: ['position'],
    cause: "the recording of readsb's answers ends 2 ms after this frame, before readsb printed the position",
    source: 'the truth of row 484, of which the references agree on this place; the last frame, row 485, comes 2 ms later',
  },
  {
    set: 'twuillemin_example2',
    rows: [892],
    fields: ['tc'],
    cause: 'DF 18 with CF 3: a coarse TIS-B message has no type code; the references read one as if it were ADS-B',
    source: 'DO-260B §2.2.17.3.5 (coarse TIS-B airborne position)',
  },
];

/** Rows and fields of the causes that none of the differences needs. */
export function unusedCauses(differences: readonly Difference[]): string[] {
  const needed = new Set(differences.map(({ set, row, field }) => `${set} ${row} ${field}`));
  const listed = causes.flatMap(({ set, rows, fields }) => rows.flatMap((row) => fields.map((field) => `${set} ${row} ${field}`)));
  return listed.filter((entry) => !needed.has(entry));
}

/** The cause of a difference; undefined where none is listed. */
export function causeOf(difference: Difference): Cause | undefined {
  return causes.find(
    ({ set, rows, fields }) => set === difference.set && rows.includes(difference.row) && fields.includes(difference.field),
  );
}
