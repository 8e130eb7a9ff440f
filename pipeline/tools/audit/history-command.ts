// `squitter audit --history`: connects to log and store, audits both tables, prints the report.
import type { Writable } from 'node:stream';
import { SquitterError } from '../../../schemas/errors.ts';
import { EXIT_DONE, EXIT_FAILED } from '../../runtime/command.ts';
import { type Environment, optionName } from '../../runtime/options.ts';
import { createProgress } from '../../runtime/progress.ts';
import { readAddress } from '../../store/address-file.ts';
import { historyClient } from '../../store/client.ts';
import { type HistoryValues, historyAddress, historyOptions } from '../../store/options.ts';
import { DATA_DIR, type LogLocation, openLog } from '../log-options.ts';
import { auditedTables, auditHistory, type HistoryAudit } from './history.ts';

interface Io {
  readonly env: Environment;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/** Returns the exit status. */
export async function auditHistoryOf(options: LogLocation & HistoryValues, { env, stdout, stderr, signal }: Io): Promise<number> {
  const { data, brokers } = options;
  // Beside a service on this machine, its store.
  const address = historyAddress(options) ?? (brokers.length === 0 ? readAddress(data ?? DATA_DIR) : null);
  if (address === null) throw new SquitterError('usage.missing_argument', { argument: optionName(historyOptions.clickhouse) });
  const { log, codecs } = await openLog(options, env, 'read');
  const client = historyClient(address);
  try {
    const audits: HistoryAudit[] = [];
    for (const table of auditedTables(codecs)) {
      const progress = createProgress(stderr, 'rows', () => Date.now());
      audits.push(...(await auditHistory({ log, client, onProgress: progress.update, signal }, table)));
      progress.end();
    }
    stdout.write(historyReport(audits));
    return audits.every(({ differenceCount }) => differenceCount === 0) ? EXIT_DONE : EXIT_FAILED;
  } finally {
    await client.close();
    await log.close();
  }
}

/** The last line is the verdict. */
function historyReport(audits: readonly HistoryAudit[]): string {
  const lines: string[] = [];
  for (const { table, partition, from, committed, expected, stored, malformed, differences, differenceCount, waiting } of audits) {
    const verdict = differenceCount === 0 ? 'equal' : `${differenceCount} DIFFERENCES`;
    lines.push(`${table} partition ${partition}: records ${from} to ${committed - 1} give ${expected} rows, ${stored} stored  ${verdict}`);
    lines.push(...differences.map((difference) => `  ${difference}`));
    if (malformed > 0) lines.push(`  ${malformed} records cannot be read and have no rows`);
    if (waiting > 0) lines.push(`  ${waiting} records wait for the store and are not compared`);
  }
  const sum = (pick: (audit: HistoryAudit) => number): number => audits.reduce((total, audit) => total + pick(audit), 0);
  const differences = sum(({ differenceCount }) => differenceCount);
  const rows = (table: string): number => sum((audit) => (audit.table === table ? audit.expected : 0));
  const tables = [...new Set(audits.map(({ table }) => table))].map((table) => `${rows(table)} ${table}`).join(', ');
  lines.push(`audit of the history: ${differences === 0 ? 'equal' : `${differences} differences`}: ${tables}`);
  return `${lines.join('\n')}\n`;
}
