// `--write-json`: what `/data/` serves as files, for programs that read a folder, as readsb writes them. Without the option nothing is done.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { notFresh } from '../../../query-api/queries/freshness.ts';
import { fileText, outlineFile, receiverFile, statisticsFile } from '../../../query-api/queries/maps/figures.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Closer } from '../closing.ts';
import { JsonFolder } from './json-folder.ts';

const unpack = promisify(gunzip);

/** `busy`: the files of the second before were not written yet. */
const reasons = ['busy', 'denied', 'missing', 'no_space', 'other'] as const;
type Reason = (typeof reasons)[number];

const REASON_OF: Readonly<Record<string, Reason>> = {
  EACCES: 'denied',
  EDQUOT: 'no_space',
  ENOENT: 'missing',
  ENOSPC: 'no_space',
  ENOTDIR: 'missing',
  EPERM: 'denied',
  EROFS: 'denied',
};

export interface JsonFilesContext {
  readonly model: ReadModel;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Writes from the next snapshot on; null without a folder. Its closer is added at the front. Errors: `map.json_folder_unusable`, `map.json_folder_in_use`. */
export async function startJsonFiles(path: string | null, { model, registry, logger }: JsonFilesContext, closers: Closer[]) {
  let folder: JsonFolder | null = null;
  const failed = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
  exportMetrics(registry, {
    squitter_output_files_total: () => folder?.written,
    squitter_output_files_failed_total: () => Object.entries(failed),
  });
  if (path === null) return null;
  const opened = await JsonFolder.open(path);
  folder = opened;
  const limiter = new LogLimiter((level, fields, message) => logger[level](fields, message));
  const files = new JsonFiles(model, opened);
  const fail = (reason: Reason, error?: unknown): void => {
    failed[reason] += 1;
    if (error !== undefined)
      limiter.line('warn', { folder: path, reason, error: String(error) }, 'the files of --write-json cannot be written', reason);
  };
  let writing: Promise<void> | null = null;
  const remove = model.view.onSnapshot(() => {
    if (writing !== null) return fail('busy');
    writing = files
      .writeDue()
      .catch((error: NodeJS.ErrnoException) => fail(REASON_OF[error.code ?? ''] ?? 'other', error))
      .finally(() => {
        writing = null;
      });
  });
  /** Waits for the files in progress. */
  const settled = async (): Promise<void> => {
    await writing;
  };
  closers.unshift(async () => {
    remove();
    await settled();
    limiter.flush();
    await opened.close();
  });
  return { settled };
}

/** Chooses the files that are due, and writes them. */
class JsonFiles {
  private readonly model: ReadModel;
  private readonly folder: JsonFolder;
  /** When the slow files are next due, by the steady clock. */
  private dueMs: number | null = null;
  /** The newest file of the memory's history that is written. */
  private newest: Buffer | undefined;
  /** Bytes of the history files, which are written in turn; readers order them by their `now`. */
  private readonly sizes: number[] = [];
  private number = 0;

  constructor(model: ReadModel, folder: JsonFolder) {
    this.model = model;
    this.folder = folder;
  }

  /** While `/data/aircraft.json` is refused, files stand still: `now` in them says since when. Errors: those of the system. */
  async writeDue(): Promise<void> {
    const snapshot = this.fresh();
    if (snapshot === null) return;
    snapshot.retain();
    try {
      await this.folder.write('aircraft.json', snapshot.body('readsb'));
      await this.writeHistory();
      await this.writeSlow(snapshot);
    } finally {
      snapshot.release();
    }
  }

  private fresh(): Snapshot | null {
    return this.model.view.isReady() && notFresh(this.model) === null ? this.model.view.current() : null;
  }

  /** At first only the settings: statistics of no time have no rates. */
  private async writeSlow(snapshot: Snapshot): Promise<void> {
    const { maps, steadyMs } = this.model;
    const isFirst = this.dueMs === null;
    if (this.dueMs !== null && steadyMs() < this.dueMs) return;
    const history = this.sizes.length;
    await this.folder.write('receiver.json', fileText(receiverFile(maps, { history, hasTraces: false, isReplayed: false })));
    if (!isFirst) await this.folder.write('stats.json', fileText(statisticsFile(maps, snapshot)));
    if (!isFirst && maps.outline !== null) await this.folder.write('outline.json', fileText(outlineFile(maps)));
    this.dueMs = steadyMs() + limits.jsonFolderSlowMs;
  }

  private async writeHistory(): Promise<void> {
    const { history } = this.model.maps;
    const newest = history.file(history.count - 1);
    if (newest === undefined || newest === this.newest) return;
    const text = await unpack(newest);
    const { sizes } = this;
    const bytesBeside = (number: number): number => sizes.reduce((sum, bytes, i) => (i === number ? sum : sum + bytes), 0);
    const isOver = (number: number): boolean => bytesBeside(number) + text.length > limits.jsonFolderHistoryBytesMax;
    if (this.number >= limits.mapHistoryFilesMax || (this.number >= sizes.length && isOver(this.number))) this.number = 0;
    while (isOver(this.number) && sizes.length > this.number + 1) {
      await this.folder.remove(`history_${sizes.length - 1}.json`);
      sizes.pop();
    }
    await this.folder.write(`history_${this.number}.json`, text);
    this.newest = newest;
    sizes[this.number] = text.length;
    this.number += 1;
  }
}
