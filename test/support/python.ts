// The Python environment of the tests: one for all, made by python-env.sh.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, type Requirement, requirement } from './requirements.ts';

/** The interpreter that has the packages of python-packages.txt. */
export function pythonPackages(): Requirement & { readonly path: string } {
  const packages = readFileSync(join(projectDir, 'test/support/python-packages.txt'));
  const folder = join(projectDir, '.cache', `python-${createHash('sha256').update(packages).digest('hex').slice(0, 16)}`);
  const reason = 'skipped: no Python packages (Debian: apt-get install python3-venv; then test/support/python-env.sh)';
  return { ...requirement(existsSync(join(folder, 'whole')), reason), path: join(folder, 'bin', 'python') };
}
