// Statements whose quotes could be read in two ways, and those that stay inside. That those that reach outside are refused, however they are written:
// test/contract/history-store.test.ts.
import { expect, it } from 'vitest';
import { refuseOutside } from './outside.ts';

const refuse = (sql: string) => () => refuseOutside(sql, new Set(['file', 'format', 'values', 'numbers']));

it.each(["SELECT $a b$ ' $a b$, 1", "SELECT 1 # '\n, 2", "SELECT ‘'’, 1 --'", "SELECT x'\\', 1, ''", 'SELECT 1\u200b'])(
  'is refused if its quotes can be read in two ways: %s',
  (sql) => expect(refuse(sql)).toThrow(/^Code: 62\./),
);

it.each([
  "SELECT 'file(', `format`, engine, 1.5e3, {'a': 1}['a'], x[1].2, a ? -b : c::String FROM system.tables WHERE name != 'é$#' AND name IS NOT NULL",
  'INSERT INTO t VALUES (1), (2)',
  'SELECT count() FROM numbers(10) AS n JOIN (SELECT 1 AS a) AS b ON n.number = b.a -- “',
  'CREATE TABLE t (engine String) ENGINE = ReplicatedReplacingMergeTree ORDER BY engine',
  'CREATE DATABASE d ENGINE = Atomic',
  'ALTER TABLE t DROP PARTITION 20260228',
])('other statements are not refused: %s', (sql) => expect(refuse(sql)).not.toThrow());
