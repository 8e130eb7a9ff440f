// The result of one frame: for the fold itself, and for tools that show single frames.
import { Message } from '../decode/message.ts';
import type { PositionOutcome } from './position.ts';

/** Result of one frame. The caller creates it once (`createFrameOutcome`); each frame overwrites it. */
export interface FrameOutcome {
  /** The frame changed an aircraft's state. */
  accepted: boolean;
  /** Reason for the rejection: index into `rejectReasons`; −1 when accepted. */
  reject: number;
  /** The decoded frame; of a rejected frame as far as it was decoded. */
  readonly message: Message;
  /** One bit of the frame was wrong. `repairedFrame` has the right one; `message` was decoded from it. */
  repaired: boolean;
  readonly repairedFrame: Uint8Array;
  /** Slot of its aircraft; −1 when the frame was rejected. */
  slot: number;
  /** The frame gave a position, from a pair or near known coordinates, whether plausible and reliable or not. */
  positionResolved: boolean;
  latitudeMicrodeg: number;
  longitudeMicrodeg: number;
  nic: number;
  rcM: number;
  /** The position became the aircraft's reliable position. */
  positionAccepted: boolean;
}

export function createFrameOutcome(): FrameOutcome {
  return {
    accepted: false,
    reject: -1,
    message: new Message(),
    repaired: false,
    repairedFrame: new Uint8Array(14),
    slot: -1,
    positionResolved: false,
    latitudeMicrodeg: 0,
    longitudeMicrodeg: 0,
    nic: 0,
    rcM: 0,
    positionAccepted: false,
  };
}

/** Copies the position's result. */
export function setPosition(outcome: FrameOutcome, position: PositionOutcome): void {
  outcome.positionResolved = true;
  outcome.latitudeMicrodeg = position.latitudeMicrodeg;
  outcome.longitudeMicrodeg = position.longitudeMicrodeg;
  outcome.nic = position.nic;
  outcome.rcM = position.rcM;
  outcome.positionAccepted = position.accepted;
}
