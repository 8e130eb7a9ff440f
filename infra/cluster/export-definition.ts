// The export service as a process: each closed day becomes daily files, from the history store. Any number of processes may run; with Redis one of them
// does the work of a day, and another one takes over when it dies.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Catalog } from '../../exporters/catalog/catalog.ts';
import { InProcessScheduler } from '../../exporters/jobs/in-process.ts';
import type { JobScheduler, SchedulerOptions } from '../../exporters/jobs/job-scheduler.ts';
import { type OptionTable, variablesOf } from '../../pipeline/runtime/options.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { afterExport, startDailyFiles } from '../services/history/daily-files.ts';
import { storeStages } from '../services/history/export-stages.ts';
import { objectStoreAddress } from '../services/options/object-store-options.ts';
import { type RedisValues, services } from './configuration.ts';
import { redisClientOptions } from './redis.ts';
import type { ServiceDefinition } from './service-process.ts';

const program = fileURLToPath(programFile('infra/cli/squitter'));
/** Hidden, so that no catalogue shows it. */
const JOBS_FOLDER = '.jobs';
const GIB = 2 ** 30;

export const exportDefinition: ServiceDefinition<'export'> = {
  name: 'export',
  async start({ options, env, logger, registry, readiness, closers, openCluster }) {
    const { log } = await openCluster();
    const outDir = options.out!;
    const open = await schedulerOf(options, join(outDir, JOBS_FOLDER));
    // The program has all options as variables: secrets have no flags. Its log is Kafka, whatever data folder the environment names.
    const { SQUITTER_DATA: _, ...inherited } = env;
    const files = await startDailyFiles(
      {
        ...{ log, outDir, registry, logger, open, catalog: new Catalog(outDir), stages: storeStages },
        command: (day) => [process.execPath, program, 'export', '--day', day],
        env: { ...inherited, ...variablesOf(services.export.options as OptionTable, options) },
        onExported: afterExport({ outDir, bytesMax: options.bulkGib * GIB, objectStore: objectStoreAddress(options), logger }),
      },
      closers,
    );
    // No other service depends on this one, and a day that failed is tried again.
    readiness.warn('export', files.problem);
    const scheduler = options.redis === null ? 'in process' : 'BullMQ';
    logger.info({ clickhouse: options.clickhouse, out: outDir, scheduler }, 'looking for closed days');
    // Only a stop ends it.
    return { ended: new Promise(() => {}) };
  },
};

/** BullMQ with Redis, else a timer whose state is in the folder of the files: then only one process may have the folder. */
async function schedulerOf(values: RedisValues, folder: string): Promise<(options: SchedulerOptions) => JobScheduler> {
  if (values.redis === null) return (options) => new InProcessScheduler(folder, options);
  // Imported on demand: a service without Redis needs neither.
  const { BullMqScheduler } = await import('../../exporters/jobs/bullmq.ts');
  const { hostname, port, pathname, username, password } = new URL(values.redis);
  const connection = {
    ...{ host: hostname, port: Number(port || 6379), db: Number(pathname.slice(1) || 0) },
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...redisClientOptions(values),
  };
  return (options) => new BullMqScheduler({ ...options, connection });
}
