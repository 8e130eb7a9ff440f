// Records are only containers. However frames are divided into them - one by one, in thousands, with empty ones in between, with receivers
// in any order - and wherever the fold is saved and restored, its state has the same SHA-256 and its ticks are the same.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FoldOptions } from '../../pipeline/fold/partition-fold.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { PACKED_FRAME_BYTES, PACKED_RECEIVER, packedReceiver } from '../../schemas/packed-frame.ts';
import { copiedTick } from '../support/copied-tick.ts';
import { cut, foldAll, heartbeat, outcomeOf, START_US, simulatedFrames } from './traffic.ts';

const SECONDS = 15;
const END = heartbeat(START_US + (SECONDS + 2) * 1e6);
/** The state contains the offset of its last record: the same offset ends every division. */
const END_OFFSET = 1_000_000;
const runs = { numRuns: 20 };

interface Outcome {
  readonly digest: string;
  readonly ticks: unknown[];
}

function settled(batches: readonly FrameBatch[], options: Partial<FoldOptions>, restarts?: ReadonlySet<number>): Outcome {
  const { fold, ticks } = foldAll(batches, options, restarts);
  fold.apply(END, END_OFFSET, (tick) => ticks.push(copiedTick(tick)));
  return { digest: fold.digest(), ticks: outcomeOf(ticks) };
}

/** The same record with its receivers in reverse order, between two without frames. */
function relisted(batch: FrameBatch): FrameBatch {
  const frames = Uint8Array.from(batch.frames);
  const receivers = ['silent', ...batch.receivers.toReversed(), 'silent too'];
  for (let at = 0; at < batch.count * PACKED_FRAME_BYTES; at += PACKED_FRAME_BYTES) {
    const index = receivers.indexOf(batch.receivers[packedReceiver(frames, at)]!);
    frames[at + PACKED_RECEIVER] = index & 0xff;
    frames[at + PACKED_RECEIVER + 1] = index >> 8;
  }
  return { ...batch, receivers, frames };
}

const sizes = fc
  .array(fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2000 })), {
    minLength: 1,
    maxLength: 12,
  })
  .filter((list) => list.some((size) => size > 0));

describe.each([
  ['one receiver', true, { receiver: null }],
  ['many receivers', false, { receiver: null }],
  ['many receivers, receiver location configured', false, { receiver: { lat: 48, lon: 9 } }],
])('%s', (_, singleReceiver, options) => {
  const frames = simulatedFrames({ aircraft: 30, seconds: SECONDS, seed: 21, singleReceiver });
  const whole = settled(cut(frames, [frames.length]), options);

  test('the frames one by one', () => {
    expect(settled(cut(frames, [1]), options)).toEqual(whole);
  });

  test('any division, with empty records, receivers listed in another order, restored anywhere', () => {
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(400), { maxLength: 6 }), fc.boolean(), (cuts, restarts, relist) => {
        const batches = cut(frames, cuts);
        const used = restarts.map((at) => at % batches.length);
        expect(settled(relist ? batches.map(relisted) : batches, options, new Set(used))).toEqual(whole);
      }),
      runs,
    );
  });

  test('restored before every one of the first 300 frames', () => {
    const few = frames.slice(0, 300);
    const batches = cut(few, [1]);
    expect(settled(batches, options, new Set(batches.keys()))).toEqual(settled(batches, options));
  });
});
