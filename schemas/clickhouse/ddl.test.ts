// The numbered statements: released ones never change, and no field of a position is missing.
import { describe, expect, it } from 'vitest';
import { positionBatchSchema } from '../avro/position-batch.ts';
import { engineKinds, steps } from './ddl.ts';
import { positions } from './tables.ts';

describe('statements of the history tables', () => {
  it('are numbered from 1 without gaps', () => {
    expect(steps.map(({ version }) => version)).toEqual(steps.map((_, i) => i + 1));
  });

  it.each(engineKinds)('never change once released: %s', async (engines) => {
    const text = steps.flatMap(({ version, name, statements }) => [`-- ${version} ${name}`, ...statements(engines)]).join('\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`released/${engines}.sql`);
  });

  it('keep every field of a position', () => {
    const fields = positionBatchSchema.fields[1].type.items.fields.map(({ name }) => name as string);
    const renamed: Readonly<Record<string, string>> = { hex: 'icao24', timeUs: 'time' };
    const columns = positions.columns.map(({ name }) => name);
    expect(columns).toEqual(expect.arrayContaining(fields.map((name) => renamed[name] ?? name)));
    expect(columns).toHaveLength(fields.length + 1);
  });
});
