// Statements: routing, settings, parameters, bodies of inserts. What the engine makes of them: test/contract/history-store.contract.ts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

describe('a statement', () => {
  it('is routed by its first word, after comments and parentheses', () => {
    const kinds = {
      'SELECT 1': 'read',
      '/* INSERT */ -- DROP\n (select 1)': 'read',
      'WITH 1 AS a SELECT a': 'read',
      'SHOW TABLES': 'read',
      'DROP TABLE x': 'write',
      'INSERT INTO t VALUES (1)': 'write',
      'INSERT INTO t SELECT 1 FORMAT Null': 'write',
      'INSERT INTO t FORMAT Native': 'insert',
      'SET a = 1': 'Code: 48',
      'KILL QUERY WHERE 1': 'Code: 48',
    };
    expect(Object.fromEntries(Object.keys(kinds).map((sql) => [sql, kindOf(sql)]))).toEqual(kinds);
  });

  it('is alone, and there', () => {
    expect(kindOf('SELECT 1;')).toBe('read');
    expect(kindOf("SELECT ';', `;` -- ;")).toBe('read');
    for (const sql of ['SELECT 1; DROP TABLE x', '', ' -- nothing', ';']) expect(kindOf(sql), sql).toBe('Code: 62');
  });

  it('names its format outside strings and parentheses only', () => {
    expect(parse('SELECT 1 FORMAT CSV')).toMatchObject({ format: 'CSV' });
    expect(parse("SELECT ' FORMAT CSV'")).toMatchObject({ format: null });
    expect(parse('SELECT format FROM (SELECT 1 AS format)')).toMatchObject({ format: null });
  });
});

describe('an insert with a body', () => {
  it('becomes an insert of a file, with its settings beside ours', () => {
    const settings = new Map([['log_comment', "it's"]]);
    const plain = parse('INSERT INTO db.t (a, `b c`) FORMAT Native');
    expect(insertOfFile(plain as never, '/f', settings)).toBe(
      "INSERT INTO db.t (a, `b c`) FROM INFILE '/f' SETTINGS log_comment = 'it\\'s' FORMAT Native",
    );
    const own = parse('INSERT INTO t SETTINGS a = 1 FORMAT CSV');
    expect(insertOfFile(own as never, '/f', settings)).toBe(
      "INSERT INTO t FROM INFILE '/f' SETTINGS a = 1, log_comment = 'it\\'s' FORMAT CSV",
    );
  });

  it('has no rows in its text', () => {
    expect(kindOf('INSERT INTO t FORMAT CSV 1,2')).toBe('Code: 48');
    expect(kindOf('INSERT INTO t FORMAT Values')).toBe('Code: 48');
  });
});

describe('settings', () => {
  it('are numbers or text', () => {
    expect(
      settingsText(
        new Map([
          ['a', '1.5'],
          ['b', "x'"],
          ['c', '1; DROP'],
        ]),
      ),
    ).toBe("SETTINGS a = 1.5, b = 'x\\'', c = '1; DROP'");
    expect(() => settingsText(new Map([['a b', '1']]))).toThrow(/UNKNOWN_SETTING/);
  });
});

describe('parameters', () => {
  it('stay out of strings, comments and names', () => {
    const values = new Map([['a', '1']]);
    expect(withParameters("SELECT '{a:Int8}', `{a:Int8}` /* {b:Int8} */, {a:Int8}", values)).toBe(
      "SELECT '{a:Int8}', `{a:Int8}` /* {b:Int8} */, _CAST('1', 'Int8')",
    );
  });

  it('are never more than one literal, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('String', 'UInt8', 'Array(String)', 'Identifier'), (value, type) => {
        const list = tokens(withParameters(`SELECT {a:${type}}`, new Map([['a', value]])));
        const constant = list.slice(1).map(({ kind }) => kind);
        const isNull = value === '\\N' && type !== 'Identifier';
        const cast = ['word', 'symbol', isNull ? 'word' : 'string', 'symbol', 'string', 'symbol'];
        expect(constant).toEqual(type === 'Identifier' ? ['quoted'] : type === 'String' && !isNull ? ['string'] : cast);
      }),
    );
  });
});

describe('quoting', () => {
  it('ends where the text ends', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(tokens(`${literal(text)} ${identifier(text)}`).map(({ kind }) => kind)).toEqual(['string', 'quoted']);
      }),
    );
  });
});
