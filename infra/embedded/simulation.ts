// Flies simulated traffic in real time into the batcher.
import type { FrameTarget } from '../../pipeline/ingest/batcher.ts';
import type { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

const STEP_MS = 20;
const SEED = 1;

export interface SimulationOptions {
  readonly aircraft: number;
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
export function flySimulation({ aircraft, receivers, target, counters, nowUs }: SimulationOptions): Simulation {
  const traffic = createTraffic({ aircraft, seed: SEED, startUs: nowUs() });
  const numbers = traffic.receivers.map(({ id }) => receivers.take(id));
  const timer = setInterval(() => {
    let frames = 0;
    traffic.advance(nowUs(), (frame) => {
      frame.receiver = numbers[frame.receiver]!;
      target.add(frame);
      frames += 1;
    });
    counters.add('frames', frames);
  }, STEP_MS);
  return {
    aircraft,
    stop() {
      clearInterval(timer);
      for (const number of numbers) receivers.release(number);
    },
  };
}
