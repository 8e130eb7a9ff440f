// For CI: one line of counts at the end of each run, and everything that must not be, in the files that .ci/run reads. That is failed tests, errors
// outside of tests, which end a run in which every test passed, and skipped tests: only sets that the repository's licence excludes may be skipped.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { SHARED_ONLY } from './requirements.ts';

/** Lines of an error outside of tests: its message and where it comes from. */
const STACK_LINES_MAX = 12;

function textOf({ name, message, stack = '' }: SerializedError): string {
  return [`error outside of a test: ${name}: ${message}`, ...stack.split('\n').slice(0, STACK_LINES_MAX)].join('\n');
}

export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = (state: 'passed' | 'failed' | 'skipped') =>
      modules.flatMap((module) => [...module.children.allTests(state)].map((test) => ({ module, test })));
    const [passed, failed] = [tests('passed'), tests('failed')];
    const skipped = tests('skipped').filter(({ test }) => !test.fullName.includes(SHARED_ONLY));
    const lines = [
      ...modules.flatMap((module) => module.errors().map(({ message }) => `${relative('', module.moduleId)}: ${message}`)),
      ...failed.map(({ module, test }) => `${relative('', module.moduleId)}: ${test.fullName}: ${test.result().errors?.[0]?.message}`),
      ...skipped.map(({ module, test }) => `${relative('', module.moduleId)}: skipped: ${test.fullName}`),
      ...errors.map(textOf),
    ];
    process.stdout.write(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped\n`);
    const { FAILURES_FILE } = process.env;
    if (FAILURES_FILE !== undefined && lines.length > 0) appendFileSync(FAILURES_FILE, `${lines.join('\n')}\n`);
  }
}
