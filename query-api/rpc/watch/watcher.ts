// One stream of WatchAircraft: it has the messages of one tick at a time. Ticks that come before they are taken are missed, and a whole state follows.
import type { WatchAircraftResponse } from '../../../schemas/proto/v1/aircraft_pb.ts';

export type Messages = readonly WatchAircraftResponse[];

interface Waiting {
  readonly resolve: (messages: Messages) => void;
  readonly reject: (error: unknown) => void;
}

export class Watcher {
  /** Gets a whole state before further changes. */
  needsState = true;
  private waiting: Waiting | null = null;
  /** Since when it has messages that are not taken; null without. */
  private sinceMs: number | null = null;
  private failure: { readonly error: unknown } | null = null;
  /** Throws when its caller may have it no more. */
  readonly check: () => void;

  constructor(check: () => void) {
    this.check = check;
  }

  get isEnded(): boolean {
    return this.failure !== null;
  }

  /** Waits for the next tick, and can take its changes. */
  get isReady(): boolean {
    return this.waiting !== null;
  }

  /** The changes of the next tick. Rejects with the error of `end`. */
  next(): Promise<Messages> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      if (this.failure !== null) reject(this.failure.error);
    });
  }

  /** Call only while it is ready. */
  give(messages: Messages): void {
    this.waiting!.resolve(messages);
    this.waiting = null;
  }

  /** Yields messages one at a time. Throws the error of `end`. */
  async *deliver(messages: Messages, nowMs: number): AsyncGenerator<WatchAircraftResponse> {
    this.sinceMs = nowMs;
    for (const message of messages) {
      yield message;
      if (this.failure !== null) throw this.failure.error;
    }
    this.sinceMs = null;
  }

  /** How long it has had the messages of one tick, ms; 0 when it has taken them. */
  behindMs(nowMs: number): number {
    return this.sinceMs === null ? 0 : nowMs - this.sinceMs;
  }

  end(error: unknown): void {
    this.failure ??= { error };
    this.waiting?.reject(error);
  }
}
