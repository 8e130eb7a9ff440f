// Messages WatchAircraftResponse of one tick, of bounded size: `complete` is in the first message of a state.
import { create, toBinary } from '@bufbuild/protobuf';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type WatchAircraftResponse, WatchAircraftResponseSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { sourceTimeS } from '../operations.ts';
import { aircraftRecord } from '../record-objects.ts';

const TAG_TYPE_BITS = 3;

/** `numbers` are of the snapshot's listing. At least one message, so that a client sees the time advance. */
export function watchMessages(
  snapshot: Snapshot,
  numbers: Int32Array,
  removed: readonly string[],
  isComplete: boolean,
): readonly WatchAircraftResponse[] {
  const size = limits.recordWatchMessageItemsMax;
  const count = Math.max(1, Math.ceil(numbers.length / size), Math.ceil(removed.length / size));
  return Array.from({ length: count }, (_, n) =>
    create(WatchAircraftResponseSchema, {
      aircraft: Array.from(numbers.subarray(n * size, (n + 1) * size), (index) => aircraftRecord({ snapshot, index })),
      removed: removed.slice(n * size, (n + 1) * size),
      sourceTime: sourceTimeS(snapshot),
      complete: isComplete && n === 0,
    }),
  );
}

/** The binary forms of messages, each made once for all streams. */
export class EncodedMessages {
  private readonly made = new WeakMap<WatchAircraftResponse, WatchAircraftResponse>();

  /** A message that the library writes without encoding: its first field counts as unknown, with all bytes behind the tag as its value. */
  encoded(message: WatchAircraftResponse): WatchAircraftResponse {
    let encoded = this.made.get(message);
    if (encoded === undefined) {
      const bytes = toBinary(WatchAircraftResponseSchema, message);
      const tag = bytes[0]!;
      encoded = create(WatchAircraftResponseSchema);
      encoded.$unknown = [{ no: tag >> TAG_TYPE_BITS, wireType: tag & ((1 << TAG_TYPE_BITS) - 1), data: bytes.subarray(1) }];
      this.made.set(message, encoded);
    }
    return encoded;
  }
}
