// The numbered statements: released ones never change.
import { describe, expect, it } from 'vitest';
import { engineKinds, firstVersion, steps } from './ddl.ts';

describe('statements of the history tables', () => {
  it('are numbered without gaps', () => {
    expect(steps.map(({ version }) => version)).toEqual(steps.map((_, i) => firstVersion + i));
  });

  it.each(engineKinds)('never change once released: %s', async (engines) => {
    const text = steps.flatMap(({ version, name, statements }) => [`-- ${version} ${name}`, ...statements(engines)]).join('\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`released/${engines}.sql`);
  });
});
