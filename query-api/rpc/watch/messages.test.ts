// Messages of WatchAircraft as bytes: each piece as the reference encoder writes it, and all pieces together everything that was added.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import { AircraftSchema, WatchAircraftResponseSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState } from '../../../test/support/full-state.ts';
import { createTestView } from '../../../test/support/live-view.ts';
import { RecordWriter } from '../record-bytes.ts';
import { aircraftRecord } from '../record-objects.ts';
import { MessagePieces } from './messages.ts';

const AIRCRAFT = 2000;
const REMOVED = 3000;

it.each([true, false])('has 2,000 records and 3,000 addresses as the reference encoder writes them, complete: %s', async (isComplete) => {
  const view = await createTestView(AIRCRAFT, { version: 0, facts: () => ({ registration: 'x'.repeat(900), dbFlags: 0 }) });
  const snapshot = view.current()!;
  const indices = Array.from({ length: AIRCRAFT }, (_, i) => i);
  const removed = Array.from({ length: REMOVED }, (_, i) => fullState(i).hex);
  const writer = new RecordWriter();
  const pieces = new MessagePieces(1.5, isComplete);
  for (const index of indices) pieces.add(writer.aircraft({ snapshot, index }));
  for (const hex of removed) pieces.remove(hex);

  const written = pieces.finish();
  const messages = written.map((piece) => fromBinary(WatchAircraftResponseSchema, piece));
  const expected = indices.map((index) => create(AircraftSchema, aircraftRecord({ snapshot, index })));
  expect(written.length).toBeGreaterThan((AIRCRAFT * 900) / limits.recordWatchPieceBytes - 1);
  expect(messages.flatMap(({ aircraft }) => aircraft)).toEqual(expected);
  expect(messages.flatMap((message) => message.removed)).toEqual(removed);
  for (const [n, { aircraft, removed: left }] of messages.entries()) {
    const message = create(WatchAircraftResponseSchema, { aircraft, removed: left, sourceTime: 1.5, complete: isComplete && n === 0 });
    expect(written[n]!.equals(toBinary(WatchAircraftResponseSchema, message))).toBe(true);
  }
});
