// Deltas of one turn of a tick, as they are sent and kept for clients that resume: a table and one piece of memory. An object for each would live for a
// minute, and V8 collects such objects only every few minutes.
import type { Frame } from '../transport/transport.ts';
import type { ByteWriter, Span } from './byte-writer.ts';
import { type Encoding, textFrame } from './encodings.ts';
import type { Slabs } from './slabs.ts';
import type { Topic } from './topic.ts';

/** The frames of one topic and tick. A frame that no client needs is null. */
export interface TopicDelta {
  readonly topic: Topic;
  readonly seq: number;
  /** For the default profile. */
  readonly text: Uint8Array | null;
  /** For the binary profile. */
  readonly binary: Uint8Array | null;
}

/** A delta that was written: its text is a part of `texts`. */
export interface WrittenDelta {
  readonly topic: Topic;
  readonly text: Span | null;
  readonly binary: Uint8Array | null;
}

/** Numbers for each delta: the topic, start and end of the text, start and end of the binary frame; −1 without one. */
const ROW = 5;
const NONE = -1;

export class ResumeFrames {
  readonly bytes: number;
  private readonly memory: Buffer;
  /** Ascending by topic. */
  private readonly table: Int32Array;

  /** `written` are ascending by the topic's number. */
  constructor(written: readonly WrittenDelta[], texts: Uint8Array, slabs: Slabs) {
    this.bytes = written.reduce((sum, { binary }) => sum + (binary?.length ?? 0), texts.length);
    this.memory = slabs.allocate(this.bytes);
    this.memory.set(texts);
    this.table = new Int32Array(ROW * written.length);
    let end = texts.length;
    written.forEach(({ topic, text, binary }, n) => {
      this.table.set([topic.id, text?.start ?? NONE, text?.end ?? NONE, NONE, NONE], ROW * n);
      if (binary === null) return;
      this.memory.set(binary, end);
      this.table.set([end, end + binary.length], ROW * n + 3);
      end += binary.length;
    });
  }

  /** The delta of a topic; null if it is not among them. */
  delta(topic: Topic, seq: number): TopicDelta | null {
    const { table } = this;
    let from = 0;
    let to = table.length / ROW;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (table[ROW * middle]! < topic.id) from = middle + 1;
      else to = middle;
    }
    if (table[ROW * from] !== topic.id) return null;
    return { topic, seq, text: this.part(ROW * from + 1), binary: this.part(ROW * from + 3) };
  }

  private part(at: number): Buffer | null {
    const start = this.table[at]!;
    return start === NONE ? null : this.memory.subarray(start, this.table[at + 1]!);
  }
}

/** A delta in an encoding; null when it was not written in that. */
export function frameOf({ topic, seq, text, binary }: TopicDelta, encoding: Encoding, writer?: ByteWriter): Frame | null {
  if (encoding === 'binary') return binary === null ? null : { bytes: binary, isBinary: true };
  return text === null ? null : textFrame(encoding, { type: 'delta', stream: topic.stream, seq }, text, writer);
}
