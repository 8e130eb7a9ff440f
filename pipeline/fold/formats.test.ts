// Rare formats: their effect on an aircraft, and which of them never create one.
import { describe, expect, test } from 'vitest';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { squitter, withParity } from '../../test/golden/frames.ts';
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
});

describe('coarse TIS-B', () => {
  const bytes = new Uint8Array(14);
  const sent = (flight: BenchFlight, odd: boolean, change: Partial<CoarsePosition> = {}, receiver = 'here') => {
    const fixed = { imf: 1, surveillanceStatus: 0, serviceVolume: 3, altitudeFt: 12_000, gillham: true, trackDeg: 90, groundSpeedKt: 300 };
    encodeCoarsePosition(bytes, FLIGHT_ADDRESS, { ...fixed, odd, latDeg: 50, lonDeg: 8 + flight.timeS * 0.0022, ...change });
    return flight.frame(Buffer.from(bytes).toString('hex'), { receiver });
  };

  test('gives no wind: its speed and track are 16 kt and 6 degrees off', () => {
    const winds = [true, false].map((isCoarse) => {
      const flight = new BenchFlight();
      for (let i = 0; i < 8; i += 1) {
        flight.timeS = i;
        if (isCoarse) sent(flight, i % 2 === 1, { imf: 0 });
        else flight.airborne(50, 8 + i * 0.0022, i % 2 === 1);
      }
      // Headings are true.
      flight.frame(squitter([31, 5, 0, 3, 0, 32, 2, 3]));
      if (!isCoarse) flight.velocity(288, 0);
      flight.airspeed(90, 300);
      return flight.state().windSpeedKt;
    });
    expect(winds).toEqual([null, 12]);
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
