// Files of the past as gzip: made on request, one at a time, shared by all who ask meanwhile, and kept within a limit of bytes. A file is kept for good when the
// store proves that it is complete; otherwise the number of rows says whether it has to be made again.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import type { HistoryStore } from './history-store.ts';

const GZIP_LEVEL = 1;

export interface KeptFile {
  readonly gzipped: Buffer;
  /** Strong entity tag of the content. */
  readonly tag: string;
  /** When the store was last asked for it. */
  readonly madeMs: number;
  /** Rows that the store had before the file was made. */
  readonly rows: number;
  /** The store has all rows, by what it has of later ones: the file stays as it is. */
  readonly isSettled: boolean;
}

export interface FileSource {
  /** A file that is not settled is made again after this time. */
  readonly freshMs: number;
  /** Rows that the store has of the stretch. */
  check(client: HistoryClient, signal: AbortSignal): Promise<Pick<KeptFile, 'rows' | 'isSettled'>>;
  /** Its pieces; null without any. */
  read(client: HistoryClient, signal: AbortSignal): Promise<Iterable<Buffer | string> | null>;
}

export interface FileLimits {
  /** In words, for the refusal of a file. */
  readonly name: string;
  readonly bytesMax: number;
  /** Files that are made or wait for it. */
  readonly waitingMax: number;
  readonly msMax: number;
}

export class KeptFiles {
  private readonly history: HistoryStore;
  private readonly clock: () => number;
  private readonly limits: FileLimits;
  /** By key, the one that was asked for longest ago first. */
  private readonly files = new Map<string, KeptFile>();
  private bytes = 0;
  private readonly making = new Map<string, Promise<KeptFile | null>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(history: HistoryStore, clock: () => number, limits: FileLimits) {
    this.history = history;
    this.clock = clock;
    this.limits = limits;
  }

  /** Null without rows. Errors: `api.history_too_large`, `api.history_unavailable`, `api.no_history`, those of the source. */
  async file(key: string, source: FileSource): Promise<KeptFile | null> {
    const known = this.files.get(key);
    if (known !== undefined && (known.isSettled || this.clock() - known.madeMs < source.freshMs)) {
      this.files.delete(key);
      this.files.set(key, known);
      return known;
    }
    let making = this.making.get(key);
    if (making === undefined) {
      if (this.making.size >= this.limits.waitingMax) throw this.history.refused(`too many ${this.limits.name} are being made`);
      making = this.last.then(() => this.make(key, source)).finally(() => this.making.delete(key));
      this.making.set(key, making);
      this.last = making.catch(() => {});
    }
    return making;
  }

  /** Checks the store first, then reads. Rows that come in between make the next check differ. */
  private async make(key: string, { check, read }: FileSource): Promise<KeptFile | null> {
    const madeMs = this.clock();
    const known = this.files.get(key);
    const made = await this.history.query(async (client, signal): Promise<KeptFile | null> => {
      const found = await check(client, signal);
      if (found.rows === 0) return null;
      if (known?.rows === found.rows) return { ...known, ...found, madeMs };
      const pieces = await read(client, signal);
      if (pieces === null) return null;
      const gzipped = await packed(pieces);
      const tag = createHash('sha256').update(gzipped).digest('base64url').slice(0, 22);
      return { ...found, gzipped, tag, madeMs };
    }, this.limits.msMax);
    if (made !== null) this.keep(key, made);
    return made;
  }

  private keep(key: string, made: KeptFile): void {
    this.forget(key);
    this.files.set(key, made);
    this.bytes += made.gzipped.length;
    for (const oldest of this.files.keys()) {
      if (this.bytes <= this.limits.bytesMax) return;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.files.get(key)?.gzipped.length ?? 0;
    this.files.delete(key);
  }
}

/** Compressed piece by piece, beside the main thread. */
async function packed(pieces: Iterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip({ level: GZIP_LEVEL }), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const chunk of gzipped) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}
