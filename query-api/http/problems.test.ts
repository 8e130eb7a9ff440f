// The stable codes of errors as clients see them.
import { expect, it } from 'vitest';
import { type ErrorCode, errorKinds, stableCode } from '../../schemas/errors.ts';
import { statusOf } from './problems.ts';

it('every error that a client may see has a stable code of its own', () => {
  const seen = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code === 'api.internal' || statusOf(code) !== 500).map(stableCode);
  expect(seen.filter((code, at) => seen.indexOf(code) !== at)).toEqual([]);
});
