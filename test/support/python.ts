// Python packages for tests, each set in its own virtual environment under .cache; created once in about five seconds.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, type Requirement, requirement } from './requirements.ts';

/** Hundreds of megabytes, on a busy machine. */
const INSTALL_MS_MAX = 600_000;

/**
 * An interpreter with these packages (`name==version`). The requirement is not met if Python or the packages cannot be installed.
 * Only one test file may use a set: two would create the same environment at once.
 */
export function pythonWith(...packages: readonly string[]): Requirement & { readonly path: string } {
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16);
  const folder = join(projectDir, '.cache', `python-${hash}`);
  const path = join(folder, 'bin', 'python');
  const whole = join(folder, 'whole');
  if (!existsSync(whole)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    try {
      run('python3', '-m', 'venv', folder);
      run(path, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', ...packages);
    } catch (error) {
      const said = String((error as { stderr?: Buffer }).stderr ?? error)
        .trim()
        .split('\n')
        .at(-1);
      return {
        ...requirement(false, `skipped: no Python with ${packages.join(', ')} (Debian: apt-get install python3-venv): ${said}`),
        path,
      };
    }
    writeFileSync(whole, '');
  }
  return { ...requirement(true, ''), path };
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS_MAX });
}
