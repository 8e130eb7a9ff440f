// Connection options for the history store of a cluster: a ClickHouse server. Shared by services and tools.
import { type EngineKind, engineKinds } from '../../schemas/clickhouse/ddl.ts';
import { limits } from '../../schemas/limits/index.ts';
import { integerBetween, numberBetween, type OptionValues, oneOf, parseHttpUrl, secretOption, textOption } from '../runtime/options.ts';
import type { HistoryAddress } from './client.ts';

export const historyOptions = {
  clickhouse: {
    ...textOption('clickhouse', 'URL', 'history store: HTTP interface of a ClickHouse server'),
    env: 'SQUITTER_CLICKHOUSE_URL',
    parse: parseHttpUrl,
  },
  clickhouseUsername: { ...textOption('clickhouse-username', 'NAME', 'user name for ClickHouse'), fallback: 'default' },
  clickhousePassword: { ...secretOption('SQUITTER_CLICKHOUSE_PASSWORD', 'password for ClickHouse'), fallback: '' },
  clickhouseDatabase: {
    ...textOption('clickhouse-database', 'NAME', 'database of the history tables; created if it is missing'),
    fallback: 'squitter',
    parse: parseDatabase,
  },
} as const;

/** Retention in every profile. */
export const historyDaysOption = {
  ...textOption('history-days', 'N', 'days of history to keep, today included'),
  fallback: limits.historyDaysDefault as number,
  parse: integerBetween(1, limits.historyDaysMax),
} as const;

export const historyGibOption = {
  flag: 'history-gib',
  value: 'GIB',
  env: 'SQUITTER_HISTORY_GIB',
  parse: numberBetween(limits.historyGibMin, limits.historyGibMax),
} as const;

/** For the process that drops old days from a ClickHouse server. */
export const retentionOptions = {
  historyDays: historyDaysOption,
  historyGib: {
    ...historyGibOption,
    help: `disk space for the history; beyond it the oldest days are dropped. Never more than ${100 * limits.serverDiskRatio} % of the server's disk, which is the default`,
    fallback: null as number | null,
  },
} as const;

/** Only for the process that creates the tables. */
export const tableOptions = {
  clickhouseEngines: {
    flag: 'clickhouse-engines',
    value: 'KIND',
    env: 'SQUITTER_CLICKHOUSE_ENGINES',
    help: `engines of the history tables: ${engineKinds.join(' or ')}; replicated ones need ClickHouse Keeper and the macros shard and replica`,
    fallback: 'plain' as EngineKind,
    parse: oneOf(engineKinds),
  },
} as const;

export type HistoryValues = OptionValues<typeof historyOptions>;

/** The address; null without a URL. */
export function historyAddress(values: HistoryValues): HistoryAddress | null {
  const { clickhouse: url, clickhouseUsername: user, clickhousePassword: password, clickhouseDatabase: database } = values;
  return url === null ? null : { url, user, password, database };
}

function parseDatabase(text: string): string {
  if (!/^[A-Za-z_]\w{0,63}$/.test(text)) throw new Error('expected up to 64 letters, digits and underscores');
  return text;
}
