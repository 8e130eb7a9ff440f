// Column types of tables, for the bodies of inserts. Kept until a statement may have changed a table.
import type { Engine, Run } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { identifier } from './lexer.ts';

/** Columns that an insert without a list of columns has not. */
const COMPUTED = new Set(['MATERIALIZED', 'ALIAS']);
const TABLES_MAX = 100;

export class TableStructures {
  private readonly engine: Engine;
  private readonly known = new Map<string, ReadonlyMap<string, { readonly type: string; readonly computed: boolean }>>();

  constructor(engine: Engine) {
    this.engine = engine;
  }

  forget(): void {
    this.known.clear();
  }

  /** `name type, …` of the listed columns, or of all. Errors: those of the engine; 16 for an unknown column. */
  async of(table: string, columns: readonly string[] | null, run: Run): Promise<string> {
    const types = await this.typesOf(table, run);
    const names = columns ?? [...types].filter(([, { computed }]) => !computed).map(([name]) => name);
    return names
      .map((name) => {
        const column = types.get(name);
        if (column === undefined) throw new EngineError(16, `No such column ${name} in table ${table}. (NO_SUCH_COLUMN_IN_TABLE)`);
        return `${identifier(name)} ${column.type}`;
      })
      .join(', ');
  }

  private async typesOf(table: string, run: Run) {
    const key = `${run.database} ${table}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { bytes } = await this.engine.read({ ...run, sql: `DESCRIBE TABLE ${table}` }, 'JSONEachRow');
    const lines = Buffer.from(bytes).toString('utf8').trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as { name: string; type: string; default_type: string });
    const types = new Map(rows.map(({ name, type, default_type: kind }) => [name, { type, computed: COMPUTED.has(kind) }]));
    if (this.known.size >= TABLES_MAX) this.known.clear();
    this.known.set(key, types);
    return types;
  }
}
