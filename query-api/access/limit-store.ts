// The port of the limits: turns, bytes of a day, sockets and trials of callers, in this process or shared by all processes of an installation.
// One contract suite, `limit-store.contract.ts`, runs against every adapter. Callers are principals: `feeder/ID`, or `address/HASH` with a keyed hash.

/** What the store knows of a caller that is here. */
export interface Visit {
  /** When its trial began; null for a new address while the table of addresses is full. */
  readonly trialMs: number | null;
  /** Bytes that it was sent today, UTC, in all processes. */
  readonly bytes: number;
}

export interface LimitStore {
  /** Notes that a caller is here. Its trial begins now if it is new, or was unseen for `limits.trialAgainMs`. */
  visit(principal: string, nowMs: number): Visit | Promise<Visit>;
  /**
   * Takes the caller's turn, which it has once in `intervalMs`, at most `limits.turnEarlyShare` of it early. Returns 0, or the ms until its next turn.
   * A process remembers a refusal: until then it asks nobody.
   */
  take(principal: string, intervalMs: number, nowMs: number): number | Promise<number>;
  /** Gives back the turn that was taken last: the request was refused, or failed. */
  giveBack(principal: string, intervalMs: number): void;
  /** Adds bytes that were sent. They are shared once a second; returns the bytes of today that this process knows of. */
  spend(principal: string, bytes: number, nowMs: number): number;
  /** Leases one of the caller's sockets until `release`; false if all `socketsMax` are taken. `id` is unique in the installation. */
  lease(principal: string, id: string, socketsMax: number, nowMs: number): boolean | Promise<boolean>;
  release(principal: string, id: string): void;
  /** Forgets a feeder. */
  forget(principal: string): Promise<void>;
  /** Why limits hold for this process alone; null while they are shared, or while this process is the only one. */
  problem(): string | null;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
}
