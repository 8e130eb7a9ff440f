// Heat map files, each of half an hour: made once for all who ask.
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import { HALF_HOUR_MS, heatMapFile } from './heat-map.ts';
import type { HistoryStore } from './history-store.ts';
import { type KeptFile, KeptFiles } from './kept-files.ts';
import { storedStretch } from './stored-rows.ts';

/** Errors of a file: `api.no_recording` without positions, `api.history_too_large`, `api.history_unavailable`, `api.no_history`. */
export function heatMapFiles(history: HistoryStore, clock: () => number): (startMs: number) => Promise<KeptFile> {
  const files = new KeptFiles(history, clock, {
    ...{ name: 'heat maps', bytesMax: limits.heatMapBytesMax },
    ...{ waitingMax: limits.heatMapsWaitingMax, msMax: limits.heatMapMsMax },
  });
  return async (startMs) => {
    const stretch = { fromMs: startMs, toMs: startMs + HALF_HOUR_MS };
    const file = await files.file(String(startMs), {
      freshMs: limits.heatMapFreshMs,
      check: (client, signal) => storedStretch(client, signal, stretch, history.partitions),
      read: (client, signal) => heatMapFile(client, signal, startMs),
    });
    if (file !== null) return file;
    const what = `the half hour from ${new Date(startMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`;
    throw new QueryError('api.no_recording', { what, detail: 'the history has no positions of it' });
  };
}
