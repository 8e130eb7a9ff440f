// `npm run verify:simulated`: the simulator knows what every aircraft flew and sent, so each value of our fold is right, explained or wrong.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { edgeAirports } from './edges.ts';
import { reportOf, type TruthReport } from './report.ts';
import { runTruth, type TruthScenario } from './scenario.ts';
import { TruthTally } from './tally.ts';

export interface TruthOptions {
  readonly aircraft: number;
  readonly minutes: number;
  readonly seeds: readonly number[];
}

/** Share of the traffic that flies between real airports; the rest flies where coordinates are difficult. */
const USUAL_SHARE = 0.6;
/** A bad day: 3 % of the receptions have one wrong bit, 2 % have more, 10 % come twice, networks delay by up to 30 ms. */
export const truthChannel = { oneBitShare: 0.03, moreBitsShare: 0.02, repeatShare: 0.1, delayMsMax: 30, multilateration: true };

/**
 * Folds simulated traffic and compares it with the truth. `onProgress` gets the seconds done, their total and the frames; returning false
 * stops.
 */
export async function verifyAgainstTruth(
  options: TruthOptions,
  onProgress: (done: number, total: number, frames: number) => boolean,
): Promise<TruthReport> {
  const tally = new TruthTally();
  const scenarios = scenariosOf(options);
  const total = scenarios.reduce((sum, { seconds }) => sum + seconds, 0);
  let done = 0;
  for (const scenario of scenarios) {
    await runTruth(scenario, tally, async () => {
      await nextTurn();
      done += 1;
      return onProgress(done, total, tally.frames);
    });
  }
  return reportOf(options, tally);
}

function scenariosOf({ aircraft, minutes, seeds }: TruthOptions): TruthScenario[] {
  const seconds = Math.ceil(minutes * 60);
  const usual = Math.ceil(aircraft * USUAL_SHARE);
  return seeds.flatMap((seed) => [
    { aircraft: usual, seconds, seed, channel: truthChannel },
    ...(aircraft > usual ? [{ aircraft: aircraft - usual, seconds, seed, sites: edgeAirports, channel: truthChannel }] : []),
  ]);
}
