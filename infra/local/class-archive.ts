// Kafka's classes as Java has them in memory, in a file: a node that maps it starts in half the time and takes 40 MB less.
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../schemas/limits.ts';
import type { Fetched, Say } from './fetched.ts';
import { withWorkFolder } from './folder.ts';
import { prepareNode } from './kafka-node.ts';
import { withLock } from './lock.ts';
import { onFreePorts } from './ports.ts';

/** What SIGTERM makes a Java program end with when it ends in order. */
const ENDED_IN_ORDER = 143;

/** Flags of Java that use the archive. The first call on a machine makes it, from a node that is started for that alone. */
export async function classArchiveFlags(files: Fetched, say: Say = () => {}): Promise<string[]> {
  const { classArchive } = files;
  if (!existsSync(classArchive))
    await withLock(`${classArchive}.lock`, async () => {
      if (existsSync(classArchive)) return;
      say('making an archive of its classes, so that it starts faster: this once');
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
      // It writes the archive at its end: 2 s, more on a busy machine.
      const how = await program.stop(limits.localStartMsMax);
      folder.leave();
      return how;
    }),
  );
  // Without an archive Kafka starts too, and the next start tries again.
  if (ended === ENDED_IN_ORDER && existsSync(part)) renameSync(part, classArchive);
  else rmSync(part, { force: true });
}
