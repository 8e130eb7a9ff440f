// The encodings of a topic's frames. The body of the texts is the same; what is around it differs.
import type { Frame } from '../transport/transport.ts';
import { ByteWriter, type Span } from './byte-writer.ts';

/**
 * `plain`: the default profile, only `full` and `delta`. `named`: `aircraft.v2.json`, with the name of the stream. `events`: server-sent events of
 * `named` frames, with an id from which a client resumes. `binary`: `aircraft.v2.bin`, frames of push/codec.
 */
export const encodings = ['plain', 'named', 'events', 'binary'] as const;
export type Encoding = (typeof encodings)[number];
export type TextEncoding = Exclude<Encoding, 'binary'>;

/** What the frames of an encoding are made of. */
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
const HEAD_BYTES_MAX = 512;

/** Appends a frame with this body: JSON members from `"seq"` on, and the closing brace. */
export function putFrame(writer: ByteWriter, encoding: TextEncoding, head: FrameHead, body: Uint8Array): Span {
  const start = writer.end;
  writer.putText(opening(encoding, head));
  writer.reserve(body.length);
  writer.bytes.set(body, writer.end);
  writer.end += body.length;
  if (encoding === 'events') writer.putText('\n\n');
  return { start, end: writer.end };
}

/** A frame with this body, in memory of its own or behind other frames in `writer`. */
export function textFrame(
  encoding: TextEncoding,
  head: FrameHead,
  body: Uint8Array,
  writer = new ByteWriter(body.length + HEAD_BYTES_MAX),
): Frame {
  const { start, end } = putFrame(writer, encoding, head, body);
  return { bytes: writer.bytes.subarray(start, end), isBinary: false };
}

function opening(encoding: TextEncoding, { type, stream, seq }: FrameHead): string {
  if (encoding === 'plain') return `{"type":"${type}",`;
  const named = `{"type":"${type}","stream":"${stream}",`;
  return encoding === 'named' ? named : `event: ${type}\nid: ${stream}:${seq}\ndata: ${named}`;
}
