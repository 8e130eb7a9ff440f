// Rare formats: their effect on an aircraft, and which of them never create one.
import { describe, expect, test } from 'vitest';
import { fieldNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { FLAG_MLAT } from '../../schemas/packed-frame.ts';
import { withParity } from '../../test/golden/frames.ts';
import { type CoarsePosition, encodeCoarsePosition } from '../../test/proof/simulated/coarse.ts';
import { BenchFlight, FLIGHT_ADDRESS } from '../../test/support/fold-flight.ts';

const COMM_D = withParity('d3000102030405060708ff', FLIGHT_ADDRESS);

describe('Comm-D', () => {
  test('counts for a known aircraft, carries no values, and creates none', () => {
    const flight = new BenchFlight();
    expect(flight.frame(COMM_D)).toMatchObject({ accepted: false, slot: -1 });
    expect(rejectReasons[flight.outcome.reject]).toBe('address_unknown');
    flight.altitudeFt = 9000;
    flight.airborne(50, 8, false);
    const before = flight.state();
    flight.timeS = 1;
    expect(flight.frame(COMM_D).accepted).toBe(true);
    const after = flight.state();
    expect(after.messages).toBe(before.messages + 1);
    expect({ ...after, messages: before.messages, tickMs: before.tickMs }).toEqual(before);
  });
});

describe('DF 18', () => {
  test.each([4, 7])('with CF %i is not about an aircraft', (cf) => {
    const flight = new BenchFlight();
    const { accepted, slot, reject } = flight.frame(withParity(`9${cf}3c658658c382d690c8ac`));
    expect([accepted, slot, rejectReasons[reject]]).toEqual([false, -1, 'no_aircraft']);
  });

  test.each([
    ['90', '3c6586', 'adsb_icao_nt'],
    ['91', '~3c6586', 'adsb_other'],
    ['92', '3c6586', 'tisb_icao'],
    ['95', '~3c6586', 'tisb_other'],
    ['96', '3c6586', 'adsr_icao'],
  ])('first byte %s is %s of kind %s', (first, hex, kind) => {
    const flight = new BenchFlight();
    flight.frame(withParity(`${first}3c658658c382d690c8ac`));
    expect([flight.state().hex, sourceKinds[flight.state().source]]).toEqual([hex, kind]);
  });

  test.each([
    ['92', 'tisb_trackfile'],
    ['96', 'adsr_other'],
  ])('first byte %s with the flag for addresses that are not ICAO addresses is of kind %s', (first, kind) => {
    const flight = new BenchFlight();
    flight.frame(withParity(`${first}3c658659c382d690c8ac`));
    expect([flight.state().hex, sourceKinds[flight.state().source]]).toEqual(['~3c6586', kind]);
  });

  test('TIS-B reports its accuracy with the velocity, and implies none by its type code', () => {
    const flight = new BenchFlight();
    flight.frame('92a24528993c238900062053cdef');
    expect(flight.state()).toMatchObject({ nacP: 7, nacV: 0, sil: 2, baroRateFpm: 0, geomRateFpm: null });
    flight.timeS = 1;
    flight.frame(withParity('92a2452858c382d690c8ac'));
    expect(flight.state()).toMatchObject({ nacP: 7, sil: 2 });
  });
});

describe('coarse TIS-B', () => {
  const bytes = new Uint8Array(14);
  const sent = (flight: BenchFlight, odd: boolean, change: Partial<CoarsePosition> = {}, receiver = 'here') => {
    const fixed = { imf: 1, surveillanceStatus: 0, serviceVolume: 3, altitudeFt: 12_000, gillham: true, trackDeg: 90, groundSpeedKt: 300 };
    encodeCoarsePosition(bytes, 0, FLIGHT_ADDRESS, { ...fixed, odd, latDeg: 50, lonDeg: 8 + flight.timeS * 0.0022, ...change });
    return flight.frame(Buffer.from(bytes).toString('hex'), { receiver });
  };

  test('gives positions accurate to 163 m with unknown integrity, with altitude, speed and track', () => {
    const flight = new BenchFlight();
    for (let i = 0; i < 8; i += 1) {
      flight.timeS = i;
      sent(flight, i % 2 === 1);
    }
    const state = flight.state();
    expect([state.hex, sourceKinds[state.source], state.positionValid, state.nic, state.rcM]).toEqual([
      '~3c6586',
      'tisb_trackfile',
      true,
      0,
      0,
    ]);
    expect(Math.abs(state.latitudeMicrodeg! / 1e6 - 50)).toBeLessThan(0.0008);
    expect(Math.abs(state.longitudeMicrodeg! / 1e6 - 8 - 7 * 0.0022)).toBeLessThan(0.0013);
    expect(state).toMatchObject({ altitudeBaroFt: 12_000, groundSpeedDeciKt: 2880, trackCentideg: 9000, onGround: null });
    const names = ['altitude', 'gs', 'track', 'lat', 'lon', 'nic', 'rc'] as const;
    expect(state.tisbFields).toBe(names.reduce((mask, name) => mask + 2 ** fieldNames.indexOf(name), 0));
  });

  test('counts although its position is that of a second ago: its steps are that long', () => {
    const flight = new BenchFlight();
    for (let i = 0; i < 12; i += 1) {
      flight.timeS = i;
      const still = { latDeg: 50, lonDeg: 8.02, groundSpeedKt: 70, altitudeFt: 3000 + 25 * i, gillham: false };
      expect(sent(flight, i % 2 === 1, still).accepted).toBe(true);
    }
    expect(flight.state()).toMatchObject({ messages: 12, altitudeBaroFt: 3275, positionMs: flight.state().tickMs });
  });

  test('does not fly backwards when the next position is rounded the other way, through any receiver', () => {
    const flight = new BenchFlight();
    const north = { trackDeg: 0, groundSpeedKt: 70, lonDeg: 8.02 };
    for (let i = 0; i < 20; i += 1) {
      flight.timeS = i;
      sent(flight, i % 2 === 1, { ...north, latDeg: 50 + i * 0.0003 }, i < 8 ? 'here' : i % 3 === 0 ? 'elsewhere' : 'here');
    }
    expect(flight.state().messages).toBe(20);
  });

  test('does not pair with a fine position', () => {
    const flight = new BenchFlight();
    flight.header.df = 18;
    flight.header.capability = 2;
    flight.airborne(50, 8, false);
    flight.timeS = 1;
    expect(sent(flight, true, { imf: 0 })).toMatchObject({ accepted: true, positionResolved: false });
    flight.timeS = 2;
    expect(sent(flight, false, { imf: 0 }).positionResolved).toBe(true);
  });
});

test('a test message reports the squawk like any other: the second one counts', () => {
  const flight = new BenchFlight();
  flight.frame('8d89653ebf95b00000000059abfb');
  expect(flight.state().squawk).toBeNull();
  flight.timeS = 1;
  flight.frame('8d89653ebf95b00000000059abfb');
  expect(flight.state().squawk).toBe('6513');
});

test('an airborne position sent on the ground has no altitude', () => {
  const flight = new BenchFlight();
  flight.header.capability = 4;
  for (let i = 0; i < 6; i += 1) {
    flight.timeS = i;
    flight.airborne(50, 8, i % 2 === 1);
  }
  expect(flight.state().altitudeBaroFt).toBeNull();
});

test('a multilaterated frame has no signal level', () => {
  const flight = new BenchFlight();
  for (let i = 0; i < 6; i += 1) {
    flight.timeS = i;
    flight.airborne(50, 8 + i * 0.004, i % 2 === 1, { flags: FLAG_MLAT });
  }
  expect(flight.state()).toMatchObject({ rssiDeciDbfs: -495, source: sourceKinds.indexOf('mlat') });
});

test('a duplicate from another receiver has no part in the signal level', () => {
  const flight = new BenchFlight();
  for (let i = 0; i < 8; i += 1) {
    flight.timeS = i;
    flight.airborne(50, 8 + i * 0.004, i % 2 === 1);
    const { rssiDeciDbfs } = flight.state();
    flight.airborne(50, 8 + i * 0.004, i % 2 === 1, { receiver: 'far away', signal: 3 });
    expect(rejectReasons[flight.outcome.reject]).toBe('duplicate');
    expect(flight.state().rssiDeciDbfs).toBe(rssiDeciDbfs);
  }
  expect(flight.state().rssiDeciDbfs).toBe(-60);
});
