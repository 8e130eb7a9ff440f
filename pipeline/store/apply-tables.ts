// Creates the history tables, and brings those of earlier versions up to date. Repeated calls change nothing.
import { createTable, type EngineKind, firstVersion, newestVersion, steps, versionTable } from '../../schemas/clickhouse/ddl.ts';
import { aircraftDays, dailyTables, densityHours } from '../../schemas/clickhouse/tables.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type HistoryClient, historyClient } from './client.ts';

interface AppliedTables {
  /** Numbers of the steps that this call made. */
  readonly applied: readonly number[];
  readonly version: number;
}

interface VersionRow {
  readonly version: number;
  readonly engines: string;
}

/**
 * Creates the database and the tables. A step is recorded after its statements, which may run again.
 * Errors: `history.early_tables`, `history.newer_tables`, `history.other_engines`, and those of the client.
 */
export async function applyTables(client: HistoryClient, engines: EngineKind = 'plain'): Promise<AppliedTables> {
  const { database } = client.address;
  await createDatabase(client);
  await client.command(createTable(versionTable, engines));
  const rows = await client.rows<VersionRow>('SELECT version, engines FROM schema_versions FINAL ORDER BY version');
  const found = rows.at(-1)?.version ?? 0;
  if (found > 0 && found < firstVersion) throw new SquitterError('history.early_tables', { database });
  if (found > newestVersion) throw new SquitterError('history.newer_tables', { database, found, known: newestVersion });
  const other = rows.find((row) => row.engines !== engines);
  if (other !== undefined) throw new SquitterError('history.other_engines', { database, found: other.engines, wanted: engines });
  // Tables that were lost are created again: the sink fills them from the log.
  const has = (await hasAllTables(client)) ? new Set(rows.map(({ version }) => version)) : new Set<number>();
  const missing = steps.filter(({ version }) => !has.has(version));
  for (const { version, name, statements } of missing) {
    for (const statement of statements(engines)) await client.command(statement);
    await client.insert({
      table: versionTable.name,
      columns: ['version', 'name', 'engines'],
      format: 'JSONEachRow',
      body: Buffer.from(JSON.stringify({ version, name, engines })),
      token: null,
    });
  }
  return { applied: missing.map(({ version }) => version), version: newestVersion };
}

async function hasAllTables(client: HistoryClient): Promise<boolean> {
  const names = [...dailyTables, aircraftDays, densityHours].map(({ name }) => name);
  const [found] = await client.rows<{ tables: number }>(
    'SELECT toUInt32(count()) AS tables FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}',
    { names },
  );
  return found?.tables === names.length;
}

/** With a connection of its own: every request of the client names the database, which need not exist yet. */
async function createDatabase({ address }: HistoryClient): Promise<void> {
  const outside = historyClient({ ...address, database: 'default' });
  try {
    await outside.command('CREATE DATABASE IF NOT EXISTS {name:Identifier}', { name: address.database });
  } finally {
    await outside.close();
  }
}
