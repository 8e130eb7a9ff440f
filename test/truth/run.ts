// Entry of `npm run verify:truth`: compares decode and fold with the truth of the shared data, or of the sets in the repository. Exit status 1 on a
// difference without a listed cause.
import { sourceText, truthData } from './sets.ts';
import { verdictText, verifyTruth } from './verify-truth.ts';

const shared = process.env['SQUITTER_SHARED'];
const data = truthData(shared);
if (data !== null) {
  process.stdout.write(`${sourceText(data)}\n\n`);
  const verdict = await verifyTruth(data);
  process.stdout.write(verdictText(verdict));
  process.exitCode = verdict.passed ? 0 : 1;
} else {
  process.stderr.write(`verify:truth: there is no folder data in SQUITTER_SHARED (${shared})\n`);
  process.exitCode = 2;
}
