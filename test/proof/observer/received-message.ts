// A reception of a transmission at the observer, and the rules that delay its values.
import type { Rank } from './known.ts';
import type { MessageContent, MessageValue } from './message-content.ts';

/** Rules by which a value is delayed or ignored: the reasons of the report. */
export const rules = {
  guard: 'while the position is fresh, a receiver that sent none of the last positions is ignored for 5 s',
  squawk: 'a squawk counts after two receptions at least 750 ms apart',
  altitude: 'an altitude without its own parity (replies, repaired frames) counts after four of them agree',
  lesserAltitude: 'an altitude from a lower source counts 10 s after one from a higher source',
  register: "the bits of a Comm-B reply and the aircraft's state leave its register undecided",
  version: 'until its first operational status a sender counts as version 0',
  positionsRule: 'positions of the last 20 s decide whether it flies; other messages do not',
  slowTas: 'a true airspeed below the last indicated airspeed is ignored',
  roll: 'a roll beyond 40 degrees is ignored',
  crab: 'a heading 45 degrees or more off the track gives no true heading',
  repeated: 'a message that repeats a recent position is ignored',
  duplicate: 'the same bits from another receiver within 0.4 s (positions: 2 and 8 s) count as a duplicate',
  again: 'a duplicate with a wrong bit in the interrogator code of DF 11, or too late to be recognised, counts as another message',
  unproven: 'a position counts after two decodes of each parity; on the ground it needs the receiver location',
} as const;
export type Rule = (typeof rules)[keyof typeof rules];

/** One reception of a transmission. */
export interface ReceivedMessage {
  /** The same number for all receptions of a transmission. */
  readonly transmission: number;
  /** Bits as received; a repairable wrong bit is corrected. */
  readonly bits: string;
  readonly timeMs: number;
  readonly receiver: number;
  /** Amplitude 0 to 255; 0 for no level. */
  readonly signal: number;
  readonly source: Rank;
  /** Shown kind: a value of `type`. */
  readonly kind: string;
  /** The frame contains the address in plain; it is not the remainder of the parity. */
  readonly addressed: boolean;
  /** In addition, the parity covers the whole frame: it is not a reply. */
  readonly announced: boolean;
  /** No bit was repaired. */
  readonly intact: boolean;
  /** DF 17 or 11: the sender may also reply. */
  readonly transponder: boolean;
  readonly content: MessageContent;
  /** The register of a Comm-B reply; empty for other messages. */
  readonly register: readonly MessageValue[];
  /** The true version of the sender; null for senders without one. */
  readonly version: number | null;
  readonly aircraft: number;
}
