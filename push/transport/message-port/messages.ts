// Messages between the hub's thread and the transport's, and frames packed into one buffer.
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import type { OpenedTransport, TransportPreference } from '../open-transport.ts';
import type { TransportOptions } from '../options.ts';
import type { ChannelId, Frame, FrameForChannel, Opening, Refusal, SocketId, TransportStats } from '../transport.ts';

/** What the thread is started with. */
export type ThreadOptions = TransportOptions & { readonly prefer: TransportPreference };

/** A frame in the message's buffer, or in memory that threads share. */
export interface PackedFrame {
  readonly offset: number;
  readonly length: number;
  readonly isBinary: boolean;
  readonly shared: Uint8Array | null;
}

type SocketCall<F> =
  | { readonly type: 'accept'; readonly socket: SocketId; readonly protocol: string | null }
  | { readonly type: 'refuse'; readonly socket: SocketId; readonly refusal: Refusal }
  | { readonly type: 'respond'; readonly socket: SocketId; readonly headers: Readonly<Record<string, string>>; readonly frame: F }
  | { readonly type: 'join' | 'leave'; readonly socket: SocketId; readonly channel: ChannelId }
  | { readonly type: 'send'; readonly socket: SocketId; readonly frame: F }
  | { readonly type: 'drain'; readonly socket: SocketId }
  | { readonly type: 'end'; readonly socket: SocketId; readonly code: number; readonly reason: string };

/** A call of the hub. */
export type Call = SocketCall<Frame> | { readonly type: 'publish'; readonly frames: readonly FrameForChannel[] };

/** Thousands of frames as numbers: objects would take longer to post than frames of a few KB. */
export interface PackedPublish {
  readonly type: 'publish';
  /** PUBLISHED_NUMBERS for each frame: its channel, offset in the buffer, length, and flags. For shared memory the offset is that in `shared`. */
  readonly table: Float64Array;
  readonly shared: readonly Uint8Array[];
}

/** A call as it is posted. */
export type PackedCall = SocketCall<PackedFrame> | PackedPublish;

const PUBLISHED_NUMBERS = 4;
const IS_BINARY = 1;
const IS_SHARED = 2;

/** Hub → transport. */
export type ToTransport =
  /** `heardBytes`: of messages of clients that the hub has processed since the previous ones. */
  | {
      readonly type: 'calls';
      readonly calls: readonly PackedCall[];
      readonly buffer: ArrayBuffer;
      readonly bytes: number;
      readonly heardBytes: number;
    }
  /** Once, at the start. */
  | { readonly type: 'listen' }
  | { readonly type: 'close' };

export type ThreadEvent =
  | { readonly type: 'opening'; readonly opening: Opening }
  | { readonly type: 'message'; readonly socket: SocketId; readonly text: string }
  | { readonly type: 'behind' | 'drained'; readonly socket: SocketId }
  | { readonly type: 'closed'; readonly socket: SocketId; readonly code: number };

/** Transport → hub. */
export type FromTransport =
  /** The code is loaded: it waits for `listen`. */
  | { readonly type: 'loaded' }
  | {
      readonly type: 'opened';
      /** Must not be terminated: that would end the process. */
      readonly isNative: boolean;
      readonly name: string;
      readonly port: number;
      readonly reason: OpenedTransport['reason'];
      readonly stats: TransportStats;
    }
  | { readonly type: 'failed'; readonly error: PostedError }
  /** `doneBytes`: of calls that are done since the previous ones. */
  | { readonly type: 'events'; readonly events: readonly ThreadEvent[]; readonly doneBytes: number }
  | { readonly type: 'stats'; readonly stats: TransportStats }
  | { readonly type: 'closed' };

/** An error as plain data. */
export interface PostedError {
  readonly code: ErrorCode | null;
  readonly details: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function postedError(error: unknown): PostedError {
  if (error instanceof SquitterError) return { code: error.code, details: { ...error.details }, text: error.message };
  return { code: null, details: {}, text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromPostedError({ code, details, text }: PostedError): SquitterError {
  return code === null
    ? new SquitterError('worker.failed', { worker: 'transport', detail: text })
    : new SquitterError(code, { ...details });
}

/** What a call costs besides its frames, about. */
const CALL_BYTES = 200;

/** Packs the frames of calls into one buffer, so that a message is one piece of memory that changes its owner. Shared memory stays where it is. */
export function packCalls(calls: readonly Call[]): {
  readonly calls: readonly PackedCall[];
  readonly buffer: ArrayBuffer;
  readonly bytes: number;
} {
  let length = 0;
  for (const call of calls) for (const frame of framesOf(call)) if (!isShared(frame)) length += frame.bytes.length;
  const whole = new Uint8Array(length);
  let end = 0;
  const put = (bytes: Uint8Array): number => {
    const offset = end;
    whole.set(bytes, offset);
    end += bytes.length;
    return offset;
  };
  const pack = (frame: Frame): PackedFrame => {
    const { bytes, isBinary } = frame;
    if (isShared(frame)) return { offset: 0, length: bytes.length, isBinary, shared: bytes };
    return { offset: put(bytes), length: bytes.length, isBinary, shared: null };
  };
  const packed = calls.map((call): PackedCall => {
    if (call.type === 'send' || call.type === 'respond') return { ...call, frame: pack(call.frame) };
    return call.type === 'publish' ? packPublished(call.frames, put) : call;
  });
  return { calls: packed, buffer: whole.buffer, bytes: length + CALL_BYTES * calls.length };
}

function packPublished(frames: readonly FrameForChannel[], put: (bytes: Uint8Array) => number): PackedPublish {
  const table = new Float64Array(PUBLISHED_NUMBERS * frames.length);
  const shared: Uint8Array[] = [];
  let at = 0;
  for (const frame of frames) {
    const { channel, bytes, isBinary } = frame;
    const isElsewhere = isShared(frame);
    table[at] = channel;
    table[at + 1] = isElsewhere ? shared.push(bytes) - 1 : put(bytes);
    table[at + 2] = bytes.length;
    table[at + 3] = (isBinary ? IS_BINARY : 0) | (isElsewhere ? IS_SHARED : 0);
    at += PUBLISHED_NUMBERS;
  }
  return { type: 'publish', table, shared };
}

/** A frame that waits for a slow client must not keep those of all others: a small part of a buffer gets memory of its own. */
export function unpack({ offset, length, isBinary, shared }: PackedFrame, buffer: ArrayBuffer): Frame {
  if (shared !== null) return { bytes: shared, isBinary };
  const part = new Uint8Array(buffer, offset, length);
  return { bytes: 2 * length < buffer.byteLength ? part.slice() : part, isBinary };
}

export function unpackPublished({ table, shared }: PackedPublish, buffer: ArrayBuffer): FrameForChannel[] {
  const frames: FrameForChannel[] = [];
  for (let at = 0; at < table.length; at += PUBLISHED_NUMBERS) {
    const [offset, flags] = [table[at + 1]!, table[at + 3]!];
    const elsewhere = (flags & IS_SHARED) === 0 ? null : shared[offset]!;
    const frame = unpack({ offset, length: table[at + 2]!, isBinary: (flags & IS_BINARY) !== 0, shared: elsewhere }, buffer);
    frames.push({ channel: table[at]!, bytes: frame.bytes, isBinary: frame.isBinary });
  }
  return frames;
}

function framesOf(call: Call): readonly Frame[] {
  if (call.type === 'send' || call.type === 'respond') return [call.frame];
  return call.type === 'publish' ? call.frames : [];
}

export function isShared({ bytes }: Frame): boolean {
  return bytes.buffer instanceof SharedArrayBuffer;
}
