// One stream of WatchAircraft: it has the messages of at most one tick, and takes them one at a time. Ticks that come meanwhile are skipped, and a
// whole state follows.

/** Where the messages of a stream go. */
export interface WatchSink {
  /** Calls `taken` when the client has taken the message. */
  send(message: Buffer, taken: () => void): void;
  /** The stream ends with an error. */
  fail(error: unknown): void;
}

export class Watcher {
  private readonly sink: WatchSink;
  private readonly onIdle: (watcher: Watcher) => void;
  /** Gets a whole state before further changes. */
  needsState = true;
  isEnded = false;
  private pieces: readonly Buffer[] = [];
  private next = 0;
  /** Since when it has had the messages that it has now. */
  private sinceMs = 0;

  /** `onIdle` is called when it has taken all messages. */
  constructor(sink: WatchSink, onIdle: (watcher: Watcher) => void) {
    this.sink = sink;
    this.onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.pieces.length === 0;
  }

  /** How long it has taken over the messages of one tick, ms; 0 while it is idle. */
  behindMs(nowMs: number): number {
    return this.isIdle ? 0 : nowMs - this.sinceMs;
  }

  /** Call only while it is idle. */
  give(pieces: readonly Buffer[], nowMs: number): void {
    this.pieces = pieces;
    this.next = 0;
    this.sinceMs = nowMs;
    this.sendNext();
  }

  fail(error: unknown): void {
    if (this.isEnded) return;
    this.end();
    this.sink.fail(error);
  }

  end(): void {
    this.isEnded = true;
    this.pieces = [];
  }

  private readonly sendNext = (): void => {
    if (this.isEnded) return;
    const piece = this.pieces[this.next];
    if (piece !== undefined) {
      this.next += 1;
      this.sink.send(piece, this.sendNext);
      return;
    }
    this.pieces = [];
    this.onIdle(this);
  };
}
