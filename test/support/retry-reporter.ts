// Says why a test had to be tried again: the runner shows the errors of those that failed in the end only.
import type { Reporter, TestCase } from 'vitest/node';

export default class RetryReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    for (const { message } of test.result().errors ?? []) process.stdout.write(`passed when tried again: ${test.fullName}: ${message}\n`);
  }
}
