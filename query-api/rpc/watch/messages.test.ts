// Messages of WatchAircraft: bounded, together everything that was given, and the same bytes when they are encoded once for all streams.
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { WatchAircraftResponseSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState } from '../../../test/support/full-state.ts';
import { createTestView } from '../../../test/support/live-view.ts';
import { EncodedMessages, watchMessages } from './messages.ts';

const AIRCRAFT = 2000;
const REMOVED = 3000;

it.each([true, false])('2,000 records and 3,000 addresses, complete: %s', async (isComplete) => {
  const view = await createTestView(AIRCRAFT, { version: 0, facts: () => ({ registration: 'x'.repeat(900), dbFlags: 0 }) });
  const numbers = Int32Array.from({ length: AIRCRAFT }, (_, i) => i);
  const removed = Array.from({ length: REMOVED }, (_, i) => fullState(i).hex);
  const messages = watchMessages(view.current()!, numbers, removed, isComplete);
  expect(messages.length).toBe(REMOVED / limits.recordWatchMessageItemsMax);
  expect(messages.flatMap(({ aircraft }) => aircraft.map(({ hex }) => hex)).sort()).toEqual(removed.slice(0, AIRCRAFT).sort());
  expect(messages.flatMap((message) => message.removed)).toEqual(removed);
  expect(messages.map(({ complete }) => complete)).toEqual(messages.map((_, n) => isComplete && n === 0));
  const encoded = new EncodedMessages();
  for (const message of messages) {
    const bytes = toBinary(WatchAircraftResponseSchema, encoded.encoded(message));
    expect(Buffer.from(bytes).equals(toBinary(WatchAircraftResponseSchema, message))).toBe(true);
    expect(fromBinary(WatchAircraftResponseSchema, bytes)).toEqual(message);
    expect(encoded.encoded(message)).toBe(encoded.encoded(message));
    // Clients of gRPC take 4 MB.
    expect(bytes.length).toBeLessThan(1024 ** 2);
  }
});
