// Codes as numbers: spelt back exactly, and nothing else has a key.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_CHARACTERS_MAX, codeKey, codeText } from './code-key.ts';

const code = fc.stringMatching(/^[A-Z0-9-]{1,10}$/);

describe('codeKey', () => {
  it('is spelt back', () => {
    fc.assert(fc.property(code, (text) => codeText(codeKey(text)) === text));
  });

  it('is whole, and another one for every code', () => {
    fc.assert(fc.property(code, code, (a, b) => Number.isSafeInteger(codeKey(a)) && (codeKey(a) === codeKey(b)) === (a === b)));
    expect(Number.isSafeInteger(codeKey('-'.repeat(CODE_CHARACTERS_MAX)))).toBe(true);
  });

  it('knows no case', () => {
    fc.assert(fc.property(code, (text) => codeKey(text.toLowerCase()) === codeKey(text)));
  });

  it('is 0 for what is no code', () => {
    expect(codeKey('')).toBe(0);
    fc.assert(fc.property(fc.string(), (text) => (codeKey(text) === 0) === !/^[A-Za-z0-9-]{1,10}$/.test(text)));
  });
});
