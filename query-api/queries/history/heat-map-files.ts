// Heat map files as gzip: made on request, one at a time, shared by all who ask meanwhile, and kept within a limit of bytes.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { trackLimits } from '../../../schemas/track-limits.ts';
import { QueryError } from '../errors.ts';
import { isSettled } from './days.ts';
import { HALF_HOUR_MS, heatMapFile } from './heat-map.ts';
import type { HistoryStore } from './history-store.ts';

const pack = promisify(gzip);
const GZIP_LEVEL = 1;

export interface HeatMap {
  readonly gzipped: Buffer;
  readonly madeMs: number;
  /** Nothing more comes: it may be kept. */
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

  private async make(startMs: number): Promise<HeatMap> {
    const madeMs = this.clock();
    const file = await this.history.query((client, signal) => heatMapFile(client, signal, startMs), trackLimits.heatMapMsMax);
    if (file === null) throw noPositions(startMs);
    const made = { gzipped: await pack(file, { level: GZIP_LEVEL }), madeMs, isSettled: isSettled(startMs + HALF_HOUR_MS, madeMs) };
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

function noPositions(startMs: number): QueryError {
  const what = `the half hour from ${new Date(startMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;
  return new QueryError('api.no_recording', { what, detail: 'the history has no positions of it' });
}
