// Flies simulated traffic in real time into the batcher.
import type { FrameTarget } from '../../pipeline/ingest/batcher.ts';
import type { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { rememberedStartUs, SIMULATION_SEED } from '../services/simulation-start.ts';

const STEP_MS = 20;
/** Behind by more than this (the machine slept), the time between is not flown. */
const BEHIND_US_MAX = 2_000_000;

export interface SimulationOptions {
  readonly aircraft: number;
  readonly dataDir: string;
  readonly receivers: ReceiverTable;
  readonly target: FrameTarget;
  readonly counters: Counters;
  readonly nowUs: () => number;
}

export interface Simulation {
  readonly aircraft: number;
  stop(): void;
}

/** Starts to fly; frames come every 20 ms until it is stopped. */
export function flySimulation({ aircraft, dataDir, receivers, target, counters, nowUs }: SimulationOptions): Simulation {
  const startUs = rememberedStartUs(dataDir, aircraft, nowUs());
  const traffic = createTraffic({ aircraft, seed: SIMULATION_SEED, startUs });
  let flownUs = startUs;
  const numbers = traffic.receivers.map(({ id }) => receivers.take(id));
  const step = (): void => {
    const now = nowUs();
    if (now - flownUs > BEHIND_US_MAX) traffic.skip(now);
    flownUs = now;
    let frames = 0;
    traffic.advance(now, (frame) => {
      frame.receiver = numbers[frame.receiver]!;
      target.add(frame);
      frames += 1;
    });
    counters.add('frames', frames);
  };
  const timer = setInterval(step, STEP_MS);
  return {
    aircraft,
    stop() {
      clearInterval(timer);
      for (const number of numbers) receivers.release(number);
    },
  };
}
