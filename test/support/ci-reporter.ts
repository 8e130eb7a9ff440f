// What CI wants to know of a run and the runner does not say: why a test had to be tried again, and, for the closing lines of .ci/run, all that failed.
// Errors outside of tests count: they end a run in which every test passed.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** Lines of an error outside of tests: its message and where it comes from. */
const STACK_LINES_MAX = 12;

function textOf({ name, message, stack = '' }: SerializedError): string {
  return [`error outside of a test: ${name}: ${message}`, ...stack.split('\n').slice(0, STACK_LINES_MAX)].join('\n');
}

export default class CiReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    for (const { message } of test.result().errors ?? []) process.stdout.write(`passed when tried again: ${test.fullName}: ${message}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const lines = modules.flatMap((module) => [
      ...module.errors().map(({ message }) => `${relative('', module.moduleId)}: ${message}`),
      ...[...module.children.allTests('failed')].map(
        (test) => `${relative('', module.moduleId)}: ${test.fullName}: ${test.result().errors?.[0]?.message}`,
      ),
    ]);
    lines.push(...errors.map(textOf));
    const { FAILURES_FILE } = process.env;
    if (FAILURES_FILE !== undefined && lines.length > 0) appendFileSync(FAILURES_FILE, `${lines.join('\n')}\n`);
  }
}
