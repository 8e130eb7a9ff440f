// Reviewed causes of differences between our values and the reference, one entry per cause. The run fails on a difference without an entry,
// and on an entry without a difference.

export interface Difference {
  readonly set: string;
  /** Row of the set, or aircraft and time: `acf4e8 at 1753827839.326`. */
  readonly row: number | string;
  readonly field: string;
  /** undefined: missing. */
  readonly ours: unknown;
  /** undefined: nothing was expected. */
  readonly truth: unknown;
}

interface Cause {
  readonly set: string;
  /** Rows as named in the differences. */
  readonly rows: readonly (number | string)[];
  readonly fields: readonly string[];
  /** The cause, and who is at fault. */
  readonly cause: string;
  /** Evidence: the paragraph or the recording. */
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
    cause: "the recording of readsb's responses ends 2 ms after this frame, before readsb printed the position",
    source: 'the truth of row 484, for which the references agree on this position; the last frame, row 485, comes 2 ms later',
  },
  {
    set: 'twuillemin_example2',
    rows: [892],
    fields: ['tc'],
    cause: 'DF 18 with CF 3: a coarse TIS-B message has no type code; the references read one as if it were ADS-B',
    source: 'DO-260B §2.2.17.3.5 (coarse TIS-B airborne position)',
  },
];
