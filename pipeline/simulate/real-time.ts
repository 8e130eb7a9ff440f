// Flies traffic by the clock: every 20 ms the frames of the time since.
import type { Traffic } from './traffic.ts';

const STEP_MS = 20;
/** Behind by more than this (the machine slept, nobody took anything), the time between is not flown. */
const BEHIND_US_MAX = 2_000_000;

export interface RealTimeFlight {
  readonly traffic: Traffic;
  readonly nowUs: () => number;
  readonly onFrame: Parameters<Traffic['advance']>[1];
  /** While it holds nothing is flown. */
  readonly isHeld?: () => boolean;
  /** After the frames of a step. */
  readonly onStep?: (frames: number) => void;
}

/** Starts to fly from where the traffic begins; gives the function that stops it. */
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
