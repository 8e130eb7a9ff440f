// A timing wheel: events of any number of aircraft in slots of 1 ms. Adding and taking an event cost the same for any number of events.

export const SLOT_US = 1000;
/** Slots of the wheel: an event may be up to this many milliseconds ahead, less two. */
export const SLOTS = 16_384;

const NONE = -1;

export class Schedule {
  /** First event of each slot, and the event after each: linked lists by index. */
  private readonly heads = new Int32Array(SLOTS).fill(NONE);
  private readonly next: Int32Array;
  /** Exact time of each event, µs since the start. */
  readonly timesUs: Float64Array;
  /** The slot that `take` empties next. */
  slot = 0;

  /** @param events number of events; each is a number below this and is scheduled at most once. */
  constructor(events: number) {
    this.next = new Int32Array(events).fill(NONE);
    this.timesUs = new Float64Array(events);
  }

  /** Schedules an event. A time in the past, or in the slot that is being emptied, moves to the next slot. */
  add(event: number, timeUs: number): void {
    const wanted = Math.floor(timeUs / SLOT_US);
    const slot = Math.min(Math.max(wanted, this.slot), this.slot + SLOTS - 2) & (SLOTS - 1);
    this.timesUs[event] = timeUs;
    this.next[event] = this.heads[slot]!;
    this.heads[slot] = event;
  }

  /** Removes the events of the next slot and advances. Returns the first of a list to traverse with `following`, or -1 for none. */
  emptySlot(): number {
    const index = this.slot & (SLOTS - 1);
    const first = this.heads[index]!;
    this.heads[index] = NONE;
    this.slot += 1;
    return first;
  }

  /** The next event in a taken list. Call it before adding the event again. */
  following(event: number): number {
    return this.next[event]!;
  }

  /** Removes every event and starts at a time. */
  clear(timeUs: number): void {
    this.heads.fill(NONE);
    this.slot = Math.floor(timeUs / SLOT_US);
  }
}
