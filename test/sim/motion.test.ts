// Values that the fold derives from the motion of simulated aircraft - true heading, wind, temperature - compared with their instruments.
import { expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { temperatureRatio, type Wind, windAt } from '../../pipeline/simulate/flights/atmosphere.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 800;
const SECONDS = 40;

interface Errors {
  trueHeadingDeg: number[];
  windKt: number[];
  windDeg: number[];
  oatC: number[];
}

const apartDeg = (a: number, b: number): number => Math.abs(((a - b + 540) % 360) - 180);
/** The value that this share, in percent, does not exceed. */
const percentile = (values: number[], share: number): number => values.sort((a, b) => a - b)[Math.floor(values.length * share)]!;

/** Errors of each aircraft that reports these values at the end, and at each velocity message of aircraft that report airspeed. */
function fly(): { atEnd: Errors; byAirspeed: number[] } {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 7, startUs: START_US, airports: 242, extraReceptionShare: 0 });
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const slots = new Map<number, { slot: number; sentUs: number }>();
  const byAirspeed: number[] = [];
  traffic.advance(START_US + SECONDS * 1e6, ({ bytes, at, byteLength, timeUs, signal, flags, receiver }, aircraft, sentUs) => {
    fold.advance(timeUs, null);
    fold.applyFrame({ bytes, at, byteLength, timeUs, signal, flags }, fold.receiverNumber(`receiver ${receiver}`), outcome);
    if (!outcome.accepted) return;
    slots.set(aircraft, { slot: outcome.slot, sentUs });
    if (!traffic.fleet[aircraft]!.airspeedOnly || outcome.message.typeCode !== 19) return;
    const { trueHeadingCentideg } = fold.state(outcome.slot, Math.floor(timeUs / 1000));
    if (trueHeadingCentideg !== null) byAirspeed.push(apartDeg(trueHeadingCentideg / 100, traffic.truth(aircraft, sentUs).headingTrueDeg));
  });
  const atEnd: Errors = { trueHeadingDeg: [], windKt: [], windDeg: [], oatC: [] };
  const wind: Wind = { eastKt: 0, northKt: 0 };
  for (const [aircraft, { slot, sentUs }] of slots) {
    const state = fold.state(slot, Math.floor(sentUs / 1000));
    const truth = traffic.truth(aircraft, sentUs);
    // The values of turning and climbing aircraft have changed by the end.
    if (Math.abs(truth.turnDegPerS) > 0.01 || Math.abs(truth.rateFpm) > 100) continue;
    windAt(truth.latDeg, truth.lonDeg, truth.altitudeFt, wind);
    const windKt = Math.hypot(wind.eastKt, wind.northKt);
    if (state.trueHeadingCentideg !== null) atEnd.trueHeadingDeg.push(apartDeg(state.trueHeadingCentideg / 100, truth.headingTrueDeg));
    if (state.windSpeedKt !== null) {
      atEnd.windKt.push(Math.abs(state.windSpeedKt - windKt));
      const from = (Math.atan2(-wind.eastKt, -wind.northKt) * 180) / Math.PI;
      if (windKt > 20) atEnd.windDeg.push(apartDeg(state.windDirectionDeg!, from));
    }
    if (state.oatC !== null) atEnd.oatC.push(Math.abs(state.oatC + 273.15 - 288.15 * temperatureRatio(truth.altitudeFt)));
  }
  return { atEnd, byAirspeed };
}

test('true heading, wind and temperature are right all over the world', () => {
  const { atEnd, byAirspeed } = fly();
  // Headings of TC 19 are sent in steps of 360/1024°, those of BDS 6,0 in steps of 90/512°.
  expect(byAirspeed.length).toBeGreaterThan(50);
  expect(Math.max(...byAirspeed)).toBeLessThan(0.25);
  expect(atEnd.trueHeadingDeg.length).toBeGreaterThan(150);
  // A heading reported before a turn stays for a minute.
  expect(percentile(atEnd.trueHeadingDeg, 0.95)).toBeLessThan(0.2);
  expect(atEnd.windKt.length).toBeGreaterThan(150);
  expect(Math.max(...atEnd.windKt)).toBeLessThan(3);
  expect(Math.max(...atEnd.windDeg)).toBeLessThan(5);
  // 2 kt of airspeed and 0.004 of Mach number are 2 °C each.
  expect(Math.max(...atEnd.oatC)).toBeLessThan(5);
});
