// A timing wheel: events of any number of aircraft in slots of 1 ms. Adding and taking one costs the same however many wait.

export const SLOT_US = 1000;
/** Slots of the wheel: an event may lie this many milliseconds ahead, less two. */
export const SLOTS = 16_384;

const NONE = -1;

export class Schedule {
  /** First event of each slot, and the event after each: lists through an index. */
  private readonly heads = new Int32Array(SLOTS).fill(NONE);
  private readonly next: Int32Array;
  /** Exact time of each event, µs since the start. */
  readonly timesUs: Float64Array;
  /** The slot that `take` empties next. */
  slot = 0;

  /** @param events each event has a number below this and waits at most once. */
  constructor(events: number) {
    this.next = new Int32Array(events).fill(NONE);
    this.timesUs = new Float64Array(events);
  }

  /** Plans an event; a time in a slot that is being emptied or is past comes at once in the next slot. */
  add(event: number, timeUs: number): void {
    const wanted = Math.floor(timeUs / SLOT_US);
    const slot = Math.min(Math.max(wanted, this.slot), this.slot + SLOTS - 2) & (SLOTS - 1);
    this.timesUs[event] = timeUs;
    this.next[event] = this.heads[slot]!;
    this.heads[slot] = event;
  }

  /** Takes the events of the next slot off the wheel and moves on; the first of a list to follow with `following`, -1 when there is none. */
  take(): number {
    const index = this.slot & (SLOTS - 1);
    const first = this.heads[index]!;
    this.heads[index] = NONE;
    this.slot += 1;
    return first;
  }

  /** The event after one in a taken list. Ask before the event is added again. */
  following(event: number): number {
    return this.next[event]!;
  }

  /** Forgets every event and starts at a time. */
  clear(timeUs: number): void {
    this.heads.fill(NONE);
    this.slot = Math.floor(timeUs / SLOT_US);
  }
}
