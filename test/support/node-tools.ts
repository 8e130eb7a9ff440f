// npm packages that tests run as programs and that do not fit into our lock file, each set in its own folder under .cache.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, type Requirement, requirement } from './requirements.ts';

const INSTALL_MS_MAX = 180_000;

/**
 * A folder whose node_modules has these packages (`name@version`). The requirement is not met if they cannot be installed.
 * Only one test file may use a set.
 */
export function nodeToolsWith(...packages: readonly string[]): Requirement & { readonly path: string } {
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 16);
  const path = join(projectDir, '.cache', `node-${hash}`);
  const whole = join(path, 'whole');
  if (!existsSync(whole)) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), '{"private":true}\n');
    try {
      const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', '--loglevel=error', ...packages];
      execFileSync('npm', args, { cwd: path, stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS_MAX });
    } catch (error) {
      const output = String((error as { stderr?: Buffer }).stderr ?? error)
        .trim()
        .split('\n')[0];
      return { ...requirement(false, `skipped: npm cannot install ${packages.join(', ')}: ${output}`), path };
    }
    writeFileSync(whole, '');
  }
  return { ...requirement(true, ''), path };
}
