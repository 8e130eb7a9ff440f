// Offsets of a record are those of today's snapshots, and the build replaces names by numbers.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as layout from './layout.ts';

test('every offset is that of snapshots with layout 8: a slot that moves needs a new layout, which must also read this one', () => {
  const offsets = Object.entries(layout).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(createHash('sha256').update(JSON.stringify(offsets)).digest('hex').slice(0, 16)).toBe('36783d405c3b9642');
});

test('the build inlines them: no built module of the fold imports one', () => {
  const folder = new URL('../../dist/modules/pipeline/fold/', import.meta.url);
  const code = readdirSync(folder).filter((file) => file.endsWith('.js'));
  expect(code.length).toBeGreaterThan(30);
  expect(code.filter((file) => /import \{[^}]*\} from "\.\/layout\.js"/.test(readFileSync(new URL(file, folder), 'utf8')))).toEqual([]);
});
