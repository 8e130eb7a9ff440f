// The engine's configuration as files: what must be known before its first statement.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../schemas/limits/index.ts';
import type { Shares } from './shares.ts';

export interface EngineSettings {
  readonly memoryBytesMax: number;
  readonly shares: Shares;
}

type Nested = { readonly [name: string]: string | number | Nested };

/** Grants of the account, an allow-list: no source (`FILE`, `URL`, `S3` …), no dictionary, function, backup or user. The engine checks it, in views too. */
const GRANTS =
  'SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP, TRUNCATE, OPTIMIZE, SHOW, CHECK, KILL QUERY, SYSTEM MERGES ON *.*';

/** Settings that name a file or an address, or change what a statement means: no statement changes them. */
const FIXED: Readonly<Record<string, string | number>> = {
  readonly: 0,
  allow_ddl: 1,
  dialect: 'clickhouse',
  format_schema: '',
  output_format_schema: '',
  format_template_row: '',
  format_template_resultset: '',
  format_avro_schema_registry_url: '',
  input_format_record_errors_file_path: '',
  rename_files_after_processing: '',
  allow_experimental_eval_table_function: 0,
  allow_experimental_ai_functions: 0,
  allow_python_table_function: 0,
};

/** With few descriptors: one thread a query, which reads one part after the other. In order, it opens all parts of a day: 2,500 files for 80 parts. */
const OF_FEW = { max_threads: 1, max_insert_threads: 1, max_final_threads: 1, optimize_read_in_order: 0 } as const;

/** Parts have one file for all columns, whatever their size: a file for each takes 60 descriptors to write a part, and 30 to read one. */
const PARTS_OF_FEW = {
  max_parts_to_merge_at_once: limits.storeFewMergedParts,
  min_bytes_for_wide_part: Number.MAX_SAFE_INTEGER,
} as const;

/** Pools of threads that handle files. The one that removes old parts takes 128 threads after the first hundred inserts, and the engine keeps them. */
const FILE_POOLS = [
  ...['max_parts_cleaning_thread_pool_size', 'max_active_parts_loading_thread_pool_size', 'max_outdated_parts_loading_thread_pool_size'],
  ...['max_unexpected_parts_loading_thread_pool_size', 'threadpool_local_fs_reader_pool_size', 'load_marks_threadpool_pool_size'],
  ...['max_io_thread_pool_size', 'max_format_parsing_thread_pool_size', 'max_prefixes_deserialization_thread_pool_size'],
  ...['prefetch_threadpool_pool_size', 'threadpool_writer_pool_size'],
];

/** Writes the files into `folder`, and returns the one for the engine. Caches fit a small machine: the operating system keeps the files in memory anyway. */
export function writeConfig(folder: string, { memoryBytesMax, shares }: EngineSettings): string {
  const cache = Math.floor(memoryBytesMax * limits.storeCacheRatio);
  const small = Math.floor(cache / 4);
  const [server, users] = [join(folder, 'squitter.xml'), join(folder, 'users.xml')];
  write(users, {
    profiles: { default: { ...FIXED, ...(shares.isFew ? OF_FEW : {}), constraints: mapped(Object.keys(FIXED), { const: '' }) } },
    users: {
      default: { password: '', networks: { ip: '::/0' }, profile: 'default', quota: 'default', grants: { query: `GRANT ${GRANTS}` } },
    },
    quotas: { default: '' },
  });
  write(server, {
    users_config: users,
    max_server_memory_usage: memoryBytesMax,
    mark_cache_size: cache,
    primary_index_cache_size: cache,
    index_mark_cache_size: small,
    compiled_expression_cache_size: small,
    query_condition_cache_size: small,
    uncompressed_cache_size: 0,
    background_pool_size: limits.storeMergeThreads,
    background_schedule_pool_size: limits.storeScheduleThreads,
    max_thread_pool_size: shares.threads,
    max_thread_pool_free_size: limits.storeThreadsIdleMax,
    ...mapped(FILE_POOLS, limits.storeFileThreads),
    max_partition_size_to_drop: 0,
    max_table_size_to_drop: 0,
    merge_tree: {
      max_bytes_to_merge_at_max_space_in_pool: limits.storeMergeBytesMax,
      ...(shares.isFew ? PARTS_OF_FEW : {}),
    },
  });
  return server;
}

function mapped(names: readonly string[], value: string | number | Nested): Nested {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function write(file: string, settings: Nested): void {
  writeFileSync(file, `<clickhouse>\n${elements(settings)}\n</clickhouse>\n`, { mode: 0o600 });
}

function elements(settings: Nested): string {
  return Object.entries(settings)
    .map(([name, value]) => `<${name}>${typeof value === 'object' ? `\n${elements(value)}\n` : escaped(String(value))}</${name}>`)
    .join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
