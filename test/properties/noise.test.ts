// Noise creates no aircraft, and hardly changes one: frames that cannot prove their address, with every kind of error.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { FLAG_REPAIRED_SHIFT } from '../../schemas/packed-frame.ts';
import { frameBatch } from '../golden/fold-frames.ts';
import {
  anyAddress,
  anyFrame,
  flipped,
  frameOf,
  LONG_FORMATS,
  provesAircraft,
  replyOf,
  SHORT_FORMATS,
  sealed,
  squitterOf,
  withAddress,
} from './frames.ts';
import { START_US, simulatedFrames, TICK_MS } from './traffic.ts';

const OPTIONS = { tickMs: TICK_MS, receiver: null };
const TRAFFIC_S = 20;

/** A fold that has heard some traffic, or nothing; reset to that moment before each trial, it shows the effect of one more frame. */
class Station {
  private readonly snapshot: Uint8Array;
  private fold = new PartitionFold(OPTIONS);
  private readonly outcome = createFrameOutcome();

  constructor(aircraft: number) {
    const traffic = { aircraft, seconds: TRAFFIC_S, seed: 31, singleReceiver: true };
    if (aircraft > 0) this.fold.apply(frameBatch(simulatedFrames(traffic)), 0, null);
    this.fold.advance(START_US + TRAFFIC_S * 1e6, null);
    this.snapshot = this.fold.snapshot();
  }

  reset(): void {
    this.fold = PartitionFold.restore(this.snapshot, OPTIONS);
  }

  /** Hears a frame so long after the traffic. True when it took effect. */
  hear(bytes: Uint8Array, laterS = 0.1, flags = 0): boolean {
    const timeUs = START_US + Math.round((TRAFFIC_S + laterS) * 1e6);
    this.fold.advance(timeUs, null);
    const frame = { bytes, at: 0, byteLength: bytes.length as 7 | 14, timeUs, signal: 90, flags };
    this.fold.applyFrame(frame, this.fold.receiverNumber('one'), this.outcome);
    return this.outcome.accepted;
  }

  states(laterS = 0.1): AircraftState[] {
    const nowMs = Math.floor(START_US / 1000 + (TRAFFIC_S + laterS) * 1000);
    return [...this.fold.liveSlots()].map((slot) => this.fold.state(slot, nowMs));
  }

  get aircraft(): number {
    return this.fold.progress(0).aircraft;
  }
}

const runs = { numRuns: 1000 };
const empty = new Station(0);
const busy = new Station(40);
const known = busy.states().map(({ hex }) => Number.parseInt(hex, 16));
const knownAddress = fc.constantFrom(...known);
const unknownAddress = anyAddress.filter((address) => !known.includes(address));
const allCallOf = (address: number, remainder: number): fc.Arbitrary<Uint8Array> =>
  frameOf([11]).map((frame) => sealed(withAddress(frame, address), remainder));
/** Frames that prove their sender. */
const proofOf = (address: number): fc.Arbitrary<Uint8Array> => fc.oneof(squitterOf(address), allCallOf(address, 0));

/** The frame has no effect on a station without aircraft, and creates none at a station with some. */
function makesNothing(frame: Uint8Array, flags = 0): void {
  empty.reset();
  expect(empty.hear(frame, 0.1, flags)).toBe(false);
  expect(empty.aircraft).toBe(0);
  busy.hear(frame, 0.1, flags);
  expect(busy.aircraft).toBe(known.length);
}

/** Frames, and the bits that their receiver repaired. */
const noise: readonly [string, fc.Arbitrary<Uint8Array>, repairedBits?: number][] = [
  ['7 or 14 random bytes', anyFrame],
  ['random content of each known format', frameOf([...SHORT_FORMATS, ...LONG_FORMATS])],
  ['replies, whose sender is only in the parity', unknownAddress.chain(replyOf)],
  [
    'formats that do not exist, with any address in their parity',
    fc
      .tuple(frameOf([1, 2, 3, 6, 7, 8, 9, 10, 12, 13, 14, 15, 19, 22, 23]), unknownAddress)
      .map(([frame, address]) => sealed(frame, address)),
  ],
  [
    'all-call replies to an interrogator',
    fc.tuple(unknownAddress, fc.integer({ min: 1, max: 127 })).chain(([address, code]) => allCallOf(address, code)),
  ],
  [
    'squitters with wrong parity',
    fc.tuple(unknownAddress.chain(proofOf), fc.integer({ min: 128, max: 0xff_ffff })).map(([frame, wrong]) => sealed(frame, wrong)),
  ],
  ['squitters with a bit that the receiver repaired', unknownAddress.chain(proofOf), 1],
  [
    // Two intact frames of one length differ in at least six bits.
    'squitters with one to five wrong bits',
    fc
      .tuple(unknownAddress.chain(proofOf), fc.uniqueArray(fc.nat(55), { minLength: 1, maxLength: 5 }))
      .map(([frame, bits]) => flipped(frame, bits)),
  ],
  ['squitters cut short', unknownAddress.chain(squitterOf).map((frame) => frame.slice(0, 7))],
  [
    'all-calls with trailing bytes',
    unknownAddress.chain((address) => allCallOf(address, 0)).map((frame) => Uint8Array.of(...frame, ...new Uint8Array(7))),
  ],
  ['address 0', fc.oneof(proofOf(0), replyOf(0))],
];

test.each(noise)('no aircraft is created by %s', (name, frames, repairedBits = 0) => {
  const isRandom = name.includes('random');
  fc.assert(
    fc.property(frames, (frame) => {
      if (!isRandom || !provesAircraft(frame)) makesNothing(frame, repairedBits << FLAG_REPAIRED_SHIFT);
    }),
    runs,
  );
});

test('two to four wrong bits are never taken for one: a known aircraft’s squitter is refused, not repaired wrongly', () => {
  const wrong = fc.uniqueArray(fc.nat(111), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(
      knownAddress.chain((address) => squitterOf(address, [17])),
      wrong,
      (frame, bits) => {
        busy.reset();
        expect(busy.hear(flipped(frame, bits))).toBe(false);
      },
    ),
    runs,
  );
});

describe('a reply with the address of a known aircraft by chance', () => {
  /** Fields that one reply may change. All others require a second reception, or the aircraft itself. */
  const tellable: readonly (keyof AircraftState)[] = ['messages', 'rssiDeciDbfs', 'alert', 'spi', 'altitudeBaroFt', 'altitudeGeomFt'];
  /** 12,500 ft/min since the last altitude, which may be as old as the traffic. */
  const ALTITUDE_STEP_FT_MAX = 5000;

  test('changes alert and SPI at most, and the altitude by what the aircraft could have climbed', () => {
    let moved = 0;
    const trial = knownAddress.chain((address) => fc.tuple(fc.constant(address), replyOf(address)));
    fc.assert(
      fc.property(trial, fc.double({ min: 0.001, max: 2, noNaN: true }), ([address, frame], laterS) => {
        busy.reset();
        const hex = address.toString(16).padStart(6, '0');
        const state = (): AircraftState => busy.states(laterS).find((each) => each.hex === hex)!;
        const before = state();
        busy.hear(frame, laterS);
        const after = state();
        const changed = (Object.keys(before) as (keyof AircraftState)[]).filter((name) => !Object.is(before[name], after[name]));
        expect(changed.filter((name) => !tellable.includes(name))).toEqual([]);
        if (!changed.includes('altitudeBaroFt')) return;
        moved += 1;
        expect(Math.abs(after.altitudeBaroFt! - before.altitudeBaroFt!)).toBeLessThan(ALTITUDE_STEP_FT_MAX);
      }),
      runs,
    );
    // Few random altitudes are near the true one: 1.4 % of 150,000, from 0.4 to 2.7 % in a run of 1000.
    expect(moved).toBeLessThan(0.05 * runs.numRuns);
  });
});
