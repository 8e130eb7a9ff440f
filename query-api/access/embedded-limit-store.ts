// The embedded LimitStore: limits of one process, at once. With a folder, changed rows are saved in LMDB once a second, so a `kill -9` loses the last
// second of counts. Without one, it is what a process of a cluster has that has no Redis.
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { causeOfCommit, logFailure } from '../../pipeline/log/lmdb/failures.ts';
import { checkIndexFile } from '../../pipeline/log/lmdb/index-check.ts';
import { unlinkWritten } from '../../pipeline/log/lmdb/store.ts';
import { fileModeIn, PRIVATE_FOLDER_MODE } from '../../pipeline/runtime/private-files.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type CallerRow, Callers, HeldSockets } from './callers.ts';
import type { LimitStore, LimitStoreStats, Usage, Visit } from './limit-store.ts';

export interface EmbeddedLimitStoreOptions {
  /** The folder of the saved counts alone; it is created if it does not exist. One process at a time has it. Null: nothing is saved, and other processes count for themselves. */
  readonly folder: string | null;
  /** The clock by which unseen callers are dropped. */
  readonly nowMs: () => number;
  readonly addressesMax?: number;
}

export class EmbeddedLimitStore implements LimitStore {
  readonly #saved: Saved | null;
  readonly #nowMs: () => number;
  readonly #callers: Callers;
  readonly #sockets = new HeldSockets();
  readonly #timer: NodeJS.Timeout;
  /** Keys of dropped callers whose rows are still saved. */
  #dropped: Buffer[] = [];
  #saving: Promise<void> | null = null;
  #problem: string | null = null;

  /** Reads what is saved. Errors: `limits.damaged`, `limits.not_writable`. */
  constructor({ folder, nowMs, addressesMax }: EmbeddedLimitStoreOptions) {
    this.#nowMs = nowMs;
    this.#callers = new Callers({
      addressesMax,
      onDrop: (at) => {
        if (folder !== null) this.#dropped.push(this.#callers.key(at));
      },
    });
    this.#saved = folder === null ? null : readSaved(folder, this.#callers);
    this.#callers.dropUnseen(nowMs(), Number.POSITIVE_INFINITY);
    this.#timer = setInterval(() => {
      this.#callers.dropUnseen(this.#nowMs(), limits.callersLookedAtMax);
      if (this.#saving === null) void this.#save();
    }, limits.callersSaveMs).unref();
  }

  visit(principal: string, nowMs: number): Visit {
    return this.#callers.visit(this.#callers.rowOf(principal, nowMs), nowMs);
  }

  takeTurn(principal: string, intervalMs: number, nowMs: number): number {
    return this.#callers.takeTurn(this.#callers.rowOf(principal, nowMs), intervalMs, nowMs);
  }

  giveBack(principal: string, intervalMs: number, takenMs: number, nowMs: number): void {
    this.#callers.giveBack(this.#callers.rowOf(principal, nowMs), intervalMs, takenMs, nowMs);
  }

  spend(principal: string, bytes: number, nowMs: number): number {
    return this.#callers.spend(this.#callers.rowOf(principal, nowMs), bytes, nowMs);
  }

  lease(principal: string, id: string, socketsMax: number): boolean {
    return this.#sockets.add(principal, id, socketsMax);
  }

  release(principal: string, id: string): void {
    this.#sockets.delete(principal, id);
  }

  usage(principal: string, intervalMs: number, nowMs: number): Usage {
    const at = this.#callers.rowOf(principal, nowMs);
    return this.#callers.usage(at, intervalMs, this.#sockets.count(principal), nowMs);
  }

  async forget(principal: string): Promise<void> {
    const at = this.#callers.rowOf(principal, this.#nowMs());
    if (!this.#callers.sharesRow(at)) this.#callers.drop(at);
    await this.#save();
  }

  problem(): string | null {
    return this.#saved === null ? 'limits hold for this process alone, because no Redis is configured (--redis)' : this.#problem;
  }

  stats(): LimitStoreStats {
    return { ...this.#callers.stats(), isShared: this.#saved !== null, commands: 0, timeouts: 0 };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#save();
    await this.#saved?.rows.close();
  }

  /** Saves everything that has changed until now; a running save is awaited first. */
  async #save(): Promise<void> {
    if (this.#saved === null) return;
    while (this.#saving !== null) await this.#saving;
    this.#saving = this.#saveChanged(this.#saved).finally(() => {
      this.#saving = null;
    });
    await this.#saving;
  }

  async #saveChanged(saved: Saved): Promise<void> {
    const changed = this.#callers.takeChanged();
    for (;;) {
      const dropped = this.#dropped.splice(0, limits.callersSavedTogetherMax);
      const rows: CallerRow[] = [];
      while (rows.length < limits.callersSavedTogetherMax) {
        const { done, value } = changed.next();
        if (done === true) break;
        rows.push(value);
      }
      if (dropped.length + rows.length === 0) return;
      try {
        await this.#write(saved, dropped, rows);
        this.#problem = null;
      } catch (error) {
        for (const at of rows) this.#callers.markChanged(at);
        this.#dropped.push(...dropped);
        this.#problem = failure(saved.folder, await causeOfCommit(error), 'log.not_writable').message;
        return;
      }
    }
  }

  /** One transaction. A caller that came back after it was dropped is written after its removal. */
  async #write({ rows: saved }: Saved, dropped: readonly Buffer[], rows: readonly CallerRow[]): Promise<void> {
    const writes: Promise<unknown>[] = [];
    writes.push(
      saved.batch(() => {
        for (const key of dropped) writes.push(saved.remove(key));
        for (const at of rows) writes.push(saved.put(this.#callers.key(at), this.#callers.encode(at)));
      }),
    );
    const failed = (await Promise.allSettled(writes)).find((write) => write.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

interface Saved {
  readonly folder: string;
  readonly rows: RootDatabase<Buffer, Buffer>;
}

function readSaved(folder: string, callers: Callers): Saved {
  try {
    const rows = openRows(folder);
    for (const { key, value } of rows.getRange()) callers.restore(key, value);
    // All that was read is saved.
    for (const _ of callers.takeChanged());
    return { folder, rows };
  } catch (error) {
    throw failure(folder, error, 'log.damaged');
  }
}

function openRows(folder: string): RootDatabase<Buffer, Buffer> {
  const file = join(folder, 'data.mdb');
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const isNew = checkIndexFile(folder, file, 'log.not_writable');
  const rows = open<Buffer, Buffer>({
    path: folder,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    mapSize: limits.callersMapBytes,
    // With batching, a failed commit rejects a promise inside lmdb that no caller can handle, which ends the process.
    eventTurnBatching: false,
  });
  unlinkWritten(rows);
  // lmdb has no option for their mode.
  if (isNew)
    for (const name of ['data.mdb', 'lock.mdb']) if (existsSync(join(folder, name))) chmodSync(join(folder, name), fileModeIn(folder));
  return rows;
}

function failure(path: string, error: unknown, otherwise: 'log.damaged' | 'log.not_writable'): SquitterError {
  const { code, details } = logFailure(path, error, otherwise);
  const detail = code === 'log.no_space' ? 'no disk space is left' : details['detail']!;
  return new SquitterError(code === 'log.damaged' ? 'limits.damaged' : 'limits.not_writable', { path, detail }, error);
}
