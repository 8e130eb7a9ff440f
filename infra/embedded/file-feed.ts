// Feeds a recorded file at its own pace as live frames: their event time is the time of sending.
import type { IngestContext } from '../../pipeline/ingest/feeder-session.ts';
import { openFrameFile, takeReceivers } from '../../pipeline/ingest/file-reader.ts';
import { createPacer } from '../../pipeline/runtime/pacer.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';

export interface FileFeedOptions {
  readonly context: IngestContext;
  readonly signal: AbortSignal;
}

/** Resolves at the end of the file. Errors: `input.unreadable`, `input.unknown_format`. */
export async function feedFile(path: string, { context, signal }: FileFeedOptions): Promise<void> {
  const file = await openFrameFile(path, { signal });
  const numbers = takeReceivers(context.receivers, 'replay', context.ids);
  const pacer = createPacer(1, signal);
  const stopped = aborted(signal);
  let frames = 0;
  for await (const chunk of file.chunks()) {
    for (const frame of chunk.frames) {
      const waitMs = pacer.waitMs(frame.timeUs);
      if (waitMs > 0) await pacer.sleep(waitMs);
      frame.timeUs = context.nowUs();
      frame.receiver = numbers.numberOf(frame.receiverId);
      context.target.add(frame);
      context.counters.add('frames');
      frames += 1;
    }
    if (context.target.congested) await Promise.race([context.target.whenClear(), stopped]);
    if (signal.aborted) break;
  }
  numbers.release();
  context.log.info({ path, frames }, 'end of the recording');
}
