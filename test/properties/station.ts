// A fold that has heard some traffic, reset to that moment before each trial: shows the effect of one more frame.
import { createFrameOutcome, type FrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { frameBatch } from '../golden/fold-frames.ts';
import { START_US, simulatedFrames, TICK_MS } from './traffic.ts';

const OPTIONS = { tickMs: TICK_MS, receiver: null };

export class Station {
  readonly outcome: FrameOutcome = createFrameOutcome();
  private readonly snapshot: Uint8Array;
  private fold: PartitionFold;
  /** Time of the last frame, seconds since START_US. */
  private timeS: number;

  /** `aircraft` 0 gives a station that has heard nothing. */
  constructor(aircraft: number, seconds = 20) {
    this.fold = new PartitionFold(OPTIONS);
    this.timeS = seconds;
    if (aircraft > 0) {
      const frames = simulatedFrames({ aircraft, seconds, seed: 31, singleReceiver: true });
      this.fold.apply(frameBatch(frames), 0, null);
    }
    this.fold.advance(START_US + seconds * 1e6, null);
    this.snapshot = this.fold.snapshot();
  }

  /** Restores the state before the first trial. */
  reset(): void {
    this.fold = PartitionFold.restore(this.snapshot, OPTIONS);
  }

  /** Hears a frame `laterS` after the traffic. True when it took effect. */
  hear(frame: Uint8Array, laterS = 0.1, flags = 0): boolean {
    const timeUs = START_US + Math.round((this.timeS + laterS) * 1e6);
    this.fold.advance(timeUs, null);
    this.fold.applyFrame(
      { bytes: frame, at: 0, byteLength: frame.length as 7 | 14, timeUs, signal: 90, flags },
      this.fold.receiverNumber('one'),
      this.outcome,
    );
    return this.outcome.accepted;
  }

  /** State of an aircraft `laterS` after the traffic; undefined when it is unknown. */
  state(hex: string, laterS = 0.1): AircraftState | undefined {
    return this.states(laterS).find((state) => state.hex === hex);
  }

  /** States of all aircraft `laterS` after the traffic. */
  states(laterS = 0.1): AircraftState[] {
    const nowMs = Math.floor(START_US / 1000 + (this.timeS + laterS) * 1000);
    return [...this.fold.liveSlots()].map((slot) => this.fold.state(slot, nowMs));
  }

  get aircraft(): number {
    return this.fold.progress(0).aircraft;
  }
}

/** Names of the fields that differ between two states. */
export function differences(before: AircraftState, after: AircraftState): (keyof AircraftState)[] {
  const names = Object.keys(before) as (keyof AircraftState)[];
  return names.filter((name) => !Object.is(before[name], after[name]));
}
