// Answers of one round of the event loop are written one right after the other, when all its requests are read. A write wakes its reader, and a
// reader that just woke for one answer needs no waking for the next: a fifth of the work of a small answer, and of a large one too. The round is
// over as soon as no socket has more to read, so an answer alone waits for nothing.
import type { ServerResponse } from 'node:http';
import { limits } from '../schemas/limits.ts';

interface Ending {
  readonly response: ServerResponse;
  readonly body: Buffer | string;
}

/** What the requests of one round are answered with. */
let endings: Ending[] = [];
let waitingBytes = 0;

/** Ends the response with its body at the end of this round, or when much waits. Its head is written already: it cannot fail any more. */
export function endTogether(response: ServerResponse, body: Buffer | string): void {
  if (endings.length === 0) setImmediate(endAll);
  endings.push({ response, body });
  waitingBytes += body.length;
  if (waitingBytes > limits.answersTogetherBytesMax) endAll();
}

function endAll(): void {
  const ended = endings;
  endings = [];
  waitingBytes = 0;
  for (const { response, body } of ended) response.end(body);
}
