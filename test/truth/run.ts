// Entry of `npm run verify:truth`: decode and fold against the truth of the shared data. Exit status 1 on a difference without a listed cause.
import { SharedData } from './sets.ts';
import { verdictText, verifyTruth } from './verify-truth.ts';

const shared = process.env['SQUITTER_SHARED'] ?? '../shared';
const data = new SharedData(shared);
if (data.present) {
  const verdict = await verifyTruth(data);
  process.stdout.write(verdictText(verdict));
  process.exitCode = verdict.passed ? 0 : 1;
} else {
  process.stderr.write(`verify:truth: there is no ${data.path()}: put the shared data there, or name their folder in SQUITTER_SHARED\n`);
  process.exitCode = 2;
}
