// An import: reads files and writes the tables of the folder. Nothing changes before everything is read and written.
import { SquitterError } from '../../../schemas/errors.ts';
import { commitManifest, type Manifest, type ManifestTable, readManifest, withImportLock, writeTable } from '../store/folder.ts';
import { loadTables, shippedTables } from '../tables.ts';
import { createGathering } from './gathering.ts';
import { type Input, openInput } from './inputs.ts';
import { readFile } from './read-file.ts';
import { InputReport } from './report.ts';

export interface ImportOptions {
  /** Created if missing. */
  readonly folder: string;
  readonly paths: readonly string[];
  /** Ms since the Unix epoch. */
  readonly clock: () => number;
  /** Stops the import without any change. */
  readonly signal: AbortSignal;
  readonly onProgress: (bytesRead: number, bytesTotal: number, rows: number) => void;
}

export interface ImportResult {
  readonly reports: readonly InputReport[];
  /** The new tables by kind. */
  readonly tables: Manifest['tables'];
}

/** Errors: `input.unreadable`, `output.not_writable`, `reference.unknown_format`, `reference.nothing_taken`, `reference.in_use`, `reference.damaged`; the signal's reason. */
export async function importReference({ folder, paths, clock, signal, onProgress }: ImportOptions): Promise<ImportResult> {
  const inputs = await Promise.all(paths.map(openInput));
  return await withImportLock(folder, async () => {
    const manifest = await readManifest(folder);
    const before = await loadTables(folder, { tables: shippedTables(), files: {} });
    const gathering = createGathering(before.tables);
    const bytesTotal = inputs.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    const reports: InputReport[] = [];
    let rows = 0;
    for (const input of inputs) {
      const report = await readInput(input, gathering, (more) => {
        signal.throwIfAborted();
        rows += more;
        onProgress(
          inputs.reduce((sum, other) => sum + other.storedBytesRead(), 0),
          bytesTotal,
          rows,
        );
      });
      reports.push(report);
    }
    const tables: Record<string, ManifestTable> = {};
    for (const table of gathering.packed()) {
      signal.throwIfAborted();
      tables[table.kind] = await writeTable(folder, table);
    }
    await commitManifest(folder, { ...manifest?.tables, ...tables }, clock());
    return { reports, tables };
  });
}

type Gathering = ReturnType<typeof createGathering>;

async function readInput(input: Input, gathering: Gathering, onPiece: (rows: number) => void): Promise<InputReport> {
  const report = new InputReport(input.path);
  for await (const file of input.files()) await readFile(file, gathering, report, onPiece);
  if (report.formats.size === 0)
    throw new SquitterError('reference.unknown_format', { path: input.path, detail: report.lines().slice(1).join('; ').trim() });
  if (report.rows === 0)
    throw new SquitterError('reference.nothing_taken', { path: input.path, detail: report.lines().slice(1).join('; ') });
  return report;
}
