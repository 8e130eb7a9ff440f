// The packed frame: the element of a FrameBatch, and the only form in which frames cross threads.
//
//   byte  0- 3  u32 LE  time since the batch's base time, µs
//   byte  4- 9  u48 LE  the receiver's own 12 MHz counter, 0 if it sent none
//   byte 10     u8      signal level as in Beast: amplitude, 255 = full scale, 0 = not given
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

/** The frame has 14 bytes; without the flag, 7. */
export const FLAG_LONG = 1;
/** A server multilaterated the position in the frame (Beast's magic MLAT timestamp). */
export const FLAG_MLAT = 2;
/** Bits 2-3: number of bits that the receiver repaired, 0 to 2. */
export const FLAG_REPAIRED_SHIFT = 2;

/** Greatest difference between a frame's time and the base time of its batch. */
export const PACKED_TIME_SPAN_US = 0xffff_ffff;

/** One received frame before it is packed. Reused by its writer: copy what you keep. */
export interface ReceivedFrame {
  /** When ingest received it, µs since the Unix epoch. This is event time. */
  timeUs: number;
  /** The receiver's 12 MHz counter, 0 if it sent none. */
  counter: number;
  signal: number;
  flags: number;
  receiver: number;
  /** Holds the 7 or 14 frame bytes from `at`. */
  bytes: Uint8Array;
  /** The same bytes, for reading four at a time. */
  view: DataView;
  at: number;
  byteLength: 7 | 14;
}

/** Creates a reusable frame whose 7 or 14 bytes begin at `bytes[at]`. */
export function createReceivedFrame(bytes: Uint8Array, at = 0, byteLength: 7 | 14 = 14): ReceivedFrame {
  return { timeUs: 0, counter: 0, signal: 0, flags: 0, receiver: 0, bytes, view: viewOf(bytes), at, byteLength };
}

/** A view of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Writes one frame as 28 bytes at `at` of `target`. `baseTimeUs` ≤ `frame.timeUs` ≤ `baseTimeUs` + PACKED_TIME_SPAN_US. */
export function packFrame(target: DataView, at: number, baseTimeUs: number, frame: ReceivedFrame): void {
  const { view, at: from, byteLength, counter } = frame;
  target.setUint32(at + PACKED_TIME, frame.timeUs - baseTimeUs, true);
  // A division instead of `%`, which calls fmod for doubles: half the cost of packing.
  const high = Math.floor(counter / 0x1_0000_0000);
  target.setUint32(at + PACKED_COUNTER, counter - high * 0x1_0000_0000, true);
  target.setUint16(at + PACKED_COUNTER + 4, high, true);
  target.setUint16(
    at + PACKED_SIGNAL,
    (frame.signal & 0xff) | (((frame.flags & ~FLAG_LONG) | (byteLength === 14 ? FLAG_LONG : 0)) << 8),
    true,
  );
  target.setUint16(at + PACKED_RECEIVER, frame.receiver, true);
  const data = at + PACKED_DATA;
  target.setInt32(data, view.getInt32(from));
  if (byteLength === 14) {
    target.setInt32(data + 4, view.getInt32(from + 4));
    target.setInt32(data + 8, view.getInt32(from + 8));
    target.setInt16(data + 12, view.getInt16(from + 12));
  } else {
    target.setInt32(data + 4, (view.getInt16(from + 4) << 16) | (view.getUint8(from + 6) << 8));
    target.setInt32(data + 8, 0);
    target.setInt16(data + 12, 0);
  }
}

/** Writes the time since the base time of the batch, µs, of the packed frame at `at` of `target`. */
export function writePackedTime(target: DataView, at: number, sinceBaseUs: number): void {
  target.setUint32(at + PACKED_TIME, sinceBaseUs, true);
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

/** Points `frame`, which was created with these bytes, at the packed frame at `at`. Its time stays: the base time is that of the batch. */
export function unpackFrame(packed: Uint8Array, at: number, frame: ReceivedFrame): void {
  frame.counter = packedCounter(packed, at);
  frame.signal = packed[at + PACKED_SIGNAL]!;
  frame.flags = packed[at + PACKED_FLAGS]!;
  frame.receiver = packedReceiver(packed, at);
  frame.at = at + PACKED_DATA;
  frame.byteLength = (frame.flags & FLAG_LONG) === 0 ? 7 : 14;
}
