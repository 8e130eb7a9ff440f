// A thread for the log's thread test: appends and commits to the log in `path` over its own connection, then reports how many.
import { parentPort, workerData } from 'node:worker_threads';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';

interface ThreadData {
  readonly path: string;
  readonly changes: SharedArrayBuffer;
  readonly thread: number;
  readonly rounds: number;
}

const { path, changes, thread, rounds } = workerData as ThreadData;
const log = await openLmdbLog({ path, mode: 'write', changes, maintenanceIntervalMs: 10 });
for (let i = 0; i < rounds; i += 1) {
  const value = Buffer.alloc(i % 10 === 0 ? 16_000 : 40, thread);
  value.writeUInt32LE(i, 0);
  await Promise.all([
    log.append('frames', i % 2, [{ key: null, value, timestampMs: i }]),
    log.append('aircraft', 0, [{ key: `${thread}/${i % 50}`, value, timestampMs: i }]),
  ]);
  await log.commit({
    group: `thread ${thread}`,
    topic: 'frames',
    partition: 0,
    fromOffset: i,
    nextOffset: i + 1,
    outputs: [{ topic: 'positions', partition: 0, records: [{ key: null, value, timestampMs: i }] }],
  });
}
await log.close();
parentPort!.postMessage(rounds);
