// Simulates traffic in real time and feeds it to the batcher.
import type { FrameTarget } from '../../pipeline/ingest/batcher.ts';
import type { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { Counters } from '../../pipeline/runtime/counters.ts';
import { flyInRealTime } from '../../pipeline/simulate/real-time.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { startPlanFiling } from '../services/plan-filing.ts';
import { rememberedStartUs, SIMULATION_SEED } from '../services/simulation-start.ts';

export interface SimulationOptions {
  readonly aircraft: number;
  readonly dataDir: string;
  readonly receivers: ReceiverTable;
  readonly target: FrameTarget;
  readonly counters: Counters;
  readonly nowUs: () => number;
  /** The log for the flight plans. */
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly onError: (error: unknown) => void;
}

export interface Simulation {
  readonly aircraft: number;
  /** Resolves when all flight plans are in the log. */
  stop(): Promise<void>;
}

/** Starts the simulation, which gives frames every 20 ms until it is stopped. */
export function flySimulation(options: SimulationOptions): Simulation {
  const { aircraft, dataDir, receivers, target, counters, nowUs, log, codecs, onError } = options;
  const startUs = rememberedStartUs(dataDir, aircraft, nowUs());
  const traffic = createTraffic({ aircraft, seed: SIMULATION_SEED, startUs });
  const filing = startPlanFiling({ log, codecs, traffic, nowUs, onError });
  const numbers = traffic.receivers.map(({ id }) => receivers.acquire(id));
  const stopFlying = flyInRealTime({
    traffic,
    nowUs,
    isHeld: () => target.congested,
    onFrame(frame) {
      frame.receiver = numbers[frame.receiver]!;
      target.add(frame);
    },
    onStep: (frames) => counters.add('frames', frames),
  });
  return {
    aircraft,
    async stop() {
      stopFlying();
      for (const number of numbers) receivers.release(number);
      await filing.stop();
    },
  };
}
