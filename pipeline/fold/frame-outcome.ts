// What became of one frame: for tools that show frames one by one, and for the fold itself.
import { Message } from '../decode/message.ts';
import type { PositionOutcome } from './position.ts';

/** What became of one frame; made once by the caller (`createFrameOutcome`) and overwritten. */
export interface FrameOutcome {
  /** The frame took effect on an aircraft. */
  accepted: boolean;
  /** Why not: index into `rejectReasons`; −1 when it was accepted. */
  reject: number;
  /** The frame decoded, also when it was rejected, as far as it goes. */
  readonly message: Message;
  /** One bit of the frame was wrong and is put right in `repairedFrame`, which `message` was decoded from. */
  repaired: boolean;
  readonly repairedFrame: Uint8Array;
  /** Slot of its aircraft; −1 when the frame was not believed. */
  slot: number;
  /** Its position, resolved from a pair or near a known place, whether plausible and reliable or not. */
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

/** Tells the place that the frame resolved to. */
export function tellPosition(outcome: FrameOutcome, position: PositionOutcome): void {
  outcome.positionResolved = true;
  outcome.latitudeMicrodeg = position.latitudeMicrodeg;
  outcome.longitudeMicrodeg = position.longitudeMicrodeg;
  outcome.nic = position.nic;
  outcome.rcM = position.rcM;
  outcome.positionAccepted = position.accepted;
}
