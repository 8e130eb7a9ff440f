// A row of the history of a feeder: five minutes in which it was heard.

export const FEEDER_ROW_MS = 300_000;

export interface FeederHistoryRow {
  /** Their start, ms since the Unix epoch. */
  readonly timeMs: number;
  readonly frames: number;
  readonly positions: number;
  readonly disagreements: number;
  /** The most in one of the minutes. */
  readonly aircraft: number;
  /** Mean of the minutes, weighted by their frames; dBFS times 10, null without any. */
  readonly signalDecidb: number | null;
  /** Greatest range of the minutes in 16 directions, north first, clockwise; 0 without any. */
  readonly rangeNm: readonly number[];
}
