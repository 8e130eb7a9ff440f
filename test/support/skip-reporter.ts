// Lists skipped tests with their reasons at the end of a run: the runner's own report only counts them.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const reason = reasonOf(test);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    for (const [reason, count] of reasons) process.stdout.write(`${count} ${reason}\n`);
  }
}

/** The title of a skippable suite ends with the reason, `skipped: …`; that of a test with its requirement. */
function reasonOf({ fullName }: TestCase): string {
  return /skipped: [^>]*/.exec(fullName)?.[0].trim() ?? `skipped: ${fullName}`;
}
