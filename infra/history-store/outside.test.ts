// Statements that reach outside the store, however they are written. That the engine refuses the rest: test/contract/history-store.test.ts.
import { describe, expect, it } from 'vitest';
import { refuseOutside } from './outside.ts';

const FUNCTIONS = new Set(['file', 'url', 'format', 'eval', 'values', 'numbers', 'input', 'null']);
const codeOf = (sql: string): string => {
  try {
    refuseOutside(sql, FUNCTIONS);
    return 'taken';
  } catch (error) {
    return (error as Error).message.slice(0, 9);
  }
};

describe('a statement that reaches outside', () => {
  it.each([
    "SELECT file('/f')",
    "SELECT `file`('/f')",
    'SELECT "fi\\le"(\'/f\')',
    "SELECT file/* */\n-- (\n('/f')",
    "SELECT FILE('/f')",
    "SELECT * APPLY file FROM (SELECT '/f')",
    "SELECT arrayMap(file, ['/f'])",
    "SELECT * FROM Eval('SELECT 1')",
    "SELECT 1 WHERE 1 IN (SELECT * FROM format('CSV', '1'))",
    "INSERT INTO FUNCTION url('http://127.0.0.1')",
    "CREATE TABLE t (a String) ORDER BY a SETTINGS disk = disk(type = 's3')",
    'CREATE TABLE t (a String) ENGINE = QueryRunner',
    'CREATE TABLE t (a String) engine "File"(CSV)',
    "SELECT 1 INTO OUTFILE '/f'",
    "INSERT INTO t FROM INFILE '/f' FORMAT CSV",
  ])('is refused: %s', (sql) => expect(codeOf(sql)).toBe('Code: 497'));

  it.each(["SELECT $a b$ ' $a b$, 1", "SELECT 1 # '\n, 2", "SELECT ‘'’, 1 --'", "SELECT x'\\', 1, ''", 'SELECT 1\u200b'])(
    'is refused if its quotes can be read in two ways: %s',
    (sql) => expect(codeOf(sql)).toBe('Code: 62.'),
  );
});

it('other statements are taken', () => {
  const all = [
    "SELECT 'file(', `format`, engine, 1.5e3, {'a': 1}['a'], x[1].2, a ? -b : c::String FROM system.tables WHERE name != 'é$#' AND name IS NOT NULL",
    'INSERT INTO t VALUES (1), (2)',
    'SELECT count() FROM numbers(10) AS n JOIN (SELECT 1 AS a) AS b ON n.number = b.a -- “',
    'CREATE TABLE t (engine String) ENGINE = ReplicatedReplacingMergeTree ORDER BY engine',
    'CREATE DATABASE d ENGINE = Atomic',
    'ALTER TABLE t DROP PARTITION 20260228',
  ];
  for (const sql of all) expect(codeOf(sql), sql).toBe('taken');
});
