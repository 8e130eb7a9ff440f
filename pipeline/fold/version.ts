// The version of the fold's rules. Two folds of one version give the same records from the same state and frames; others may differ.
//
//   1  commit d8ce8ee and before: records and snapshots without a version
//   2  the 15 s of the source rule include the frame's time; 0° N 0° E is a position; in a full table an unconfirmed aircraft gives way;
//      a repeated position is stored as long as a new one
//   3  positions carry call sign, squawk and signal level; each feeder has a record
//   4  duplicates and refused messages have no part in the signal level
//
// Raise it once per release that changes the fold's output. The times of ticks must not change: a new version continues after the last tick of
// the old one. A new version starts at the committed offset, from the old version's newest snapshot and a silent replay by its own rules.
export const FOLD_VERSION = 4;

/** Of records and snapshots without a version. */
export const FOLD_VERSION_UNMARKED = 1;
