// Runs traffic in real time: every 20 ms it emits the frames since the previous step.
import type { Traffic } from './traffic.ts';

const STEP_MS = 20;
/** When it is late by more than this (the machine slept, or the consumer was held), the time in between is skipped. */
const BEHIND_US_MAX = 2_000_000;

export interface RealTimeFlight {
  readonly traffic: Traffic;
  readonly nowUs: () => number;
  readonly onFrame: Parameters<Traffic['advance']>[1];
  /** No step runs while this returns true. */
  readonly isHeld?: () => boolean;
  /** Called after the frames of a step. */
  readonly onStep?: (frames: number) => void;
}

/** Starts at the beginning of the traffic; returns the function that stops it. */
export function flyInRealTime({ traffic, nowUs, onFrame, isHeld = () => false, onStep = () => {} }: RealTimeFlight): () => void {
  let flownUs = traffic.startUs;
  const timer = setInterval(() => {
    if (isHeld()) return;
    const now = nowUs();
    if (now - flownUs > BEHIND_US_MAX) traffic.skip(now);
    flownUs = now;
    onStep(traffic.advance(now, onFrame));
  }, STEP_MS);
  return () => clearInterval(timer);
}
