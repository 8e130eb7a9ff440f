// Beast writer: encodes frames as a Beast stream. `beast.ts` describes the layout.
import { FLAG_MLAT, type ReceivedFrame } from '../../schemas/packed-frame.ts';
import { BEAST_ESCAPE, BEAST_MESSAGE_BYTES, BEAST_MLAT_COUNTER } from './beast.ts';

export { BEAST_MESSAGE_BYTES } from './beast.ts';

/** 12 MHz counter ticks per microsecond. */
export const BEAST_TICKS_PER_US = 12;

const SMALLEST_BUFFER_BYTES = 4096;

/**
 * Writes one frame at `target[at]` and returns the index behind it. Needs BEAST_MESSAGE_BYTES bytes of room.
 * Writes the frame's counter, not its time; for a frame with FLAG_MLAT, the MLAT mark instead of the counter.
 */
export function writeBeastFrame(target: Uint8Array, at: number, frame: ReceivedFrame): number {
  const { bytes, at: from, byteLength } = frame;
  const counter = (frame.flags & FLAG_MLAT) !== 0 ? BEAST_MLAT_COUNTER : frame.counter;
  const high = Math.floor(counter / 0x1_0000_0000);
  const low = counter - high * 0x1_0000_0000;
  target[at] = BEAST_ESCAPE;
  target[at + 1] = byteLength === 14 ? 0x33 : 0x32;
  let end = at + 2;
  end = writeEscaped(target, end, (high >>> 8) & 0xff);
  end = writeEscaped(target, end, high & 0xff);
  end = writeEscaped(target, end, low >>> 24);
  end = writeEscaped(target, end, (low >>> 16) & 0xff);
  end = writeEscaped(target, end, (low >>> 8) & 0xff);
  end = writeEscaped(target, end, low & 0xff);
  end = writeEscaped(target, end, frame.signal & 0xff);
  for (let i = 0; i < byteLength; i += 1) end = writeEscaped(target, end, bytes[from + i]!);
  return end;
}

/** Writes readsb's receiver id message: receiver `id` (16 hex digits) received the frames that follow. Returns the index behind it. */
export function writeBeastReceiver(target: Uint8Array, at: number, id: string): number {
  target[at] = BEAST_ESCAPE;
  target[at + 1] = 0xe3;
  let end = at + 2;
  for (let i = 0; i < 16; i += 2) end = writeEscaped(target, end, Number.parseInt(id.slice(i, i + 2), 16));
  return end;
}

/** Collects Beast messages into pieces, so that a file or socket gets few large writes. */
export class BeastWriter {
  private buffer = new Uint8Array(SMALLEST_BUFFER_BYTES);
  private length = 0;
  /** True after `add` returned true, until `take`. */
  private full = false;
  private readonly pieceBytes: number;

  constructor(pieceBytes = 64 * 1024) {
    this.pieceBytes = pieceBytes;
  }

  /** Adds a frame. Returns true when the piece is full: call `take` next. */
  add(frame: ReceivedFrame): boolean {
    if (this.full) throw new RangeError('a full piece was not taken');
    this.makeRoom();
    this.length = writeBeastFrame(this.buffer, this.length, frame);
    this.full = this.length >= this.pieceBytes;
    return this.full;
  }

  /** Adds the receiver (16 hex digits) of the frames that follow. */
  addReceiver(id: string): void {
    this.makeRoom();
    this.length = writeBeastReceiver(this.buffer, this.length, id);
  }

  /** Returns the bytes added since the last call. The caller owns the piece. */
  takeBytes(): Uint8Array {
    const piece = this.buffer.slice(0, this.length);
    this.length = 0;
    this.full = false;
    return piece;
  }

  private makeRoom(): void {
    if (this.buffer.length - this.length >= BEAST_MESSAGE_BYTES) return;
    const larger = new Uint8Array(2 * this.buffer.length);
    larger.set(this.buffer);
    this.buffer = larger;
  }
}

function writeEscaped(target: Uint8Array, at: number, byte: number): number {
  target[at] = byte;
  if (byte !== BEAST_ESCAPE) return at + 1;
  target[at + 1] = BEAST_ESCAPE;
  return at + 2;
}
