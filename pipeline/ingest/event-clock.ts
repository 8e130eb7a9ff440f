// The clock that gives frames their receive time: microseconds since the Unix epoch that never go back while the process runs.
// Node's wall clock has milliseconds only; the performance counter carries it between, and is set anew when the two drift apart.

/** Beyond this difference the wall clock was set, or the machine slept. */
const DRIFT_MS_MAX = 50;

export interface TimeSources {
  /** Wall clock, ms since the Unix epoch. */
  readonly wallMs: () => number;
  /** A steady counter, ms with decimals. */
  readonly steadyMs: () => number;
}

const systemSources: TimeSources = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** A function that tells the time in whole µs since the Unix epoch, never less than before: while the wall clock is set back it stands still. */
export function createEventClock(sources: TimeSources = systemSources): () => number {
  let offsetMs = sources.wallMs() - sources.steadyMs();
  let lastUs = 0;
  return () => {
    const steadyMs = sources.steadyMs();
    const wallMs = sources.wallMs();
    if (Math.abs(wallMs - steadyMs - offsetMs) > DRIFT_MS_MAX) offsetMs = wallMs - steadyMs;
    lastUs = Math.max(lastUs, Math.floor((steadyMs + offsetMs) * 1000));
    return lastUs;
  };
}
