// What the fold derives from the motion that simulated aircraft tell, against what their instruments show.
import { expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 1500;
const SECONDS = 30;

test('true headings are the real ones, all over the world', () => {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 7, startUs: START_US, airports: 242, extraCopyShare: 0 });
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const slots = new Map<number, number>();
  const errors: number[] = [];
  traffic.advance(START_US + SECONDS * 1e6, ({ bytes, at, byteLength, timeUs, signal, flags, receiver }, aircraft, sentUs) => {
    fold.advance(timeUs, null);
    fold.applyFrame(bytes, at, byteLength, timeUs, signal, flags, fold.receiverNumber(`receiver ${receiver}`), outcome);
    if (!outcome.accepted || !traffic.fleet[aircraft]!.airspeedOnly || outcome.message.typeCode !== 19) return;
    slots.set(aircraft, outcome.slot);
    const { trueHeadingCentideg } = fold.state(outcome.slot, Math.floor(timeUs / 1000));
    if (trueHeadingCentideg === null) return;
    const off = trueHeadingCentideg / 100 - traffic.truth(aircraft, sentUs).headingTrueDeg;
    errors.push(Math.abs(((off + 540) % 360) - 180));
  });
  expect(slots.size).toBeGreaterThan(3);
  expect(errors.length).toBeGreaterThan(100);
  // Headings are sent in steps of 360/1024°.
  expect(Math.max(...errors)).toBeLessThan(0.25);
});
