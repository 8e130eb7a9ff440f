// Flies simulated traffic in real time into the batcher. What flies is kept in the data folder: after a restart every flight is where it
// would have been, instead of jumping across the map.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameTarget } from '../../pipeline/ingest/batcher.ts';
import type { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

const STEP_MS = 20;
const SEED = 1;
/** Behind by more than this (the machine slept), the time between is not flown. */
const BEHIND_US_MAX = 2_000_000;
/** A simulation older than this begins anew: finding its present takes a look at every flight since. */
const KEEP_US_MAX = 7 * 86_400_000_000;

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
  const traffic = createTraffic({ aircraft, seed: SEED, startUs });
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

/** When the simulation in this data folder began: now, unless the same number of aircraft flies on. */
function rememberedStartUs(dataDir: string, aircraft: number, nowUs: number): number {
  const file = join(dataDir, 'simulation.json');
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { aircraft?: unknown; seed?: unknown; startUs?: unknown };
    const { startUs } = saved;
    const same = saved.aircraft === aircraft && saved.seed === SEED && typeof startUs === 'number';
    if (same && startUs <= nowUs && nowUs - startUs < KEEP_US_MAX) return startUs;
  } catch {
    // There is none, or it is not readable: then a new one begins.
  }
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ aircraft, seed: SEED, startUs: nowUs })}\n`);
  return nowUs;
}
