// `npm run verify:simulated`: our fold compared with what simulated aircraft flew and sent.
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../../pipeline/runtime/command.ts';
import { integerBetween, numberBetween } from '../../../pipeline/runtime/options.ts';
import { createProgress } from '../../../pipeline/runtime/progress.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { truthText } from './report.ts';
import { verifyAgainstTruth } from './verify.ts';

export const verifySimulatedCommand = defineCommand({
  name: 'verify:simulated',
  summary: 'compare our fold with what simulated aircraft flew and sent',
  words: '--',
  wordsMin: 0,
  wordsMax: 0,
  details: [
    'Simulated traffic is folded, and every field of every aircraft is compared each second with what was flown and sent.',
    'Exit status 0 when every difference has a documented reason, 1 otherwise, 2 for wrong usage.',
  ].join('\n'),
  examples: ['npm run verify:simulated', 'npm run verify:simulated -- --aircraft 500 --minutes 10 --seed 1 --seed 2'],
  options: {
    aircraft: {
      flag: 'aircraft',
      value: 'N',
      help: 'number of aircraft',
      fallback: 500,
      parse: integerBetween(1, limits.simulatedAircraftMax),
    },
    minutes: { flag: 'minutes', value: 'M', help: 'duration; fractions are allowed', fallback: 10, parse: numberBetween(0, 1440) },
    seed: {
      flag: 'seed',
      value: 'S',
      repeatable: true,
      help: 'seed of the traffic (1)',
      fallback: [] as number[],
      parse: integerBetween(0, 0xffff_ffff),
    },
    json: { flag: 'json', help: 'the report as one JSON object', fallback: false as boolean },
  },
  async run({ options: { aircraft, minutes, seed, json }, stdout, stderr, signal }) {
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const report = await verifyAgainstTruth({ aircraft, minutes, seeds: seed.length === 0 ? [1] : seed }, (done, total, frames) => {
      progress.update(done, total, frames);
      return !signal.aborted;
    });
    progress.end();
    stdout.write(json ? `${JSON.stringify(report)}\n` : truthText(report));
    return report.passed ? EXIT_DONE : EXIT_FAILED;
  },
});
