// Responses of one round of the event loop are written together, after all its requests are read.
import type { ServerResponse } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ResponseMemory } from './response-memory.ts';

test('responses end in their order at the end of the round in which they were made', async () => {
  const memory = new ResponseMemory(new Set());
  const ended: string[] = [];
  const end = (body: string): void => {
    const response = { req: { socket: {} }, end: (text: string) => ended.push(text) };
    memory.end(response as unknown as ServerResponse, body);
  };
  end('first');
  await Promise.resolve();
  end('second');
  expect(ended).toEqual([]);
  await nextRound();
  expect(ended).toEqual(['first', 'second']);
  end('third');
  await nextRound();
  expect(ended).toEqual(['first', 'second', 'third']);
});
