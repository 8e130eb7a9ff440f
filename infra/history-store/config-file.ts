// The engine's configuration as a file: what must be known before its first statement.
import { writeFileSync } from 'node:fs';
import { historyLimits } from '../../schemas/history-limits.ts';

export interface EngineSettings {
  readonly memoryBytesMax: number;
}

/** Caches fit a small machine: the operating system keeps the files in memory anyway. */
export function writeConfig(file: string, { memoryBytesMax }: EngineSettings): void {
  const cache = Math.floor(memoryBytesMax * historyLimits.storeCacheRatio);
  const small = Math.floor(cache / 4);
  const settings = {
    max_server_memory_usage: memoryBytesMax,
    mark_cache_size: cache,
    primary_index_cache_size: cache,
    index_mark_cache_size: small,
    compiled_expression_cache_size: small,
    query_condition_cache_size: small,
    uncompressed_cache_size: 0,
    background_pool_size: historyLimits.storeMergeThreads,
    background_schedule_pool_size: historyLimits.storeScheduleThreads,
    max_thread_pool_size: historyLimits.storeThreadsMax,
    max_partition_size_to_drop: 0,
    max_table_size_to_drop: 0,
  };
  const lines = Object.entries(settings).map(([name, value]) => `  <${name}>${value}</${name}>`);
  const merges = `  <merge_tree>\n    <max_bytes_to_merge_at_max_space_in_pool>${historyLimits.storeMergeBytesMax}</max_bytes_to_merge_at_max_space_in_pool>\n  </merge_tree>`;
  writeFileSync(file, `<clickhouse>\n${lines.join('\n')}\n${merges}\n</clickhouse>\n`, { mode: 0o600 });
}
