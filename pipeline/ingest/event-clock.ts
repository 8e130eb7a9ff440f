// Clock for the receive time of frames: microseconds since the Unix epoch, monotonic. It follows the wall clock. While the wall clock is behind the
// last time returned, or behind the newest time in the log, event time advances at half speed until the wall clock has caught up. The picture keeps
// moving, and the difference is gone after twice its length.
// Node's wall clock has only milliseconds. The performance counter interpolates between them, and is realigned when the two drift apart.

/** Difference beyond which the performance counter is realigned. */
const DRIFT_MS = 50;
/** From this difference on, the wall clock was set or the machine slept; smaller differences are slow corrections. */
const STEP_MS = 500;
/** Speed of event time while the wall clock is behind it. */
const CATCH_UP_SPEED = 0.5;

export interface TimeSources {
  /** Wall clock, ms since the Unix epoch. */
  readonly wallMs: () => number;
  /** A monotonic counter, ms with decimals. */
  readonly steadyMs: () => number;
}

export interface ClockStep {
  /** Step of the wall clock, ms; negative if it was set back. */
  readonly byMs: number;
  /** How far event time is ahead of the wall clock after the step, ms. */
  readonly aheadMs: number;
}

export interface EventClock {
  /** Whole µs since the Unix epoch, monotonic. */
  readonly nowUs: () => number;
  /** Event time minus wall clock, ms; 0 unless the wall clock is behind. */
  aheadMs(): number;
  /** Moves event time forward to this time; does nothing if it is not later. */
  advanceTo(eventMs: number): void;
}

export const systemSources: TimeSources = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** Calls `onStep` once for each step of the wall clock. */
export function createEventClock(sources: TimeSources = systemSources, onStep: (step: ClockStep) => void = () => {}): EventClock {
  let offsetMs = sources.wallMs() - sources.steadyMs();
  let lastUs = 0;
  let lastSteadyMs = sources.steadyMs();
  /** While the wall clock is behind: the event time and steady time at which half speed began. */
  let from: { readonly eventMs: number; readonly steadyMs: number } | null = null;

  const nowUs = (): number => {
    const steadyMs = sources.steadyMs();
    const driftMs = sources.wallMs() - steadyMs - offsetMs;
    if (Math.abs(driftMs) > DRIFT_MS) offsetMs += driftMs;
    const wallUs = Math.floor((steadyMs + offsetMs) * 1000);
    if (wallUs >= lastUs) {
      from = null;
      lastUs = wallUs;
    } else {
      from ??= { eventMs: lastUs / 1000, steadyMs: lastSteadyMs };
      lastUs = Math.max(lastUs, wallUs, Math.floor((from.eventMs + (steadyMs - from.steadyMs) * CATCH_UP_SPEED) * 1000));
    }
    lastSteadyMs = steadyMs;
    if (Math.abs(driftMs) >= STEP_MS) onStep({ byMs: driftMs, aheadMs: (lastUs - wallUs) / 1000 });
    return lastUs;
  };
  return {
    nowUs,
    aheadMs: () => Math.max(0, nowUs() / 1000 - (sources.steadyMs() + offsetMs)),
    advanceTo(eventMs) {
      if (eventMs * 1000 <= nowUs()) return;
      lastUs = Math.ceil(eventMs * 1000);
      from = { eventMs, steadyMs: lastSteadyMs };
    },
  };
}
