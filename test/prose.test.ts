// Plain English as a test: comments, READMEs, docs and the CHANGELOG hold next to none of the turns that make a newcomer read a sentence twice.
import { expect, it } from 'vitest';
import { proseByRoom } from './support/prose.ts';

/** Turns that are tolerated in a room, for each thousand lines of its prose. */
const TURNS_PER_THOUSAND_MAX = 3;

it.each([...proseByRoom()].sort(([a], [b]) => (a < b ? -1 : 1)))('the prose of %s is plain', (_, { lines, turns }) => {
  expect(turns.length > Math.max(1, (lines * TURNS_PER_THOUSAND_MAX) / 1000) ? turns.join('\n') : '').toBe('');
});
