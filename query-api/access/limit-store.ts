// The port of the limits: turns, bytes of a day, sockets and trials of callers, in this process or shared by all processes of an installation.
// One contract suite, `limit-store.contract.ts`, runs against every adapter. Callers are principals: `feeder/ID`, or `address/HASH` and `page/HASH`
// with a keyed hash of an address, each with 16 hex digits; `turns/ID` counts the turns of a feeder, like bytes. All times are ms since the Unix epoch.

/** The store's row of a connected caller. */
export interface Visit {
  /** When its trial began; null for a new caller while the table of its kind is full. */
  readonly trialMs: number | null;
  /** Bytes that it was sent today, UTC, in all processes. */
  readonly bytes: number;
}

/** The use of a caller. */
export interface Usage {
  /** Until its next turn, ms; 0 if it may come now. */
  readonly waitMs: number;
  /** Bytes of today. */
  readonly bytes: number;
  readonly sockets: number;
}

export interface LimitStoreStats {
  /** Callers in the memory of this process, and the bytes of its tables. */
  readonly addresses: number;
  readonly feeders: number;
  readonly tableBytes: number;
  /** True while the limits hold for all processes of the installation. */
  readonly isShared: boolean;
  /** Commands to Redis, and operations that it did not respond to in time. */
  readonly commands: number;
  readonly timeouts: number;
}

export interface LimitStore {
  /** Notes that a caller is here. Its trial begins now if it is new, or was unseen for `limits.trialAgainMs`. */
  visit(principal: string, nowMs: number): Visit | Promise<Visit>;
  /**
   * Takes the caller's turn, which it has once in `intervalMs`, at most `limits.turnEarlyShare` of it early. Returns 0, or the ms until it is accepted.
   * Each interval has a turn of its own; within a process it counts from the last turn of any interval. A process remembers a refusal: until then it sends no request.
   */
  takeTurn(principal: string, intervalMs: number, nowMs: number): number | Promise<number>;
  /** Gives back the turn that was taken at `takenMs`, unless it has lapsed: the request was refused, or failed. */
  giveBack(principal: string, intervalMs: number, takenMs: number, nowMs: number): void;
  /** Adds bytes that were sent, which are shared once a second. Returns the bytes of today that this process knows. */
  spend(principal: string, bytes: number, nowMs: number): number;
  /** Leases a socket until `release`; false if the caller has `socketsMax`. `id` is unique in the installation. Release it only after `true`. */
  lease(principal: string, id: string, socketsMax: number, nowMs: number): boolean | Promise<boolean>;
  release(principal: string, id: string): void;
  /** The use of a caller, unchanged. */
  usage(principal: string, intervalMs: number, nowMs: number): Usage | Promise<Usage>;
  /** Forgets a caller: its next visit is its first. Without Redis the shared part follows when it responds. */
  forget(principal: string): Promise<void>;
  /** Why limits hold for this process alone, or are not saved; null if all is well. */
  problem(): string | null;
  stats(): LimitStoreStats;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
}
