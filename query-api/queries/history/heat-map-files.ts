// Heat map files as gzip: made on request, one at a time, shared by all who ask meanwhile, and kept within a limit of bytes. A file is kept for good when the
// store proves that it is complete; otherwise the number of positions says whether it has to be made again.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { QueryError } from '../errors.ts';
import { HALF_HOUR_MS, heatMapFile } from './heat-map.ts';
import type { HistoryStore } from './history-store.ts';
import { isStoredBeyond, storedRows } from './stored-rows.ts';

const GZIP_LEVEL = 1;

export interface HeatMap {
  readonly gzipped: Buffer;
  /** When the store was last asked for it. */
  readonly madeMs: number;
  /** Positions of the half hour that the store had before the file was made. */
  readonly rows: number;
  /** The store has all positions of the half hour, by what it has of later ones: the file stays as it is. */
  readonly isSettled: boolean;
}

export class HeatMapFiles {
  private readonly history: HistoryStore;
  private readonly clock: () => number;
  /** By start of the half hour, the one that was asked for longest ago first. */
  private readonly files = new Map<number, HeatMap>();
  private bytes = 0;
  private readonly making = new Map<number, Promise<HeatMap>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(history: HistoryStore, clock: () => number) {
    this.history = history;
    this.clock = clock;
  }

  /** Errors: `api.no_recording` without positions, `api.history_too_large`, `api.history_unavailable`, `api.no_history`. */
  async file(startMs: number): Promise<HeatMap> {
    const known = this.files.get(startMs);
    if (known !== undefined && (known.isSettled || this.clock() - known.madeMs < trackLimits.heatMapFreshMs)) {
      this.files.delete(startMs);
      this.files.set(startMs, known);
      return known;
    }
    let making = this.making.get(startMs);
    if (making === undefined) {
      if (this.making.size >= trackLimits.heatMapsWaitingMax) throw this.history.refused('too many heat maps are being made');
      making = this.last.then(() => this.make(startMs)).finally(() => this.making.delete(startMs));
      this.making.set(startMs, making);
      this.last = making.catch(() => {});
    }
    return making;
  }

  /** Looks at the store first, then reads: what comes in between is missed by nobody. */
  private async make(startMs: number): Promise<HeatMap> {
    const madeMs = this.clock();
    const { history } = this;
    const endMs = startMs + HALF_HOUR_MS;
    const known = this.files.get(startMs);
    const made = await history.query(async (client, signal): Promise<HeatMap | null> => {
      const { partitions } = history;
      const isComplete = partitions !== null && (await isStoredBeyond(client, signal, endMs, partitions));
      const rows = await storedRows(client, signal, { fromMs: startMs, toMs: endMs });
      if (rows === 0) return null;
      if (known?.rows === rows) return { ...known, madeMs, isSettled: isComplete };
      const pieces = await heatMapFile(client, signal, startMs);
      return pieces === null ? null : { gzipped: await packed(pieces), madeMs, rows, isSettled: isComplete };
    }, trackLimits.heatMapMsMax);
    if (made === null) throw noPositions(startMs);
    this.keep(startMs, made);
    return made;
  }

  private keep(startMs: number, made: HeatMap): void {
    this.forget(startMs);
    this.files.set(startMs, made);
    this.bytes += made.gzipped.length;
    for (const oldest of this.files.keys()) {
      if (this.bytes <= trackLimits.heatMapBytesMax) return;
      this.forget(oldest);
    }
  }

  private forget(startMs: number): void {
    this.bytes -= this.files.get(startMs)?.gzipped.length ?? 0;
    this.files.delete(startMs);
  }
}

/** Compressed piece by piece, beside the main thread. */
async function packed(pieces: Iterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip({ level: GZIP_LEVEL }), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const chunk of gzipped) chunks.push(chunk);
  });
  return Buffer.concat(chunks);
}

function noPositions(startMs: number): QueryError {
  const what = `the half hour from ${new Date(startMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;
  return new QueryError('api.no_recording', { what, detail: 'the history has no positions of it' });
}
