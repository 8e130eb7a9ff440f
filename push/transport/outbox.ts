// The frames that wait for one socket: references to shared frames, never copies.
import type { Outgoing, Pipe } from './pipe.ts';

/** Counters of all sockets of a transport. */
export interface SentCounts {
  frames: number;
  bytes: number;
}

export class Outbox {
  readonly #pipe: Pipe;
  readonly #sent: SentCounts;
  #queue: Outgoing[] = [];
  /** Bytes of the first frame that the pipe has taken. */
  #offset = 0;
  #queuedBytes = 0;
  #takenBytes = 0;
  /** Bytes published since the last frame for this socket alone. */
  #publishedBytes = 0;
  #ended = false;

  constructor(pipe: Pipe, sent: SentCounts) {
    this.#pipe = pipe;
    this.#sent = sent;
  }

  /** Bytes that the kernel does not have yet. */
  get pendingBytes(): number {
    return this.#queuedBytes + this.#pipe.buffered();
  }

  /** Bytes that the connection took. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Bytes that the kernel has: grows while the client reads. */
  get writtenBytes(): number {
    return this.#takenBytes - this.#pipe.buffered();
  }

  /** Pending bytes that count for the budget: those behind the last frame for this socket alone. */
  get budgetedBytes(): number {
    return Math.min(this.pendingBytes, this.#publishedBytes);
  }

  publish(outgoing: Outgoing): void {
    this.#publishedBytes = this.pendingBytes === 0 ? outgoing.bytes.length : this.#publishedBytes + outgoing.bytes.length;
    this.#add(outgoing);
  }

  send(outgoing: Outgoing): void {
    this.#publishedBytes = 0;
    this.#add(outgoing);
  }

  /** Gives the pipe as much as it takes. */
  pump(): void {
    while (this.#queue.length > 0) {
      const outgoing = this.#queue[0]!;
      const next = this.#pipe.write(outgoing, this.#offset);
      if (next < 0) return;
      const newBytes = next - this.#offset;
      this.#queuedBytes -= newBytes;
      this.#takenBytes += newBytes;
      this.#sent.bytes += newBytes;
      if (next < outgoing.bytes.length) {
        this.#offset = next;
        continue;
      }
      this.#offset = 0;
      this.#sent.frames++;
      this.#queue.shift();
    }
  }

  /** Drops what the pipe has not taken, and takes nothing more. */
  end(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#ended = true;
  }

  #add(outgoing: Outgoing): void {
    if (this.#ended) return;
    this.#queue.push(outgoing);
    this.#queuedBytes += outgoing.bytes.length;
    if (this.#queue.length === 1) this.pump();
  }
}
