// Statements: routing, and texts that never become more than one literal. What the engine makes of them: test/contract/history-store.contract.ts.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identifier, literal, tokens } from './lexer.ts';
import { withParameters } from './parameters.ts';
import { insertOfFile, parse, settingsText } from './statement.ts';

const kindOf = (sql: string): string => {
  try {
    return parse(sql).kind;
  } catch (error) {
    return (error as Error).message.replace(/\. DB::.*/, '');
  }
};

it.each([
  ['SELECT 1;', 'read'],
  ["SELECT ';', `;` -- ;", 'read'],
  ['/* INSERT */ -- DROP\n (select 1)', 'read'],
  ['SHOW TABLES', 'read'],
  ['INSERT INTO t VALUES (1)', 'write'],
  ['INSERT INTO t SELECT 1 FORMAT Null', 'write'],
  ['INSERT INTO t FORMAT Native', 'insert'],
  ['INSERT INTO t FORMAT CSV 1,2', 'Code: 48'],
  ['INSERT INTO t FORMAT Values', 'Code: 48'],
  ['INSERT INTO t SETTINGS a = 1 FORMAT CSV', 'Code: 48'],
  ['KILL QUERY WHERE 1', 'Code: 48'],
  ['SET a = 1', 'Code: 48'],
  ['SELECT 1; DROP TABLE x', 'Code: 62'],
  [' -- nothing', 'Code: 62'],
])('%j is routed: %s', (sql, kind) => expect(kindOf(sql)).toBe(kind));

it('an insert with a body becomes an insert of a file, with settings that are numbers or text', () => {
  const settings = new Map([...Object.entries({ a: '1.5', b: '1; DROP', log_comment: "it's" })]);
  expect(insertOfFile(parse('INSERT INTO db.t (a, `b c`) FORMAT Native') as never, '/f', settings)).toBe(
    "INSERT INTO db.t (a, `b c`) FROM INFILE '/f' SETTINGS a = 1.5, b = '1; DROP', log_comment = 'it\\'s' FORMAT Native",
  );
  expect(() => settingsText(new Map([['a b', '1']]))).toThrow(/UNKNOWN_SETTING/);
});

it('parameters are one literal each, whatever they hold, and so is what is quoted', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('String', 'UInt8', 'Array(String)', 'Identifier'), (value, type) => {
      const list = tokens(withParameters(`SELECT {a:${type}}`, new Map([['a', value]])));
      const constant = list.slice(1).map(({ kind }) => kind);
      const isNull = value === '\\N' && type !== 'Identifier';
      const cast = ['word', 'symbol', isNull ? 'word' : 'string', 'symbol', 'string', 'symbol'];
      expect(constant).toEqual(type === 'Identifier' ? ['quoted'] : type === 'String' && !isNull ? ['string'] : cast);
      expect(tokens(`${literal(value)} ${identifier(value)}`).map(({ kind }) => kind)).toEqual(['string', 'quoted']);
    }),
  );
});
