// Codes as numbers: converted back exactly, and only codes have a key.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_CHARACTERS_MAX, codeKey, codeText } from './code-key.ts';

const code = fc.stringMatching(/^[A-Z0-9-]{1,10}$/);

describe('codeKey', () => {
  it('converts back to the code', () => {
    fc.assert(fc.property(code, (text) => codeText(codeKey(text)) === text));
  });

  it('is an integer, and unique for every code', () => {
    fc.assert(fc.property(code, code, (a, b) => Number.isSafeInteger(codeKey(a)) && (codeKey(a) === codeKey(b)) === (a === b)));
    expect(Number.isSafeInteger(codeKey('-'.repeat(CODE_CHARACTERS_MAX)))).toBe(true);
  });

  it('ignores case', () => {
    fc.assert(fc.property(code, (text) => codeKey(text.toLowerCase()) === codeKey(text)));
  });

  it('is 0 for any other text', () => {
    expect(codeKey('')).toBe(0);
    fc.assert(fc.property(fc.string(), (text) => (codeKey(text) === 0) === !/^[A-Za-z0-9-]{1,10}$/.test(text)));
  });
});
