// A data folder that fold version 1 wrote and was killed over: `test/fault/fixtures`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectDir } from './requirements.ts';
import { temporaryFolder } from './service.ts';

/** Frame records of each partition; version 1 committed all but the last. */
export const VERSION_1_RECORDS = 250;
export const VERSION_1_COMMITTED = 249;
/** Its newest tick, and the aircraft of the 15 s rule, whose address is in partition 1. */
export const VERSION_1_TICK_MS = 1_700_000_124_000;
export const RULE_AIRCRAFT = '4840d6';

/** A copy to work on. */
export function version1Data(): { path: string; remove: () => void } {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', join(projectDir, 'test/fault/fixtures/fold-version-1.tar.gz'), '-C', folder.path]);
  return folder;
}
