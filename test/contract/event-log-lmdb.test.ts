// The EventLog contract against the embedded log.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { createChanges } from '../../pipeline/log/lmdb/changes.ts';
import { type LmdbLog, type LmdbLogOptions, openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { limits } from '../../schemas/limits/index.ts';
import { eventLogContract } from './event-log.contract.ts';

const DEADLETTER_BYTES_MAX = 1_000_000;

let path = '';
let logs: LmdbLog[] = [];
let changes: SharedArrayBuffer;

async function open(mode: LmdbLogOptions['mode']): Promise<EventLog> {
  const log = await openLmdbLog({
    path,
    mode,
    // As in the service: writers of this process share it, and readers of other processes poll.
    ...(mode === 'write' ? { changes } : {}),
    retention: { deadletter: { bytesMax: DEADLETTER_BYTES_MAX } },
  });
  logs.push(log);
  return log;
}

eventLogContract('EventLog on LMDB', {
  setUp: async () => {
    path = mkdtempSync(join(tmpdir(), 'squitter-contract-'));
    changes = createChanges();
  },
  tearDown: async () => {
    await Promise.all(logs.map((log) => log.close()));
    logs = [];
    rmSync(path, { recursive: true, force: true });
  },
  open: () => open('write'),
  openReader: () => open('read'),
  childCommand: () => [process.execPath, join(import.meta.dirname, '../../dist/modules/test/contract/event-log-child.js'), 'lmdb', path],
  shortenTombstones: async () => {},
  compactNow: async (log, tombstonesExpired) => {
    await (log as LmdbLog).maintain(Date.now() + (tombstonesExpired ? 2 * limits.logTombstoneKeepMs : 0), true);
  },
  expireAt: async (log, nowMs) => {
    await (log as LmdbLog).maintain(nowMs);
  },
  deadletterBytesMax: DEADLETTER_BYTES_MAX,
  writers: 'one',
});
