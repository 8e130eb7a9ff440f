// Files of the project as git has them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './requirements.ts';

/** Tracked and new files that match patterns of git; all without a pattern. */
export function projectFiles(...patterns: readonly string[]): string[] {
  const flags = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', [...flags, ...patterns], { encoding: 'utf8', cwd: projectDir }).split('\n');
  return listed.filter((file) => file !== '' && existsSync(join(projectDir, file)));
}
