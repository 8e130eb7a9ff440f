// Simulated traffic in which several aircraft take off within a few seconds, for tests that cannot wait for one.
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { type Slice, simulatedSlices } from './feeder.ts';

const AIRCRAFT = 300;
/** This seed has enough take-offs. Others are tried if the simulator changes. */
const SEED_FIRST = 57;
const SEEDS = 200;
const START_US = 1_700_000_000_000_000;

export interface TakeOffs {
  readonly slices: Iterable<Slice>;
  /** How many leave the ground between 5 and 12 s. */
  readonly count: number;
}

/** The seed with the most take-offs among those tried. */
export function trafficWithTakeOffs(seconds: number): TakeOffs {
  let best = { seed: SEED_FIRST, count: -1 };
  for (let seed = SEED_FIRST; seed < SEED_FIRST + SEEDS && best.count < 3; seed += 1) {
    const traffic = createTraffic({ aircraft: AIRCRAFT, seed, startUs: START_US });
    const isOnGround = (i: number, second: number): boolean => traffic.truth(i, START_US + second * 1e6).onGround;
    const count = traffic.fleet.filter((_, i) => isOnGround(i, 5) && !isOnGround(i, 12)).length;
    if (count > best.count) best = { seed, count };
  }
  return { slices: simulatedSlices(AIRCRAFT, seconds, best.seed), count: best.count };
}
