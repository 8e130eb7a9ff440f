// The full frames of a service class's last tick. A crowd that begins at once costs one frame for each topic and encoding.
import { limits } from '../../schemas/limits/index.ts';
import { finished, type Steps } from '../codec/encoder.ts';
import type { Frame } from '../transport/transport.ts';
import { type Encoding, textFrame } from './encodings.ts';
import { channelOf, type Topic } from './topic.ts';
import type { Turn } from './turn.ts';

/** The last tick: its number, and its topics as frames of the default profile and as binary frames. */
export interface FullSource {
  readonly seq: number;
  full(topic: Topic): Uint8Array;
  binaryFull(topic: Topic): Steps;
}

export class FullFrames {
  private readonly source: FullSource;
  /** By channel. */
  private readonly frames = new Map<number, Frame>();
  private bytes = 0;
  private seq = 0;

  constructor(source: FullSource) {
    this.source = source;
  }

  /** Call when the class is settled, with one of its topics. Errors: `push.too_many_encoded`. */
  frame(topic: Topic, encoding: Encoding): Frame {
    return this.cached(topic, encoding) ?? this.cache(topic, encoding, this.make(topic, encoding));
  }

  /** The binary one, made in several turns. No tick may begin before it is there. */
  async inTurns(topic: Topic, turn: Turn): Promise<Frame> {
    const cached = this.cached(topic, 'binary');
    return cached ?? this.cache(topic, 'binary', { bytes: await turn.finish(this.source.binaryFull(topic)), isBinary: true });
  }

  private cached(topic: Topic, encoding: Encoding): Frame | undefined {
    const { seq } = this.source;
    if (this.seq !== seq) this.clear();
    this.seq = seq;
    return this.frames.get(channelOf(topic, encoding));
  }

  private cache(topic: Topic, encoding: Encoding, { bytes, isBinary }: Frame): Frame {
    const channel = channelOf(topic, encoding);
    // A copy: the memory of the writer is longer.
    const frame = { bytes: new Uint8Array(bytes), isBinary };
    this.bytes += frame.bytes.length;
    if (this.bytes > limits.pushFullBytesMax) this.clear();
    this.frames.set(channel, frame);
    return frame;
  }

  clear(): void {
    this.frames.clear();
    this.bytes = 0;
  }

  private make(topic: Topic, encoding: Encoding): Frame {
    if (encoding === 'binary') return { bytes: finished(this.source.binaryFull(topic)), isBinary: true };
    return textFrame(encoding, { type: 'full', stream: topic.stream, seq: this.seq }, this.source.full(topic));
  }
}
