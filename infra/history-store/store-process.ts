// Entry of the child process: opens the engine, serves its HTTP interface, and ends with its parent.
import { mkdirSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { historyLimits } from '../../schemas/history-limits.ts';
import { writeConfig } from './config-file.ts';
import { DiskRoom } from './disk-room.ts';
import { Engine } from './engine.ts';
import { Incoming } from './incoming.ts';
import type { FromStore, StoreStart, ToStore } from './messages.ts';
import { StoreProtocol } from './protocol.ts';

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
    send({ type: 'failed', reason: reasonOf(error), detail });
    process.disconnect();
  });
});

async function run(start: StoreStart): Promise<void> {
  const { folder, port, readers, memoryBytesMax } = start;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const configFile = join(folder, 'squitter.xml');
  writeConfig(configFile, { memoryBytesMax });
  const engine = await Engine.open({ folder: join(folder, 'engine'), configFile, readers, waitingMax: historyLimits.storeWaitingMax });
  const disk = new DiskRoom(folder, start.diskReserveBytes);
  const protocol = new StoreProtocol(engine, await Incoming.open(join(folder, 'incoming')), start, () => disk.refusal());
  const version = Buffer.from((await engine.controlled('SELECT version()', 'TabSeparated', new AbortController().signal)).bytes);
  const server = protocol.server();
  server.on('error', (error) => {
    send({ type: 'failed', reason: 'other', detail: error.message });
    process.disconnect();
  });
  server.listen(port, '127.0.0.1', () => {
    send({ type: 'ready', port: (server.address() as AddressInfo).port, version: version.toString('utf8').trim() });
    const lock = join(folder, 'engine', LOCK_FILE);
    const opened = inodeOf(lock);
    const report = (): void => {
      // The engine does not notice: it writes into files that nobody finds again. The next process begins with what is there.
      if (opened !== null && inodeOf(lock) !== opened) fail(`the folder ${folder} was removed or replaced`);
      send({
        type: 'stats',
        stats: {
          ...protocol.counts(),
          ...engine.counts(),
          memoryBytes: process.memoryUsage.rss(),
          diskFreeBytes: disk.freeBytes(),
          refusal: disk.refusal(),
        },
      });
    };
    setInterval(report, historyLimits.storeStatsMs);
  });
}

/** Ends the process with a reason that its parent logs. */
function fail(reason: string): void {
  process.stderr.write(`${reason}\n`, end);
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

function reasonOf(error: unknown): 'unavailable' | 'other' {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'CHDB_PLATFORM' || code === 'CHDB_ABI' ? 'unavailable' : 'other';
}
