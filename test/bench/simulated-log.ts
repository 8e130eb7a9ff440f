// Simulated traffic appended to a log as an ingest does it, as fast as the log takes it.
import { Batcher } from '../../pipeline/ingest/batcher.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { ReceiverTable } from '../../pipeline/ingest/receivers.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

const STEP_US = 50_000;

export interface SimulatedSpan {
  readonly aircraft: number;
  readonly seed: number;
  readonly startUs: number;
  readonly seconds: number;
}

/** Returns the number of frames. Errors: those of the log. */
export async function appendSimulated(
  { log, codecs }: { readonly log: EventLog; readonly codecs: Codecs },
  { aircraft, seed, startUs, seconds }: SimulatedSpan,
): Promise<number> {
  const receivers = new ReceiverTable();
  let nowUs = startUs;
  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters: new Counters(),
    append: (partition, batches) => log.append('frames', partition, frameRecords(codecs, batches)),
    onFailure: (error) => {
      throw error;
    },
    nowUs: () => nowUs,
  });
  const traffic = createTraffic({ aircraft, seed, startUs });
  const numbers = traffic.receivers.map((_, i) => receivers.acquire(`receiver-${i}`));
  let frames = 0;
  while (nowUs < startUs + seconds * 1_000_000) {
    nowUs += STEP_US;
    traffic.advance(nowUs, (frame) => {
      batcher.add({ ...frame, receiver: numbers[frame.receiver]! });
      frames += 1;
    });
    batcher.tick(nowUs);
    if (batcher.congested) await batcher.whenClear();
  }
  await batcher.drain();
  return frames;
}
