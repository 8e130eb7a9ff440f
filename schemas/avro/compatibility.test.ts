// Full transitive compatibility: every released version of a schema reads what every other wrote, and the present one is among them.
// A release adds `history/NAME.vN.avsc`; a released file is never edited.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import avsc, { type Schema } from 'avsc';
import { describe, expect, test } from 'vitest';
import { type AvroName, avroSchemas } from './index.ts';

interface RecordSchema {
  readonly fields: readonly { readonly name: string; readonly type: unknown }[];
}

const folder = join(import.meta.dirname, 'history');
const names = Object.keys(avroSchemas) as AvroName[];

/** Released versions of a schema, oldest first. */
function released(name: AvroName): object[] {
  const numberOf = (file: string) => Number(/\.v(\d+)\.avsc$/.exec(file)?.[1]);
  return readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.v`))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as object);
}

const typeOf = (schema: object) => avsc.Type.forSchema(structuredClone(schema) as Schema, { wrapUnions: false });

/** Why a reader cannot read a writer's values; null when it can. */
function obstacle(reader: object, writer: object): string | null {
  try {
    typeOf(reader).createResolver(typeOf(writer));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every pair, both ways. */
function obstacles(versions: readonly object[]): string[] {
  return versions.flatMap((reader) => versions.map((writer) => obstacle(reader, writer)).filter((text) => text !== null));
}

describe.each(names)('%s', (name) => {
  const current = avroSchemas[name] as RecordSchema;

  test('every version reads every other', () => {
    expect(obstacles([...released(name), current])).toEqual([]);
  });

  test('the last released version is what the code writes', () => {
    expect(released(name).at(-1)).toEqual(JSON.parse(JSON.stringify(current)));
  });

  test.each<[string, (schema: RecordSchema) => object]>([
    ['a field without default is added', (schema) => ({ ...schema, fields: [...schema.fields, { name: 'added', type: 'string' }] })],
    ['a field without default is removed', (schema) => ({ ...schema, fields: schema.fields.slice(1) })],
    [
      'a field changes its type',
      (schema) => ({ ...schema, fields: [{ ...schema.fields[0]!, type: 'boolean' }, ...schema.fields.slice(1)] }),
    ],
    ['a field is renamed', (schema) => ({ ...schema, fields: [{ ...schema.fields[0]!, name: 'renamed' }, ...schema.fields.slice(1)] })],
    ['the record is renamed', (schema) => ({ ...schema, name: 'Renamed' })],
  ])('it is noticed when %s', (_change, edit) => {
    expect(obstacles([...released(name), edit(current)]).length).toBeGreaterThan(0);
  });

  test('a field with a default may come', () => {
    const added = { ...current, fields: [...current.fields, { name: 'added', type: ['null', 'string'], default: null }] };
    expect(obstacles([...released(name), added])).toEqual([]);
  });
});

test('a breaking change against any released version counts, not only against the last', () => {
  const first = { type: 'record', name: 'R', fields: [{ name: 'a', type: 'int' }] };
  const second = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'a', type: 'int' },
      { name: 'b', type: 'int', default: 1 },
    ],
  };
  const third = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'a', type: 'int' },
      { name: 'b', type: 'int' },
    ],
  };
  expect(obstacles([second, third])).toEqual([]);
  expect(obstacles([first, second, third]).length).toBeGreaterThan(0);
});

test('the history holds nothing but schemas that exist', () => {
  for (const file of readdirSync(folder)) expect(names).toContain(file.split('.')[0]);
});
