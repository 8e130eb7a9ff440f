// The target of a replay: a running service, as Beast over TCP, or a log, with the times of the file.

import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { AvroWriter } from '../../avro/writer.ts';
import { FeederIds } from '../../feeders/feeder-ids.ts';
import { Batcher } from '../../ingest/batcher.ts';
import { BeastWriter } from '../../ingest/beast-writer.ts';
import { FILE_RECEIVER, takeReceivers } from '../../ingest/file-reader.ts';
import { frameRecords } from '../../ingest/frame-records.ts';
import { ReceiverTable } from '../../ingest/receivers.ts';
import type { Codecs } from '../../log/codec.ts';
import type { EventLog } from '../../log/event-log.ts';
import { newestRecord } from '../../log/group-offset.ts';
import { Counters } from '../../runtime/counters.ts';
import type { InstallationSecret } from '../../runtime/installation-secret.ts';
import type { Pacer } from '../../runtime/pacer.ts';
import type { BeastTarget } from './beast-target.ts';

export interface ReplayTarget {
  /** `receiver` is its id in the file, or FILE_RECEIVER when the file has none. */
  add(frame: ReceivedFrame, receiver: string): void;
  /** Resolves when there is room for more frames. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** Sends into a running service. */
export function serviceTarget(target: BeastTarget): ReplayTarget {
  const writer = new BeastWriter();
  const send = (): Promise<void> => target.send(writer.takeBytes());
  let full: Promise<void> | null = null;
  let named = FILE_RECEIVER;
  return {
    add(frame, receiver) {
      if (receiver !== named && receiver !== FILE_RECEIVER) writer.addReceiver(receiver.replaceAll('-', ''));
      named = receiver;
      if (writer.add(frame)) full = send();
    },
    async flush() {
      await full;
      full = null;
      await send();
    },
    end: () => target.end(),
  };
}

/** Appends to a log, and closes it at the end. `onAhead` is called once when times are in the future. Error: `input.older_than_log`. */
export async function logTarget(
  { log, codecs, secret }: { readonly log: EventLog; readonly codecs: Codecs; readonly secret: InstallationSecret },
  onAhead: (timeUs: number) => void,
): Promise<ReplayTarget> {
  const receivers = new ReceiverTable();
  const numbers = takeReceivers(receivers, 'replay', new FeederIds(secret));
  const newest = await Promise.all(
    Array.from({ length: log.partitions('frames') }, (_, partition) => newestRecord(log, 'frames', partition)),
  );
  const newestMs = Math.max(0, ...newest.map((record) => record?.timestampMs ?? 0));
  const futureUs = Date.now() * 1000 + limits.replayAheadUsMax;
  let isAhead = false;
  let failure: unknown = null;
  const writers = Array.from({ length: log.partitions('frames') }, () => new AvroWriter());
  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters: new Counters(),
    async append(partition, batches) {
      try {
        await log.append('frames', partition, frameRecords(codecs, batches, writers[partition]));
      } catch (error) {
        // A service waits for free space; a command fails.
        if (error instanceof SquitterError && error.code === 'log.no_space') failure ??= error;
        throw error;
      }
    },
    onFailure: (error) => {
      failure ??= error;
    },
    nowUs: () => Date.now() * 1000,
  });
  return {
    add(frame, receiver) {
      if (frame.timeUs < newestMs * 1000) throw new SquitterError('input.older_than_log', { newest: new Date(newestMs).toISOString() });
      if (frame.timeUs > futureUs && !isAhead) {
        isAhead = true;
        onAhead(frame.timeUs);
      }
      frame.receiver = numbers.numberOf(receiver);
      batcher.add(frame);
    },
    async flush() {
      batcher.tick(Date.now() * 1000);
      if (failure !== null) throw failure;
      await batcher.whenClear();
      if (failure !== null) throw failure;
    },
    async end() {
      await batcher.drain();
      await log.close();
      if (failure !== null) throw failure;
    },
  };
}

/** Waits until a frame is due; earlier frames are sent first. */
export async function paced(pacer: Pacer, timeUs: number, target: ReplayTarget): Promise<void> {
  const waitMs = pacer.waitMs(timeUs);
  if (waitMs <= 0) return;
  await target.flush();
  await pacer.sleep(waitMs);
}
