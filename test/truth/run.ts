// Entry of `npm run verify:truth`: compares decode and fold with the truth of the shared data. Exit status 1 on a difference without a
// listed cause.
import { SharedData } from './sets.ts';
import { verdictText, verifyTruth } from './verify-truth.ts';

const shared = process.env['SQUITTER_SHARED'] ?? '../shared';
const data = new SharedData(shared);
if (data.present) {
  const verdict = await verifyTruth(data);
  process.stdout.write(verdictText(verdict));
  process.exitCode = verdict.passed ? 0 : 1;
} else {
  process.stderr.write(`verify:truth: ${data.path()} is missing: put the shared data there, or set SQUITTER_SHARED to their folder\n`);
  process.exitCode = 2;
}
