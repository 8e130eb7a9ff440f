// The frames of deltas, one for each channel that has subscribers.
import type { FrameForChannel } from '../transport/transport.ts';
import { ByteWriter } from './byte-writer.ts';
import { encodings } from './encodings.ts';
import { frameOf, type TopicDelta } from './resume-frames.ts';
import { channelOf } from './topic.ts';

/** Approximate bytes that other encodings have around the members of a frame. */
const HEAD_BYTES = 128;

/** `bytes` are those to all subscribers together. */
export function channelFrames(deltas: readonly TopicDelta[]): { readonly frames: readonly FrameForChannel[]; readonly bytes: number } {
  const frames: FrameForChannel[] = [];
  let bytes = 0;
  // One piece of memory for all that are not there yet: thousands of small ones would cost more than what is in them.
  let textBytes = 0;
  for (const { topic, text } of deltas) {
    const { named, events } = topic.subscribers;
    textBytes += ((named > 0 ? 1 : 0) + (events > 0 ? 1 : 0)) * ((text?.length ?? 0) + HEAD_BYTES);
  }
  const writer = new ByteWriter(textBytes);
  for (const delta of deltas) {
    const { topic } = delta;
    for (const encoding of encodings) {
      if (topic.subscribers[encoding] === 0) continue;
      const frame = frameOf(delta, encoding, writer)!;
      frames.push({ channel: channelOf(topic, encoding), ...frame });
      bytes += frame.bytes.length * topic.subscribers[encoding];
    }
  }
  return { frames, bytes };
}
