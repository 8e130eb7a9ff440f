// At the end of a run: skipped tests with their reasons, and a line of counts. For CI also everything that must not be, in the file that .ci/run reads:
// failed tests, errors outside of tests, which end a run in which every test passed, and skipped tests: only sets that the repository's licence excludes
// may be skipped.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { SHARED_ONLY } from './requirements.ts';

/** Lines of an error outside of tests: its message and where it comes from. */
const STACK_LINES_MAX = 12;

function textOf({ name, message, stack = '' }: SerializedError): string {
  return [`error outside of a test: ${name}: ${message}`, ...stack.split('\n').slice(0, STACK_LINES_MAX)].join('\n');
}

/** The title of a skippable suite ends with the reason, `skipped: …`; that of a test with its requirement. */
function reasonOf({ fullName }: TestCase): string {
  return /skipped: [^>]*/.exec(fullName)?.[0].trim() ?? `skipped: ${fullName}`;
}

export default class EndReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = (state: 'passed' | 'failed' | 'skipped') => modules.flatMap((module) => [...module.children.allTests(state)]);
    const [passed, failed, skipped] = [tests('passed'), tests('failed'), tests('skipped')];
    const reasons = new Map<string, number>();
    for (const reason of skipped.map(reasonOf)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    for (const [reason, count] of reasons) process.stdout.write(`${count} ${reason}\n`);
    const missed = skipped.filter(({ fullName }) => !fullName.includes(SHARED_ONLY));
    process.stdout.write(`${passed.length} passed, ${failed.length} failed, ${missed.length} skipped\n`);
    const titleOf = ({ module, fullName }: TestCase, what = ''): string => `${relative('', module.moduleId)}: ${what}${fullName}`;
    const lines = [
      ...modules.flatMap((module) => module.errors().map(({ message }) => `${relative('', module.moduleId)}: ${message}`)),
      ...failed.map((test) => `${titleOf(test)}: ${test.result().errors?.[0]?.message}`),
      ...missed.map((test) => titleOf(test, 'skipped: ')),
      ...errors.map(textOf),
    ];
    const { FAILURES_FILE } = process.env;
    if (FAILURES_FILE !== undefined && lines.length > 0) appendFileSync(FAILURES_FILE, `${lines.join('\n')}\n`);
  }
}
