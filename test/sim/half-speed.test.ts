// While a clock catches up, event time is at half speed, and aircraft seem to fly twice as fast as they say. The fold believes their positions all
// the same: straight on, twice the reported speed is allowed. Where an aircraft is heard once in some seconds, some of its positions are refused, until
// its speed is doubted instead of them; none of these aircraft is lost.
import { expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 40;
/** From here on event time has its speed. */
const SLOW_FROM_US = START_US + 60_000_000;
const END_US = SLOW_FROM_US + 150_000_000;
const IMPLAUSIBLE = rejectReasons.indexOf('position_implausible');

/** Positions believed of one frame in `oneIn`, and the aircraft that still show one, not older than 60 s of event time. */
function run(speed: number, oneIn: number) {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: START_US, extraCopyShare: 0 });
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
    fold.applyFrame(bytes, at, byteLength, eventUs, signal, flags, fold.receiverNumber(`receiver ${receiver}`), outcome);
    if (!outcome.positionAccepted || !isSlow) return;
    positions += 1;
    lastUs.set(aircraft, timeUs);
  });
  const shown = [...lastUs.values()].filter((us) => us > END_US - 60_000_000 / speed).length;
  return { positions, shown, implausible: fold.progress(0).rejected[IMPLAUSIBLE]! };
}

test.each([
  [1, 0.999],
  [3, 0.999],
  [10, 0.6],
])('one frame in %i: %f of the positions are believed, and no aircraft is lost', (oneIn, share) => {
  const full = run(1, oneIn);
  const half = run(0.5, oneIn);
  expect(full.implausible).toBe(0);
  expect(half.positions / full.positions).toBeGreaterThanOrEqual(share);
  expect(half.shown).toBeGreaterThanOrEqual(full.shown);
});
