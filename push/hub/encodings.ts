// The encodings of a topic's frames. The texts differ in what is around them.

import { BINARY_PROTOCOL, NAMED_PROTOCOL } from '../../schemas/push.ts';
import type { Frame } from '../transport/transport.ts';
import { ByteWriter } from './byte-writer.ts';

/**
 * `plain`: the default profile, only `full` and `delta`. `named`: `aircraft.v2.json`, with the name of the stream. `events`: server-sent events of
 * `named` frames, with an id from which a client resumes. `binary`: `aircraft.v2.bin`, frames of push/codec.
 */
export const encodings = ['plain', 'named', 'events', 'binary'] as const;
export type Encoding = (typeof encodings)[number];
export type TextEncoding = Exclude<Encoding, 'binary'>;

/** The parts that the frames of an encoding are made of. */
export type FrameKind = 'text' | 'binary';

export function kindOf(encoding: Encoding): FrameKind {
  return encoding === 'binary' ? 'binary' : 'text';
}

export type FrameType = 'full' | 'delta';

export interface FrameHead {
  readonly type: FrameType;
  readonly stream: string;
  readonly seq: number;
}

/** Upper bound of what is around a body. */
const HEAD_BYTES = 512;

/** The beginning of a frame of the default profile, before `"seq"`. */
export function plainHead(type: FrameType): string {
  return `{"type":"${type}",`;
}

/**
 * The frame of an encoding, from that of the default profile: the same bytes for this one; for the others in memory of its own, or behind other
 * frames in `writer`.
 */
export function textFrame(encoding: TextEncoding, head: FrameHead, plain: Uint8Array, writer?: ByteWriter): Frame {
  if (encoding === 'plain') return { bytes: plain, isBinary: false };
  const target = writer ?? new ByteWriter(plain.length + HEAD_BYTES);
  const start = target.end;
  const { type, stream, seq } = head;
  const body = plain.subarray(plainHead(type).length);
  if (encoding === 'events') target.putText(`event: ${type}\nid: ${stream}:${seq}\ndata: `);
  target.putText(`{"type":"${type}","stream":"${stream}",`);
  target.reserve(body.length);
  target.bytes.set(body, target.end);
  target.end += body.length;
  if (encoding === 'events') target.putText('\n\n');
  return { bytes: target.bytes.subarray(start, target.end), isBinary: false };
}

/** The subprotocol of an encoding; null without one. */
export function protocolOf(encoding: Encoding): string | null {
  if (encoding === 'binary') return BINARY_PROTOCOL;
  return encoding === 'named' ? NAMED_PROTOCOL : null;
}
