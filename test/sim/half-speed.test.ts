// While a clock catches up, event time runs at half speed, and aircraft seem to fly at twice their reported speed. The fold still accepts
// their positions: straight ahead, twice the reported speed is allowed. For an aircraft heard only every few seconds, some positions are
// refused until the fold doubts its speed instead. Without a position for 20 s it is too far from where it was: it is refused until its old
// position has lost all support, and shown again with the next pairs. With seeds 1 to 8, three of 24 runs of 40 aircraft
// have one such aircraft at the end, where one frame in ten is heard.
import { expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 40;
/** From here on event time runs at the given speed. */
const SLOW_FROM_US = START_US + 60_000_000;
const END_US = SLOW_FROM_US + 150_000_000;
const IMPLAUSIBLE = rejectReasons.indexOf('position_implausible');

/** Accepted positions of one frame in `oneIn`, and the aircraft that still show one, at most 60 s of event time old. */
function run(speed: number, oneIn: number) {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: START_US, extraReceptionShare: 0 });
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const lastUs = new Map<number, number>();
  let positions = 0;
  let count = 0;
  traffic.advance(END_US, ({ bytes, at, byteLength, timeUs, signal, flags, receiver }, aircraft) => {
    count += 1;
    const isSlow = timeUs > SLOW_FROM_US;
    if (isSlow && count % oneIn !== 0) return;
    const eventUs = isSlow ? SLOW_FROM_US + Math.floor((timeUs - SLOW_FROM_US) * speed) : timeUs;
    fold.advance(eventUs, null);
    fold.applyFrame({ bytes, at, byteLength, timeUs: eventUs, signal, flags }, fold.receiverNumber(`receiver ${receiver}`), outcome);
    if (!outcome.positionAccepted || !isSlow) return;
    positions += 1;
    lastUs.set(aircraft, timeUs);
  });
  const shown = [...lastUs.values()].filter((us) => us > END_US - 60_000_000 / speed).length;
  return { positions, shown, implausible: fold.progress(0).rejected[IMPLAUSIBLE]! };
}

test.each([
  [1, 0.999, 0],
  [3, 0.999, 0],
  [10, 0.6, 1],
])('one frame in %i: %f of the positions are accepted, and at most %i aircraft is without one at the end', (oneIn, share, lostMax) => {
  const full = run(1, oneIn);
  const half = run(0.5, oneIn);
  expect(full.implausible).toBe(0);
  expect(half.positions / full.positions).toBeGreaterThanOrEqual(share);
  expect(half.shown).toBeGreaterThanOrEqual(full.shown - lostMax);
});
