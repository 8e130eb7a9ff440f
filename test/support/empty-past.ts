// A service that folds the past of an empty log: the real threads, which find no moment. Needs `npm run build`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry } from 'prom-client';
import { PastService } from '../../infra/past/past-service.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { projectDir } from './requirements.ts';
import { temporaryFolder } from './service.ts';

export type EmptyPast = Awaited<ReturnType<typeof startEmptyPast>>;

export async function startEmptyPast() {
  const folder = temporaryFolder();
  const { log } = await openData(folder.path, 'write');
  const partitions = log.partitions('frames');
  await log.close();
  const source = { kind: 'data', dataDir: folder.path } as const;
  const threadFile = pathToFileURL(join(projectDir, 'dist/infra/past/sky-thread.js'));
  const past = new PastService(
    { source, partitions, referenceFolder: null, simulatedAircraft: 0 },
    { logger: { warn: () => {} }, registry: new Registry(), closers: [] },
    threadFile,
  );
  return {
    past,
    /** Ends its threads and removes the folder. */
    async stop(): Promise<void> {
      await past.close();
      folder.remove();
    },
  };
}
