// Data of older fold versions, which were killed while they wrote: data folders (`test/fault/fixtures`).
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { open } from 'lmdb';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import type { SchemaRow } from '../../pipeline/log/lmdb/rows.ts';
import { topics } from '../../schemas/topics.ts';
import { projectDir } from './requirements.ts';
import { temporaryFolder } from './service.ts';

/** Frame records of each partition; version 1 committed all but the last. */
export const VERSION_1_RECORDS = 250;
export const VERSION_1_COMMITTED = 249;
/** The newest tick of version 1, and the aircraft of the 15 s rule, whose address is in partition 1. */
export const VERSION_1_TICK_MS = 1_700_000_124_000;
export const RULE_AIRCRAFT = '4840d6';

/**
 * A copy to work on. Version 2 wrote the same frames, as many records and the same offsets. Both knew another value of the feeders topic, which no
 * release had and no record has: its schema is removed.
 */
export function oldData(version: 1 | 2): { path: string; remove: () => void } {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', join(projectDir, `test/fault/fixtures/fold-version-${version}.tar.gz`), '-C', folder.path]);
  const root = open({ path: join(folder.path, 'log/index'), noSubdir: false, maxDbs: 8 });
  const encoded: object = { encoder: rowEncoder(folder.path) };
  const schemas = root.openDB<SchemaRow, number>({ name: 'schemas', keyEncoding: 'uint32', ...encoded });
  for (const { key, value } of [...schemas.getRange()]) if (value.subject === `${topics.feeders.name}-value`) schemas.removeSync(key);
  void root.close();
  return folder;
}

export const version1Data = (): { path: string; remove: () => void } => oldData(1);
