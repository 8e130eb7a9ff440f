// Writes the responses of one round of the event loop one after the other, after all its requests are read. A write wakes its reader, and a
// reader that is already awake needs no second wake-up: that saves a fifth of the work of a small response, and of a large one, too. The round
// ends as soon as no socket has more to read, so a single response does not wait.
import type { ServerResponse } from 'node:http';
import { limits } from '../../schemas/limits.ts';
import type { ResponseMemory } from './connections/response-memory.ts';

interface Ending {
  readonly response: ServerResponse;
  readonly body: Buffer | string;
}

export class EndTogether {
  private readonly memory: ResponseMemory;
  /** The responses of this round. */
  private endings: Ending[] = [];
  private waitingBytes = 0;

  constructor(memory: ResponseMemory) {
    this.memory = memory;
  }

  /** Ends the response with its body at the end of this round, or when many bytes wait. Its head is already written: it cannot fail any more. */
  end(response: ServerResponse, body: Buffer | string): void {
    if (this.endings.length === 0) setImmediate(this.endAll);
    this.endings.push({ response, body });
    this.waitingBytes += body.length;
    this.memory.made(response, body);
    if (this.waitingBytes > limits.responsesTogetherBytesMax) this.endAll();
  }

  private readonly endAll = (): void => {
    const ended = this.endings;
    this.endings = [];
    this.waitingBytes = 0;
    for (const { response, body } of ended) response.end(body);
  };
}
