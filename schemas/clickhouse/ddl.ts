// The numbered statements that create the history tables. A released number never changes: a change of a table is a new number.
import { limits } from '../limits/index.ts';
import { type PositionField, positionFields } from '../position-fields.ts';
import type { Column } from './columns.ts';
import { aircraftDays, type Counts, densityHours, feederHistory, flights, positions, signalHistory, type Table } from './tables.ts';

/** `plain`: one server, and the embedded store. `replicated`: tables are replicated through ClickHouse Keeper, with the server's macros `shard` and `replica`. */
export const engineKinds = ['plain', 'replicated'] as const;
export type EngineKind = (typeof engineKinds)[number];

export interface Step {
  readonly version: number;
  readonly name: string;
  readonly statements: (engines: EngineKind) => readonly string[];
}

const addedFields = (positionFields as readonly PositionField[]).filter(({ step }) => step !== undefined);
/** The table as it was created first. */
const firstPositions = { ...positions, columns: positions.columns.filter((own) => !addedFields.some(({ column }) => column === own)) };

const counts = [aircraftDays, densityHours];

/** Tables with lower numbers are from before 0.1.0. */
export const firstVersion = 8;

export const steps: readonly Step[] = [
  {
    version: firstVersion,
    name: 'tables',
    statements: (engines) => [
      createTable(firstPositions, engines, counts),
      ...[flights, signalHistory, feederHistory].map((table) => createTable(table, engines)),
      ...counts.map(createView),
    ],
  },
  ...addedFields.map(({ step, name, column }) => ({
    ...{ version: step!, name: `positions_${name}`, statements: () => [addColumns(positions.name, [column])] },
  })),
];

export const newestVersion = steps.at(-1)!.version;

/** Steps that a database has. Created before all steps. */
export const versionTable: Table = {
  name: 'schema_versions',
  about: 'Numbered changes of these tables that this database has.',
  columns: [
    { name: 'version', type: 'UInt32', codec: 'ZSTD(1)', about: 'Number.' },
    { name: 'name', type: 'String', codec: 'ZSTD(1)', about: 'Name.' },
    { name: 'engines', type: 'LowCardinality(String)', codec: 'ZSTD(1)', about: 'plain or replicated.' },
  ],
  engine: 'Replacing',
  partitionBy: '',
  orderBy: 'version',
};

/** Repeated statements change nothing. */
export function createTable(table: Table, engines: EngineKind, projections: readonly Counts[] = []): string {
  const { name, about, columns, engine, partitionBy, orderBy, blockBytesMin } = table;
  const window = engines === 'plain' ? 'non_replicated_deduplication_window' : 'replicated_deduplication_window';
  const settings = [
    // Without it, a plain table ignores deduplication tokens.
    `${window} = ${limits.deduplicationWindowBlocks}`,
    ...(blockBytesMin === undefined ? [] : [`min_compress_block_size = ${blockBytesMin}`]),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${name}`,
    `(\n${[...columns.map(columnLine), ...projections.map(projectionLine)].map((line) => `  ${line}`).join(',\n')}\n)`,
    `ENGINE = ${engineText(engine, engines)}`,
    ...(partitionBy === '' ? [] : [`PARTITION BY ${partitionBy}`]),
    `ORDER BY ${orderBy}`,
    `SETTINGS ${settings.join(', ')}`,
    `COMMENT ${quoted(about)}`,
  ].join('\n');
}

/** Repeated statements change nothing. */
function addColumns(table: string, columns: readonly Column[]): string {
  return `ALTER TABLE ${table}\n${columns.map((column) => `  ADD COLUMN IF NOT EXISTS ${columnLine(column)}`).join(',\n')}`;
}

function createView(counts: Counts): string {
  return `CREATE VIEW IF NOT EXISTS ${counts.name} AS\n${grouped(counts, ' FROM positions')}\nCOMMENT ${quoted(counts.about)}`;
}

function projectionLine(counts: Counts): string {
  return `PROJECTION ${counts.name} (${grouped(counts, '')})`;
}

/** The same text in the view and in the projection, so that the engine finds the one for the other. */
function grouped({ keys, values }: Counts, from: string): string {
  const selected = Object.entries({ ...keys, ...values }).map(([name, text]) => (name === text ? name : `${text} AS ${name}`));
  return `SELECT ${selected.join(', ')}${from} GROUP BY ${Object.keys(keys).join(', ')}`;
}

function columnLine({ name, type, codec, about }: Column): string {
  return `${name} ${type} COMMENT ${quoted(about)} CODEC(${codec})`;
}

function engineText(engine: Table['engine'], engines: EngineKind): string {
  return engines === 'plain'
    ? `${engine}MergeTree`
    : `Replicated${engine}MergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
