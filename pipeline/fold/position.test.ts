// Positions from frames: pairs, positions near a known one, reliability, and impossible positions.
import { describe, expect, test } from 'vitest';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { FLAG_MLAT } from '../../schemas/packed-frame.ts';
import { BenchFlight } from '../../test/support/fold-flight.ts';

/** Eastward at about 480 kt along 50° N: degrees of longitude in a second. */
const EAST_PER_S = 0.003_44;

/** Flies from (50, 8) for some seconds, one position a second, even and odd in turn; returns the accepted ones. */
function fly(flight: BenchFlight, seconds: number, firstLon = 8): boolean[] {
  const accepted: boolean[] = [];
  for (let i = 0; i < seconds; i += 1) {
    flight.velocity(480, 0);
    accepted.push(flight.airborne(50, firstLon + i * EAST_PER_S, i % 2 === 1).positionAccepted);
    flight.timeS += 1;
  }
  return accepted;
}

describe('a pair of frames', () => {
  test('gives a position from the second frame, a reliable one after two decodes of each parity', () => {
    const flight = new BenchFlight();
    expect(flight.airborne(50, 8, false).positionResolved).toBe(false);
    flight.timeS = 1;
    expect(flight.airborne(50, 8.004, true)).toMatchObject({ positionResolved: true, positionAccepted: false });
    expect(fly(new BenchFlight(), 6)).toEqual([false, false, false, true, true, true]);
  });

  test('on the ground may be 50 s apart when the aircraft is slow, otherwise 25 s', () => {
    for (const [seconds, speedKt, resolved] of [
      [50, 10, true],
      [26, 60, false],
      [25, 60, true],
    ] as const) {
      const flight = new BenchFlight({ receiver: { lat: 50.03, lon: 8.55 } });
      flight.surface(50.03, 8.55, false, speedKt);
      flight.timeS = seconds;
      expect(flight.surface(50.03, 8.551, true, speedKt).positionResolved).toBe(resolved);
    }
  });

  test('on the ground near a pole needs a position of the aircraft itself: a receiver does not decide the quarter of the globe', () => {
    // 3 NM from each other across the pole, which makes 120° of longitude.
    const flight = new BenchFlight({ receiver: { lat: -89.98, lon: 30 } });
    flight.surface(-89.95, 150, false);
    flight.timeS = 1;
    expect(flight.surface(-89.95, 150, true).positionResolved).toBe(false);
    const flown = new BenchFlight({ receiver: { lat: -89.98, lon: 30 } });
    for (let i = 0; i < 6; i += 1) {
      flown.timeS = i;
      flown.airborne(-89.95, 149 + 0.1 * i, i % 2 === 1);
    }
    flown.header.capability = 4;
    flown.timeS = 6;
    flown.surface(-89.95, 150, false);
    flown.timeS = 7;
    const { positionResolved, longitudeMicrodeg } = flown.surface(-89.95, 150, true);
    expect(positionResolved).toBe(true);
    expect(Math.abs(longitudeMicrodeg - 150e6)).toBeLessThan(3000);
  });

  test('on the ground needs a reference position', () => {
    const flight = new BenchFlight();
    flight.surface(50.03, 8.55, false);
    flight.timeS = 1;
    expect(flight.surface(50.03, 8.5501, true).positionResolved).toBe(false);
  });

  test('on the ground uses the area where the receiver hears aircraft', () => {
    const flight = new BenchFlight();
    fly(flight, 110);
    flight.header.address = 0x3c0001;
    flight.surface(50.03, 8.55, false);
    flight.timeS += 1;
    const { positionResolved, latitudeMicrodeg } = flight.surface(50.03, 8.5501, true);
    expect([positionResolved, Math.round(latitudeMicrodeg / 1e4)]).toEqual([true, 5003]);
  });
});

describe('a single frame', () => {
  test('is decoded near the last position of the aircraft, and keeps it alive without making it more reliable', () => {
    const flight = new BenchFlight();
    flight.airborne(50, 8, false);
    flight.timeS = 1;
    flight.airborne(50, 8 + EAST_PER_S, true);
    const resolved: boolean[] = [];
    for (let i = 0; i < 5; i += 1) {
      flight.timeS += 11;
      const { positionResolved, positionAccepted } = flight.airborne(50, 8 + flight.timeS * EAST_PER_S, true);
      resolved.push(positionResolved && !positionAccepted);
    }
    expect(resolved).toEqual([true, true, true, true, true]);
  });

  test('is decoded near the receiver when the aircraft is new, within 60 nm', () => {
    const near = new BenchFlight({ receiver: { lat: 50, lon: 8 } });
    expect(near.airborne(50.5, 8.5, false).positionResolved).toBe(true);
    const far = new BenchFlight({ receiver: { lat: 50, lon: 8 } });
    expect(far.airborne(51.5, 8.5, false).positionResolved).toBe(false);
  });
});

describe('an implausible position', () => {
  test('is refused, with everything else of its frame', () => {
    const flight = new BenchFlight();
    fly(flight, 20);
    flight.altitudeFt = 1000;
    const before = flight.state();
    flight.timeS += 10;
    expect(flight.airborne(50.4, 8.1, false)).toMatchObject({ positionAccepted: false, accepted: false });
    expect(rejectReasons[flight.outcome.reject]).toBe('position_implausible');
    expect(flight.state()).toEqual({ ...before, tickMs: flight.nowMs });
  });

  test('on the ground leaves an aircraft in the air, with its speed and track', () => {
    const flight = new BenchFlight();
    fly(flight, 20);
    const before = flight.state();
    expect(before.onGround).toBe(false);
    flight.surface(50.4, 8.1, false, 90);
    expect(rejectReasons[flight.outcome.reject]).toBe('position_implausible');
    expect(flight.state()).toEqual(before);
  });

  test('that is repeated counts against the last position once in 4 s', () => {
    const flight = new BenchFlight();
    fly(flight, 20);
    const start = flight.timeS;
    for (let i = 0; i < 16; i += 1) {
      flight.timeS = start + i / 2;
      flight.airborne(50, 11, i % 2 === 1);
    }
    flight.timeS = start + 8;
    expect(flight.airborne(50, 8 + 28 * EAST_PER_S, false).positionAccepted).toBe(true);
  });

  test('replaces the old one when it is repeated often', () => {
    const flight = new BenchFlight();
    fly(flight, 20);
    const accepted = fly(flight, 60, 11);
    expect(accepted.slice(0, 10)).not.toContain(true);
    expect(accepted.at(-1)).toBe(true);
    expect(flight.state().longitudeMicrodeg).toBeGreaterThan(11e6);
  });

  test('of a pair with latitudes beyond a pole counts as one, even when the frame alone would give a position', () => {
    const flight = new BenchFlight();
    flight.airborne(50, 8, false);
    flight.timeS += 1;
    flight.airborne(48.5, 8, true);
    expect(rejectReasons[flight.outcome.reject]).toBe('position_implausible');
    expect(flight.state().messages).toBe(1);
    // That frame began the next pair: it is not known yet whether it or the one before was wrong.
    flight.timeS += 1;
    expect(flight.airborne(48.5, 8, false).positionResolved).toBe(true);
  });

  test('on the ground is checked against the speed and track of its own frame', () => {
    const flight = new BenchFlight({ receiver: { lat: 50, lon: 8.5 } });
    for (let i = 0; i < 6; i += 1) {
      flight.surface(50.03, 8.55 + i * 1e-6, i % 2 === 1, 1);
      flight.timeS += 5;
    }
    // 700 m in 5 s: 270 kt, twice what 120 kt eastward allow; with 1 kt it would be far too much.
    flight.timeS -= 2.5;
    expect(flight.surface(50.03, 8.5525, false, 120).positionAccepted).toBe(true);
  });
});

describe('an aircraft that flies on', () => {
  test('may be twice as fast as reported, straight ahead, if it reported the track in the last 5 s', () => {
    for (const [ageS, accepted] of [
      [1, true],
      [4.9, true],
      [5, false],
    ] as const) {
      const flight = new BenchFlight();
      fly(flight, 20);
      flight.timeS += ageS - 1;
      const east = EAST_PER_S * (19 + 1.9 * ageS);
      expect([ageS, flight.airborne(50, 8 + east + 0.0012, false).positionAccepted]).toEqual([ageS, accepted]);
    }
  });
});

test('the same position again within 2 s is no new position, and its frame does not count', () => {
  const flight = new BenchFlight({ receiver: { lat: 50, lon: 8.5 } });
  for (let i = 0; i < 6; i += 1) {
    flight.surface(50.03, 8.55 + i * 1e-4, i % 2 === 1);
    flight.timeS += 1;
  }
  const before = flight.state();
  flight.surface(50.03, 8.55 + 5e-4, true, 60);
  expect([flight.outcome.positionAccepted, rejectReasons[flight.outcome.reject]]).toEqual([false, 'position_repeated']);
  expect(flight.state()).toEqual(before);
  flight.timeS += 1.5;
  expect(flight.surface(50.03, 8.55 + 5e-4, true).positionAccepted).toBe(true);
});

test('a multilaterated position is reliable at once, and higher sources replace it at once', () => {
  const flight = new BenchFlight();
  flight.airborne(50, 8, false, { flags: FLAG_MLAT });
  flight.timeS = 1;
  expect(flight.airborne(50, 8.004, true, { flags: FLAG_MLAT }).positionAccepted).toBe(true);
  const mlat = flight.state();
  expect([sourceKinds[mlat.source], mlat.mlatFields % 2 ** 22 >= 2 ** 21]).toEqual(['mlat', true]);
  flight.timeS = 2;
  fly(flight, 6, 8.0075);
  expect([sourceKinds[flight.state().source], flight.state().mlatFields]).toEqual(['adsb_icao', 0]);
});

describe('0° N 0° E', () => {
  const METRE = 1 / 111_195;

  test('is one for an aircraft that begins in the cell of 0, 0 itself, as soon as a frame shows that it moves', () => {
    // Within 2.5 m all fields are 0, like empty fields: nothing in such frames distinguishes them.
    const hovering = new BenchFlight();
    const accepted: boolean[] = [];
    for (let i = 0; i < 9; i += 1) {
      accepted.push(hovering.airborne(0, i < 5 ? 0 : 4 * METRE, i % 2 === 1).positionAccepted);
      hovering.timeS += 2.5;
    }
    expect(accepted).toEqual([...Array(5).fill(false), ...Array(4).fill(true)]);
    // From then on fields of 0 are accepted.
    expect(hovering.airborne(0, 0, true).positionAccepted).toBe(true);
    expect(hovering.state()).toMatchObject({ positionValid: true, latitudeMicrodeg: 0, longitudeMicrodeg: 0 });
    // On the ground cells are 1.2 m.
    const parked = new BenchFlight({ receiver: { lat: 0.01, lon: 0.01 } });
    for (let i = 0; i < 8; i += 1) {
      parked.surface(2 * METRE, 2 * METRE, i % 2 === 1, 5);
      parked.timeS += 2.5;
    }
    expect(parked.state().positionValid).toBe(true);
  });

  test('is no position of an aircraft that sent empty fields before', () => {
    const flight = new BenchFlight();
    for (let i = 0; i < 20; i += 1) {
      flight.airborne(0, 0, i % 2 === 1);
      expect(flight.state()).toMatchObject({ positionValid: false, latitudeMicrodeg: null });
      flight.timeS += 2.5;
    }
    // Its true positions are shown once the empty ones have lost their support: these count as decodes, as in readsb.
    expect(fly(flight, 30).slice(26)).toEqual(Array(4).fill(true));
    expect(flight.state().longitudeMicrodeg).toBeGreaterThan(8e6);
  });
});
