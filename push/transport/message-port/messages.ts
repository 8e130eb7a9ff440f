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

export type Call<F = PackedFrame> =
  | { readonly type: 'accept'; readonly socket: SocketId; readonly protocol: string | null }
  | { readonly type: 'refuse'; readonly socket: SocketId; readonly refusal: Refusal }
  | { readonly type: 'respond'; readonly socket: SocketId; readonly headers: Readonly<Record<string, string>>; readonly frame: F }
  | { readonly type: 'join' | 'leave'; readonly socket: SocketId; readonly channel: ChannelId }
  | { readonly type: 'send'; readonly socket: SocketId; readonly frame: F }
  | { readonly type: 'drain'; readonly socket: SocketId }
  | { readonly type: 'publish'; readonly channels: readonly ChannelId[]; readonly frames: readonly F[] }
  | { readonly type: 'end'; readonly socket: SocketId; readonly code: number; readonly reason: string };

/** Hub → transport. */
export type ToTransport =
  /** `heardBytes`: of messages of clients that the hub has processed since the previous ones. */
  | {
      readonly type: 'calls';
      readonly calls: readonly Call[];
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
export function packCalls(calls: readonly Call<Frame>[]): {
  readonly calls: readonly Call[];
  readonly buffer: ArrayBuffer;
  readonly bytes: number;
} {
  let length = 0;
  for (const frame of calls.flatMap(framesOf)) if (!isShared(frame)) length += frame.bytes.length;
  const whole = new Uint8Array(length);
  let end = 0;
  const pack = ({ bytes, isBinary }: Frame): PackedFrame => {
    if (bytes.buffer instanceof SharedArrayBuffer) return { offset: 0, length: bytes.length, isBinary, shared: bytes };
    const offset = end;
    whole.set(bytes, offset);
    end += bytes.length;
    return { offset, length: bytes.length, isBinary, shared: null };
  };
  const packed = calls.map((call): Call => {
    if (call.type === 'send' || call.type === 'respond') return { ...call, frame: pack(call.frame) };
    if (call.type === 'publish') return { ...call, frames: call.frames.map(pack) };
    return call;
  });
  return { calls: packed, buffer: whole.buffer, bytes: length + CALL_BYTES * calls.length };
}

/** A frame that waits for a slow client must not keep those of all others: a small part of a buffer gets memory of its own. */
export function unpack({ offset, length, isBinary, shared }: PackedFrame, buffer: ArrayBuffer): Frame {
  if (shared !== null) return { bytes: shared, isBinary };
  const part = new Uint8Array(buffer, offset, length);
  return { bytes: 2 * length < buffer.byteLength ? part.slice() : part, isBinary };
}

export function unpackPublished({ channels, frames }: Call & { type: 'publish' }, buffer: ArrayBuffer): FrameForChannel[] {
  return frames.map((frame, i) => ({ channel: channels[i]!, ...unpack(frame, buffer) }));
}

function framesOf(call: Call<Frame>): readonly Frame[] {
  if (call.type === 'send' || call.type === 'respond') return [call.frame];
  return call.type === 'publish' ? call.frames : [];
}

export function isShared({ bytes }: Frame): boolean {
  return bytes.buffer instanceof SharedArrayBuffer;
}
