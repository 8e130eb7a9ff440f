// The frame that the fold is at: one object, overwritten by each frame.
import { FLAG_MLAT, FLAG_REPAIRED_SHIFT, type ReceivedFrame } from '../../schemas/packed-frame.ts';

/** The members of a received frame that the fold reads. */
export type FoldedFrame = Pick<ReceivedFrame, 'bytes' | 'at' | 'byteLength' | 'timeUs' | 'signal' | 'flags'>;

export interface CurrentFrame {
  /** Holds the 7 or 14 frame bytes from `at`. */
  bytes: Uint8Array;
  at: number;
  byteLength: 7 | 14;
  /** Event time, ms since the time base. */
  now: number;
  /** 0 to 255; 0 not given. */
  signal: number;
  /** FLAG_* of packed frames. */
  flags: number;
  /** From `receiverNumber`, 0 for none. */
  receiver: number;
}

export function createCurrentFrame(): CurrentFrame {
  return { bytes: new Uint8Array(0), at: 0, byteLength: 14, now: 0, signal: 0, flags: 0, receiver: 0 };
}

/** No receiver repaired it, and no server made it. */
export function isOriginal({ flags }: CurrentFrame): boolean {
  return (flags & (FLAG_MLAT | (3 << FLAG_REPAIRED_SHIFT))) === 0;
}
