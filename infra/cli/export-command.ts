// `squitter export`: writes the daily files of a day by hand.

import { logSource } from '../../exporters/daily/from-log.ts';
import { storeSource } from '../../exporters/daily/from-store.ts';
import { publishedManifest } from '../../exporters/daily/out-folder.ts';
import { checkDayOver, checkDayWhole } from '../../exporters/daily/whole-day.ts';
import { type DayResult, type ExportStage, writeDay } from '../../exporters/daily/write-day.ts';
import { dayStartMs } from '../../exporters/jobs/due-days.ts';
import { openReference, referenceFolder } from '../../pipeline/reference/open-reference.ts';
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { createProgress, type Progress } from '../../pipeline/runtime/progress.ts';
import { readAddress } from '../../pipeline/store/address-file.ts';
import { type HistoryAddress, historyClient } from '../../pipeline/store/client.ts';
import { historyAddress, historyOptions } from '../../pipeline/store/options.ts';
import { DATA_DIR, logOptions, openLog } from '../../pipeline/tools/log-options.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { logStages, storeStages } from '../services/history/export-stages.ts';
import { bulkFolder, exportOptions } from '../services/options/export-options.ts';

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'the daily Parquet files of a UTC day',
  details: [
    'Writes positions-DAY.parquet, flights-DAY.parquet, a preview and a manifest with checksums into the --out folder. Nothing is visible before it is whole.',
    'A published day never changes in silence: if the files would differ, the exit status is 1 and they stay; --replace publishes the new ones.',
    '--rebuild makes the files from the log alone, with the ended flights that the published manifest names: the same bytes, if the reference data are the same.',
  ].join('\n'),
  examples: [
    'squitter export --day 2026-01-31 --data /var/lib/squitter --out /srv/bulk',
    'squitter export --day 2026-01-31 --clickhouse http://clickhouse:8123 --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7 --out /srv/bulk',
    'squitter export --day 2026-01-31 --rebuild',
    'squitter export --day 2026-01-31 --rebuild --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7 --out /srv/bulk',
  ],
  options: {
    day: { flag: 'day', value: 'YYYY-MM-DD', required: true, help: 'the day, UTC', fallback: '', parse: parseDay },
    ...logOptions,
    ...historyOptions,
    ...exportOptions,
    rebuild: { flag: 'rebuild', help: 'from the log alone', fallback: false as boolean },
    replace: { flag: 'replace', help: 'replace published files that differ', fallback: false as boolean },
  },
  async run({ options, env, stdout, stderr, signal }) {
    const { day, licence, attribution } = options;
    const data = options.data ?? DATA_DIR;
    const out = options.out ?? bulkFolder(data);
    checkDayOver(day, Date.now());
    const address = options.rebuild ? null : storeAddress(options, data);
    const opened = await openLog(options, env, 'read');
    const client = address === null ? null : historyClient(address);
    const progress = stageProgress(stderr);
    try {
      await checkDayWhole(opened.log, day, client === null ? logStages : storeStages);
      const published = await publishedManifest(out, day);
      const reference = await openReference({ folder: options.reference ?? referenceFolder(data), clock: Date.now, onError: raise });
      await reference.close();
      const result = await writeDay({
        ...{ day, outDir: out, licence, attribution, signal, replaces: options.replace },
        source:
          client === null
            ? logSource({ ...opened, ...(published === null ? {} : { flightsEnded: published.flightsEnded }) })
            : storeSource(client),
        facts: (icao24) => reference.reference.facts(icao24),
        onProgress: progress.update,
      });
      progress.end();
      stdout.write(summary(day, result));
      return EXIT_DONE;
    } finally {
      progress.end();
      await client?.close();
      await opened.log.close();
    }
  },
});

/** The server that is named, or the store of the service that runs on the data folder. */
function storeAddress(options: Parameters<typeof historyAddress>[0], data: string): HistoryAddress {
  const address = historyAddress(options) ?? readAddress(data);
  if (address === null) throw new SquitterError('export.no_history', { path: data });
  return address;
}

/** A file made without the imported reference data would differ. */
function raise(error: unknown): never {
  throw error;
}

function parseDay(text: string): string {
  if (Number.isNaN(dayStartMs(text))) throw new Error('expected a day like 2026-01-31');
  return text;
}

function summary(day: string, { outcome, manifest }: DayResult): string {
  if (outcome === 'empty') return `${day}: no positions and no flights; nothing was written\n`;
  const what = outcome === 'same' ? 'the same as published' : 'published';
  return `${day}: ${what}\n${manifest.files.map(({ name, rows, bytes, sha256 }) => `${name}  ${rows} rows  ${bytes} bytes  sha256 ${sha256}\n`).join('')}`;
}

/** One line of progress per stage, each with its own rate. */
function stageProgress(stderr: NodeJS.WritableStream & { isTTY?: boolean }) {
  let stage: ExportStage | null = null;
  let progress: Progress | null = null;
  return {
    update(next: ExportStage, done: number, total: number, rows: number): void {
      if (next !== stage) {
        progress?.end();
        stage = next;
        progress = createProgress(
          stderr as never,
          `rows ${next === 'reading' ? 'read' : next === 'writing' ? 'written' : 'checked'}`,
          Date.now,
        );
      }
      progress!.update(done, total, rows);
    },
    end(): void {
      progress?.end();
      progress = null;
    },
  };
}
