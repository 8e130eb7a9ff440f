// Global setup of the tests: builds what they import (vitest.config.ts), also before each run of the watch mode.
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { projectDir } from './requirements.ts';

const build = (): void =>
  void execFileSync(process.execPath, ['build.js', '--if-changed'], { cwd: projectDir, stdio: ['ignore', 'ignore', 'inherit'] });

export default function setup(project: TestProject): void {
  build();
  project.onTestsRerun(build);
}
