// Small answers of one round of the event loop are written one right after the other, when all its requests are read. A write wakes its
// reader, and a reader that just woke for one answer needs no waking for the next: that is a fifth of the work of a small answer. The round
// is over as soon as no socket has more to read, so an answer alone waits for nothing.
import type { ServerResponse } from 'node:http';

/** Larger answers are not worth waiting for, and hold memory of the view meanwhile. */
export const TOGETHER_BYTES_MAX = 16 * 1024;

interface Ending {
  readonly response: ServerResponse;
  readonly body: Buffer | string;
}

/** What the requests of one round are answered with: as many as one read of each socket holds. */
let endings: Ending[] = [];

/** Ends the response with its body at the end of this round. Its head is written already: it cannot fail any more. */
export function endTogether(response: ServerResponse, body: Buffer | string): void {
  if (endings.length === 0) setImmediate(endAll);
  endings.push({ response, body });
}

function endAll(): void {
  const ended = endings;
  endings = [];
  for (const { response, body } of ended) response.end(body);
}
