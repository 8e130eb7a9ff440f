// The version of the fold's rules. Two folds of one version give the same records from the same state and frames; others may differ.
//
//   1  commit d8ce8ee and before: records and snapshots without a version
//   2  the 15 s of the source rule count to the frame's time; 0° N 0° E is a place; in a full table an aircraft that is not confirmed gives way
//      a position that is said again is remembered as long as a new one
//
// Raise it once a release that changes what the fold gives. The times of ticks must not change: a new version goes on after the last tick of
// the old one. A new version starts at the committed offset, from the old version's newest snapshot and a silent replay by its own rules.
export const FOLD_VERSION = 2;

/** Of records and snapshots that carry none. */
export const FOLD_VERSION_UNMARKED = 1;
