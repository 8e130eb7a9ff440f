// Entry of the child process: opens the engine, serves its HTTP interface, and ends with its parent.
import { mkdirSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { descriptorLimit } from '../../pipeline/runtime/descriptors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { writeConfig } from './config-file.ts';
import { DiskRoom } from './disk-room.ts';
import { Engine } from './engine.ts';
import { Incoming } from './incoming.ts';
import type { FailedStart, FromStore, StoreStart, ToStore } from './messages.ts';
import { StoreProtocol } from './protocol.ts';
import { sharesOf } from './shares.ts';

/** The engine locks it while it has the folder open. */
const LOCK_FILE = 'status';

const send = (message: FromStore): void => {
  if (process.connected) process.send!(message, () => {});
};

/** All that was acknowledged is in files. An orderly exit waits for the statements that run, for as long as they take. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

// Signals of a terminal reach parent and child: only the parent decides. A parent that ends in any way closes the channel.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', end);

process.on('message', (message: ToStore) => {
  if (message.type === 'stop') return end();
  run(message.start).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    refuse(reasonOf(error), detail);
  });
});

function refuse(reason: FailedStart, detail: string): void {
  send({ type: 'failed', reason, detail });
  process.disconnect();
}

async function run(start: StoreStart): Promise<void> {
  const { folder, port, memoryBytesMax } = start;
  const limit = descriptorLimit();
  const shares = sharesOf(limit, start.readers);
  if (shares === null) return refuse('descriptors', String(limit));
  // The engine makes its files for everybody to read.
  process.umask(0o077);
  mkdirSync(folder, { recursive: true });
  const configFile = writeConfig(folder, { memoryBytesMax, shares });
  const { readers } = shares;
  const engine = await Engine.open({ folder: join(folder, 'engine'), configFile, readers, waitingMax: limits.storeWaitingMax });
  const disk = new DiskRoom(folder, start.diskReserveBytes);
  const functions = new Set(await linesOf(engine, 'SELECT lower(name) FROM system.table_functions'));
  const written = async (): Promise<void> => {
    if ((await engine.failedWrites()) > 0) await fail('a write to a file has failed: the disk is full, or has a fault');
  };
  const incoming = await Incoming.open(join(folder, 'incoming'));
  const protocol = new StoreProtocol({ engine, functions, incoming, access: start, refusal: () => disk.refusal(), written });
  const [version = ''] = await linesOf(engine, 'SELECT version()');
  const server = protocol.server(shares.connections);
  // Once it listens, an error is that of a connection that could not be accepted: no descriptor was free.
  server.on('error', (error) => {
    if (!server.listening) refuse('other', error.message);
  });
  server.listen(port, '127.0.0.1', () => {
    send({ type: 'ready', port: (server.address() as AddressInfo).port, version });
    const lock = join(folder, 'engine', LOCK_FILE);
    const opened = inodeOf(lock);
    let memoryBytes = 0;
    const report = (): void => {
      // The engine does not notice: it would write into files without a name. The next process begins with the new folder.
      if (opened !== null && inodeOf(lock) !== opened) void fail(`the folder ${folder} was removed or replaced`);
      try {
        memoryBytes = process.memoryUsage.rss();
      } catch {
        // It takes a descriptor. The report matters more: a process without reports is ended.
      }
      send({
        type: 'stats',
        stats: {
          ...protocol.counts,
          ...engine.counts(),
          memoryBytes,
          refusal: disk.refusal(),
        },
      });
    };
    setInterval(report, limits.storeStatsMs);
    // Merges write at any time, also while no statement runs.
    const watch = (): void => void written().then(later, later);
    const later = (): unknown => setTimeout(watch, limits.storeStatsMs);
    later();
  });
}

/** Ends the process with a reason that its parent logs. Never resolves: a statement that waits for it is not confirmed. */
function fail(reason: string): Promise<never> {
  process.stderr.write(`${reason}\n`, end);
  return new Promise(() => {});
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

async function linesOf(engine: Engine, sql: string): Promise<string[]> {
  const bytes = await engine.controlled(sql, 'TabSeparated', new AbortController().signal);
  return Buffer.from(bytes).toString('utf8').trim().split('\n');
}

function reasonOf(error: unknown): FailedStart {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'CHDB_PLATFORM' || code === 'CHDB_ABI' ? 'unavailable' : 'other';
}
