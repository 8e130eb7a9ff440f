// The clock that gives frames their receive time: microseconds since the Unix epoch that never go back. It is the wall clock wherever that is not
// earlier than what was told before, or than what the log holds. Where it is, event time advances at half speed until the wall clock has caught up:
// the picture keeps moving, and the difference ends by itself, after twice its length.
// Node's wall clock has milliseconds only; the performance counter carries it between, and is set anew when the two drift apart.

/** Beyond this difference the performance counter is set anew. */
const DRIFT_MS_MAX = 50;
/** From this difference on the wall clock was set, or the machine slept; below it is being corrected slowly. */
const STEP_MS_MIN = 500;
/** How fast event time advances while the wall clock is behind it. */
const CATCH_UP_SPEED = 0.5;

export interface TimeSources {
  /** Wall clock, ms since the Unix epoch. */
  readonly wallMs: () => number;
  /** A steady counter, ms with decimals. */
  readonly steadyMs: () => number;
}

export interface ClockStep {
  /** By how much the wall clock was set forward, below 0 back, ms. */
  readonly byMs: number;
  /** What event time is ahead of the wall clock since then, ms. */
  readonly aheadMs: number;
}

export interface EventClock {
  /** Whole µs since the Unix epoch, never less than before. */
  readonly nowUs: () => number;
  /** Event time less wall clock, ms; 0 unless the wall clock is behind. */
  aheadMs(): number;
  /** Goes on from this event time where it is later than the present one. */
  reach(eventMs: number): void;
}

export const systemSources: TimeSources = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** `onStep` is called once at each step of the wall clock. */
export function createEventClock(sources: TimeSources = systemSources, onStep: (step: ClockStep) => void = () => {}): EventClock {
  let offsetMs = sources.wallMs() - sources.steadyMs();
  let lastUs = 0;
  let lastSteadyMs = sources.steadyMs();
  /** While the wall clock is behind: where event time goes on from, and when by the steady counter. */
  let from: { readonly eventMs: number; readonly steadyMs: number } | null = null;

  const nowUs = (): number => {
    const steadyMs = sources.steadyMs();
    const driftMs = sources.wallMs() - steadyMs - offsetMs;
    if (Math.abs(driftMs) > DRIFT_MS_MAX) offsetMs += driftMs;
    const wallUs = Math.floor((steadyMs + offsetMs) * 1000);
    if (wallUs >= lastUs) {
      from = null;
      lastUs = wallUs;
    } else {
      from ??= { eventMs: lastUs / 1000, steadyMs: lastSteadyMs };
      lastUs = Math.max(lastUs, wallUs, Math.floor((from.eventMs + (steadyMs - from.steadyMs) * CATCH_UP_SPEED) * 1000));
    }
    lastSteadyMs = steadyMs;
    if (Math.abs(driftMs) >= STEP_MS_MIN) onStep({ byMs: driftMs, aheadMs: (lastUs - wallUs) / 1000 });
    return lastUs;
  };
  return {
    nowUs,
    aheadMs: () => Math.max(0, nowUs() / 1000 - (sources.steadyMs() + offsetMs)),
    reach(eventMs) {
      if (eventMs * 1000 <= nowUs()) return;
      lastUs = Math.ceil(eventMs * 1000);
      from = { eventMs, steadyMs: lastSteadyMs };
    },
  };
}
