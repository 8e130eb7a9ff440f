// The daily files of the embedded service: each closed day is exported by a program of its own, from the store, or from the log where there is no history.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import { InProcessScheduler } from '../../exporters/jobs/in-process.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Closer } from '../services/closing.ts';
import { afterExport, startDailyFiles } from '../services/history/daily-files.ts';
import { logStages } from '../services/history/export-stages.ts';
import { bulkFolder } from '../services/options/export-options.ts';
import { objectStoreAddress } from '../services/options/object-store-options.ts';
import type { StartValues } from './start-options.ts';

export interface DailyFilesParts {
  readonly log: EventLog;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
  readonly hasHistory: boolean;
}

const GIB = 2 ** 30;
const program = fileURLToPath(programFile('infra/cli/squitter'));

/** Why there will be no daily files; null if nothing is missing. */
export function noDailyFiles({ bulkGib }: Pick<StartValues, 'bulkGib'>): string | null {
  if (bulkGib === 0) return 'none (--bulk-gib 0)';
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api');
    return null;
  } catch {
    return 'none: DuckDB is not installed';
  }
}

export async function publishDays(
  options: Pick<StartValues, 'data' | 'bulkGib' | 'licence' | 'attribution'> & Parameters<typeof objectStoreAddress>[0],
  { log, registry, logger, readiness, hasHistory }: DailyFilesParts,
  closers: Closer[],
): Promise<void> {
  const { data: dataDir, bulkGib, licence, attribution } = options;
  if (bulkGib === 0) return;
  const outDir = bulkFolder(dataDir);
  const files = await startDailyFiles(
    {
      ...{ log, outDir, registry, logger, catalog: new Catalog(outDir) },
      command: (day) => [
        ...([process.execPath, program, 'export', '--day', day, '--data', dataDir, '--out', outDir, '--licence', licence] as [
          string,
          ...string[],
        ]),
        ...['--attribution', attribution, ...(hasHistory ? [] : ['--rebuild'])],
      ],
      stages: logStages,
      onExported: afterExport({ outDir, bytesMax: bulkGib * GIB, objectStore: objectStoreAddress(options), logger }),
      open: (options) => new InProcessScheduler(join(dataDir, 'jobs'), options),
    },
    closers,
  );
  // Live data do not depend on it, and a day that failed is tried again.
  readiness.warn('export', files.problem);
}
