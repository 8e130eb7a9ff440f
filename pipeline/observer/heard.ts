// A copy of a transmission as it reaches the observer, and the rules by which what it says may wait.
import type { Rank } from './known.ts';
import type { Said, SaidValue } from './said.ts';

/** Rules by which a value waits or is not taken: the reasons of the report. */
export const rules = {
  guard: 'the position is fresh, and a receiver that gave none of the last positions is not believed for 5 s',
  squawk: 'a squawk counts when it was heard twice, at least 750 ms apart',
  altitude: 'an altitude without parity of its own (replies, repaired frames) counts when four of them agree',
  lesserAltitude: 'an altitude of a lesser source counts 10 s after that of a better one',
  register: 'the bits of a Comm-B reply and what is known of the aircraft leave open which register it is',
  version: 'until the first operational status a sender counts as version 0',
  positionsRule: 'while positions of 20 s tell whether it flies, other messages do not',
  slowTas: 'a true airspeed below the indicated one of before is not taken',
  roll: 'a roll beyond 40 degrees is not taken',
  crab: 'a heading 45 degrees and more from the track is not made a true one',
  repeated: 'a message whose place is the one of a moment ago counts for nothing',
  copy: 'the same bits from another receiver within 0.4 s (positions: 2 and 8 s) are taken for a copy',
  again: 'a copy with a wrong bit in the interrogator code of DF 11, or one too late to be seen as a copy, counts as another message',
  unplaced: 'a place counts after two decodes of each parity, on the ground by where the receiver stands',
} as const;
export type Rule = (typeof rules)[keyof typeof rules];

/** One copy of a transmission as a receiver gave it. */
export interface Heard {
  /** The same number for all copies. */
  readonly transmission: number;
  /** As received, a wrong bit that can be repaired put right. */
  readonly bits: string;
  readonly timeMs: number;
  readonly receiver: number;
  /** Amplitude 0 to 255; 0 is none. */
  readonly signal: number;
  readonly source: Rank;
  /** Shown kind: a value of `type`. */
  readonly kind: string;
  /** The address stands in the frame, and is not the remainder of its parity. */
  readonly addressed: boolean;
  /** Besides, the whole frame is under parity: it answers nobody. */
  readonly announced: boolean;
  /** No bit was repaired. */
  readonly intact: boolean;
  /** DF 17 or 11: a sender that may reply. */
  readonly transponder: boolean;
  readonly said: Said;
  /** What the register of a Comm-B reply says; empty of others. */
  readonly register: readonly SaidValue[];
  /** The version that the sender really has; null of senders without one. */
  readonly version: number | null;
  readonly aircraft: number;
}
