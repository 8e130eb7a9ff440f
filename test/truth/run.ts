// Entry of `npm run verify:truth`: compares decode and fold with the truth of the shared data, or of the sets in the repository. Exit status 1 on a
// difference without a listed cause.
import { truthFolder, verifyTruth } from './verify-truth.ts';

const shared = process.env['SQUITTER_SHARED'];
const folder = truthFolder(shared);
if (folder !== null) {
  const truth = await verifyTruth(folder);
  process.stdout.write(truth.report());
  process.exitCode = truth.passed ? 0 : 1;
} else {
  process.stderr.write(`verify:truth: there is no folder data in SQUITTER_SHARED (${shared})\n`);
  process.exitCode = 2;
}
