// DuckDB with bounded memory, working in one folder. It is an optional dependency: a service without it publishes no daily files, and says so.
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

export interface Duck {
  /** Version of the library: part of what determines the bytes of a file. */
  readonly version: string;
  readonly connection: DuckDBConnection;
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

/** Opens a database in the folder, which must exist. Errors: `export.no_duckdb`, and those of `run`: `export.no_space`, `export.failed`. */
export async function openDuck(folder: string): Promise<Duck> {
  const { DuckDBInstance, version } = await import('@duckdb/node-api').catch((error: unknown) => {
    throw new SquitterError('export.no_duckdb', { detail: (error as Error).message.split('\n')[0]! }, error);
  });
  const fail = (error: unknown): never => {
    throw storageError(folder, error);
  };
  const instance = await DuckDBInstance.create(join(folder, 'spill.duckdb'), {
    memory_limit: `${limits.exportDuckMemoryMb}MB`,
    // Files are the same with any number of threads; more need more memory.
    threads: String(limits.exportThreads),
    temp_directory: join(folder, 'sort'),
    preserve_insertion_order: 'true',
    // DuckDB downloads no extensions.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }).catch(fail);
  const connection = await instance.connect();
  return {
    version: version(),
    connection,
    async run(sql) {
      await connection.run(sql).catch(fail);
    },
    async rows(sql) {
      const read = await connection.runAndReadAll(sql).catch(fail);
      return read.getRowObjectsJS();
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A full disk has its own error: it is what an operator meets, and it passes. */
export function storageError(path: string, error: unknown): SquitterError {
  if (error instanceof SquitterError) return error;
  const detail = (error as Error).message.split('\n')[0]!;
  const isFull =
    (error as NodeJS.ErrnoException).code === 'ENOSPC' ||
    /no space left|disk is full|failed to offload|max_temp_directory_size/i.test(detail);
  return new SquitterError(isFull ? 'export.no_space' : 'export.failed', { path, detail }, error);
}

/** A text in SQL. */
export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
