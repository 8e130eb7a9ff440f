// The packed frame: what a FrameBatch holds `count` of, and the only form in which frames cross threads.
//
//   byte  0- 3  u32 LE  time since the batch's base time, µs
//   byte  4- 9  u48 LE  the receiver's own 12 MHz counter, 0 where it sent none
//   byte 10     u8      signal level as Beast gives it: amplitude, 255 = full scale, 0 = not given
//   byte 11     u8      flags, below
//   byte 12-13  u16 LE  index into the batch's receiver table
//   byte 14-27          the frame: 14 bytes, or 7 bytes and 7 zeros
//
// A frame's identity is (partition, record offset, index in the record).

export const PACKED_FRAME_BYTES = 28;
export const PACKED_TIME = 0;
export const PACKED_COUNTER = 4;
export const PACKED_SIGNAL = 10;
export const PACKED_FLAGS = 11;
export const PACKED_RECEIVER = 12;
export const PACKED_DATA = 14;

/** The frame has 14 bytes; 7 where the flag is absent. */
export const FLAG_LONG = 1;
/** The position in it was multilaterated by a server (Beast's magic MLAT timestamp). */
export const FLAG_MLAT = 2;
/** Bits 2-3: how many bits the receiver says it repaired, 0 to 2. */
export const FLAG_REPAIRED_SHIFT = 2;

/** Greatest distance of a frame's time from the base time of its batch. */
export const PACKED_TIME_SPAN_US_MAX = 0xffff_ffff;

/** One received frame before it is packed. Reused by its writer: copy what you keep. */
export interface ReceivedFrame {
  /** When ingest received it, µs since the Unix epoch. This is event time. */
  timeUs: number;
  /** The receiver's 12 MHz counter, 0 where it sent none. */
  counter: number;
  signal: number;
  flags: number;
  receiver: number;
  /** Holds the 7 or 14 frame bytes from `at`. */
  bytes: Uint8Array;
  at: number;
  byteLength: 7 | 14;
}

/** Writes one frame as 28 bytes at `target[at]`. `baseTimeUs` ≤ `frame.timeUs` ≤ `baseTimeUs` + PACKED_TIME_SPAN_US_MAX. */
export function packFrame(target: Uint8Array, at: number, baseTimeUs: number, frame: ReceivedFrame): void {
  writeUint32(target, at + PACKED_TIME, frame.timeUs - baseTimeUs);
  // Not `%`: of doubles that is a call of fmod, half of what packing costs.
  const high = Math.floor(frame.counter / 0x1_0000_0000);
  writeUint32(target, at + PACKED_COUNTER, frame.counter - high * 0x1_0000_0000);
  target[at + PACKED_COUNTER + 4] = high & 0xff;
  target[at + PACKED_COUNTER + 5] = (high >>> 8) & 0xff;
  target[at + PACKED_SIGNAL] = frame.signal;
  target[at + PACKED_FLAGS] = (frame.flags & ~FLAG_LONG) | (frame.byteLength === 14 ? FLAG_LONG : 0);
  target[at + PACKED_RECEIVER] = frame.receiver & 0xff;
  target[at + PACKED_RECEIVER + 1] = (frame.receiver >>> 8) & 0xff;
  const { bytes, at: from, byteLength } = frame;
  for (let i = 0; i < byteLength; i += 1) target[at + PACKED_DATA + i] = bytes[from + i]!;
  for (let i = byteLength; i < 14; i += 1) target[at + PACKED_DATA + i] = 0;
}

/** Writes the time since the base time of the batch, µs, of the packed frame at `target[at]`. */
export function writePackedTime(target: Uint8Array, at: number, sinceBaseUs: number): void {
  writeUint32(target, at + PACKED_TIME, sinceBaseUs);
}

/** Time since the base time of the batch, µs. */
export function packedTimeUs(packed: Uint8Array, at: number): number {
  return (packed[at]! | (packed[at + 1]! << 8) | (packed[at + 2]! << 16) | (packed[at + 3]! << 24)) >>> 0;
}

/** The receiver's 12 MHz counter, 48 bits. */
export function packedCounter(packed: Uint8Array, at: number): number {
  const low = packedTimeUs(packed, at + PACKED_COUNTER);
  return low + (packed[at + PACKED_COUNTER + 4]! | (packed[at + PACKED_COUNTER + 5]! << 8)) * 0x1_0000_0000;
}

/** Index into the batch's receiver table. */
export function packedReceiver(packed: Uint8Array, at: number): number {
  return packed[at + PACKED_RECEIVER]! | (packed[at + PACKED_RECEIVER + 1]! << 8);
}

function writeUint32(target: Uint8Array, at: number, value: number): void {
  target[at] = value & 0xff;
  target[at + 1] = (value >>> 8) & 0xff;
  target[at + 2] = (value >>> 16) & 0xff;
  target[at + 3] = (value >>> 24) & 0xff;
}
