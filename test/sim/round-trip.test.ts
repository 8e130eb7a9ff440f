// Simulated flights through decoder and fold, compared with the true positions of the simulator, which shares no code with either.
import { describe, expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { createTraffic, type Traffic } from '../../pipeline/simulate/traffic.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';

const START_US = 1_700_000_000_000_000;
const AIRCRAFT = 200;
const SECONDS = 120;
const M_PER_DEG = 111_195;
/** CPR rounds to 5 m; simulated times are whole µs. */
const POSITION_ERROR_M_MAX = 8;

interface Accepted {
  readonly aircraft: number;
  readonly sentUs: number;
  readonly slot: number;
  readonly errorM: number;
}

/** Metres between a position in microdegrees and the truth; accurate for small differences. */
function errorM(traffic: Traffic, aircraft: number, sentUs: number, latitudeMicrodeg: number, longitudeMicrodeg: number): number {
  const { latDeg, lonDeg } = traffic.truth(aircraft, sentUs);
  const north = latitudeMicrodeg / 1e6 - latDeg;
  const east = (((longitudeMicrodeg / 1e6 - lonDeg + 540) % 360) - 180) * Math.cos((latDeg * Math.PI) / 180);
  return Math.hypot(north, east) * M_PER_DEG;
}

function run() {
  const traffic = createTraffic({ aircraft: AIRCRAFT, seed: 3, startUs: START_US, extraReceptionShare: 0.5 });
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const accepted: Accepted[] = [];
  const implausible: number[] = [];
  const lastSentUs = new Map<number, number>();
  traffic.advance(START_US + SECONDS * 1e6, ({ bytes, at, byteLength, timeUs, signal, flags, receiver }, aircraft, sentUs) => {
    fold.advance(timeUs, null);
    fold.applyFrame({ bytes, at, byteLength, timeUs, signal, flags }, fold.receiverNumber(`receiver ${receiver}`), outcome);
    if (outcome.accepted) lastSentUs.set(outcome.slot, sentUs);
    if (!outcome.positionResolved) return;
    const error = errorM(traffic, aircraft, sentUs, outcome.latitudeMicrodeg, outcome.longitudeMicrodeg);
    if (outcome.positionAccepted) accepted.push({ aircraft, sentUs, slot: outcome.slot, errorM: error });
    if (error > POSITION_ERROR_M_MAX) implausible.push(error);
  });
  return { traffic, fold, accepted, implausible };
}

describe(`${AIRCRAFT} simulated aircraft, ${SECONDS} s, heard by several receivers`, () => {
  const { traffic, fold, accepted, implausible } = run();
  const nowMs = START_US / 1000 + SECONDS * 1000;

  test('every resolved position is the true one', () => {
    expect(implausible).toEqual([]);
    expect(Math.max(...accepted.map((position) => position.errorM))).toBeLessThan(POSITION_ERROR_M_MAX);
  });

  test('nearly every flying aircraft is found', () => {
    const flying = Array.from({ length: AIRCRAFT }, (_, i) => i).filter((i) => !traffic.truth(i, START_US + SECONDS * 1e6).onGround);
    const found = new Set(accepted.map((position) => position.aircraft));
    expect(flying.filter((i) => found.has(i)).length / flying.length).toBeGreaterThan(0.95);
  });

  test('duplicates from other receivers are counted as such', () => {
    const { rejected, messages } = fold.progress(nowMs);
    expect(rejected[rejectReasons.indexOf('duplicate')]! / messages).toBeGreaterThan(0.2);
    expect(rejected[rejectReasons.indexOf('parity')]! + rejected[rejectReasons.indexOf('malformed')]!).toBe(0);
  });

  test('altitude, speed, track, call sign and squawk are those of the flight', () => {
    const last = new Map(accepted.map((position) => [position.aircraft, position]));
    const wrong: string[] = [];
    let compared = 0;
    for (const { aircraft, slot } of last.values()) {
      const truth = traffic.truth(aircraft, START_US + SECONDS * 1e6);
      const state = fold.state(slot, nowMs);
      const check = (name: string, ours: number | null, theirs: number, near: number) => {
        if (ours === null) return;
        compared += 1;
        if (Math.abs(ours - theirs) > near) wrong.push(`${state.hex} ${name}: ${ours} for ${theirs}`);
      };
      if (state.onGround !== false || truth.onGround || nowMs - state.positionMs! > 2000) continue;
      check('altitude', state.altitudeBaroFt, truth.altitudeFt, 150);
      if (state.groundSpeedDeciKt !== null) check('ground speed', state.groundSpeedDeciKt / 10, truth.groundSpeedKt, 8);
      if (state.trackCentideg !== null) check('track', Math.cos((state.trackCentideg / 100 - truth.trackDeg) * (Math.PI / 180)), 1, 0.02);
      if (state.flight !== null && state.flight.trim() !== truth.flight.trim()) wrong.push(`${state.flight} for ${truth.flight}`);
      if (state.squawk !== null && Number(state.squawk) !== truth.squawk) wrong.push(`${state.squawk} for ${truth.squawk}`);
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(150);
  });
});
