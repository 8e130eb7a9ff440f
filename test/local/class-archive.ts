// An archive of Kafka's loaded classes (class data sharing). A node that maps it starts in half the time and needs 40 MB less.
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fetched, Print } from './fetched.ts';
import { withWorkFolder } from './folder.ts';
import { prepareNode } from './kafka-node.ts';
import { localLimits } from './limits.ts';
import { withLock } from './lock.ts';
import { onFreePorts } from './ports.ts';

/** Exit status of a Java program after an orderly end on SIGTERM. */
const ENDED_IN_ORDER = 143;

/** Java flags that use the archive. The first call on a machine starts a node to create it. */
export async function classArchiveFlags(files: Fetched, print: Print = () => {}): Promise<string[]> {
  const { classArchive } = files;
  if (!existsSync(classArchive))
    await withLock(`${classArchive}.lock`, async () => {
      if (existsSync(classArchive)) return;
      print('creating an archive of the classes for faster starts (once)');
      await makeArchive(files);
    });
  return [`-XX:SharedArchiveFile=${classArchive}`, '-Xlog:cds=off'];
}

async function makeArchive({ kafkaClassPath, classArchive }: Fetched): Promise<void> {
  const part = `${classArchive}.part-${randomUUID()}`;
  const ended = await withWorkFolder(undefined, (folder) =>
    onFreePorts(2, async ([port, controllerPort]) => {
      const node = { id: 1, port: port!, controllerPort: controllerPort!, folder: join(folder.path, 'node') };
      const javaFlags = [`-XX:ArchiveClassesAtExit=${part}`];
      const launch = await prepareNode({ node, all: [node], clusterId: 'squitter-class-archive', classPath: kafkaClassPath, javaFlags });
      const program = await launch();
      // The node writes the archive at its end, in 2 s or more.
      const how = await program.stop(localLimits.localStartMsMax);
      folder.leave();
      return how;
    }),
  );
  // Kafka also starts without an archive, and the next start tries again.
  if (ended === ENDED_IN_ORDER && existsSync(part)) renameSync(part, classArchive);
  else rmSync(part, { force: true });
}
