// Full transitive compatibility: every released version of a schema and the present one read what every other wrote.
// A release adds `released/VERSION.json` with all its schemas; a released file is never edited.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import avsc, { type Schema } from 'avsc';
import { describe, expect, test } from 'vitest';
import { type AvroName, avroSchemas } from './index.ts';

interface RecordSchema {
  readonly fields: readonly { readonly name: string; readonly type: unknown }[];
}

const folder = join(import.meta.dirname, 'released');
const releases = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, object>);
const names = Object.keys(avroSchemas) as AvroName[];

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

/** Compares the released versions of a schema and others: every pair, both ways. */
function obstacles(name: AvroName, ...others: object[]): string[] {
  const versions = [...releases.map((schemas) => schemas[name]).filter((schema) => schema !== undefined), ...others];
  return versions.flatMap((reader) => versions.map((writer) => obstacle(reader, writer)).filter((text) => text !== null));
}

describe.each(names)('%s', (name) => {
  const current = avroSchemas[name] as RecordSchema;
  const [first, ...more] = current.fields;

  test('every version reads every other, and one with another field would be refused', () => {
    expect(obstacles(name, current)).toEqual([]);
    expect(obstacles(name, current, { ...current, fields: [{ ...first, name: 'renamed' }, ...more] })).not.toEqual([]);
  });
});

test('the present release has its schemas, and no released schema is gone', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  expect(readdirSync(folder)).toContain(`${version}.json`);
  for (const schemas of releases) expect(names).toEqual(expect.arrayContaining(Object.keys(schemas)));
});
