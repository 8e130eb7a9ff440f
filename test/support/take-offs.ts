// Simulated traffic in which several aircraft take off within a few seconds, for tests that cannot wait for one.
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { type Slice, simulatedSlices } from './feeder.ts';

const AIRCRAFT = 300;
const SEEDS = 200;
const START_US = 1_700_000_000_000_000;

export interface TakeOffs {
  readonly slices: readonly Slice[];
  /** How many leave the ground between 5 and 12 s. */
  readonly count: number;
}

/** The seed with the most take-offs among those tried. */
export async function trafficWithTakeOffs(seconds: number): Promise<TakeOffs> {
  let best = { seed: 1, count: -1 };
  for (let seed = 1; seed <= SEEDS && best.count < 3; seed += 1) {
    const traffic = createTraffic({ aircraft: AIRCRAFT, seed, startUs: START_US });
    const isOnGround = (i: number, second: number): boolean => traffic.truth(i, START_US + second * 1e6).onGround;
    const count = traffic.fleet.filter((_, i) => isOnGround(i, 5) && !isOnGround(i, 12)).length;
    if (count > best.count) best = { seed, count };
  }
  return { slices: await simulatedSlices(AIRCRAFT, seconds, best.seed), count: best.count };
}
