// Rules of single values, as messages in and state out: which source and which receiver's value counts, when it is shown, and what is derived from it.
import { describe, expect, test } from 'vitest';
import { type AircraftState, fieldNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { FLAG_MLAT } from '../../schemas/packed-frame.ts';
import { squitter, withParity } from '../../test/golden/frames.ts';
import { BenchFlight, FLIGHT_ADDRESS, FLIGHT_START_US, type Sent } from '../../test/support/fold-flight.ts';
import { declinationCentideg } from '../geo/magnetic-model.ts';
import { identityCode13 } from '../simulate/encode/codes.ts';

type Send = (flight: BenchFlight) => unknown;
/** A message at a second of the flight, and what the state shows then. */
type Step = readonly [timeS: number, send: Send, shown?: Partial<AircraftState>];

const START_MS = FLIGHT_START_US / 1000;
const GROUND_CAPABILITY = 4;
const mlat: Sent = { flags: FLAG_MLAT };

const me =
  (groups: readonly number[], header?: string): Send =>
  (flight) =>
    flight.frame(squitter(groups, header));
const velocity =
  (eastKt: number, northKt: number, sent?: Sent): Send =>
  (flight) =>
    flight.velocity(eastKt, northKt, sent);
const airspeed =
  (headingDeg: number, tasKt: number): Send =>
  (flight) =>
    flight.airspeed(headingDeg, tasKt);
const reply =
  (altitudeFt: number): Send =>
  (flight) =>
    flight.altitudeReply(altitudeFt);
const allCall =
  (capability: number): Send =>
  (flight) => {
    flight.header.capability = capability;
    flight.allCall();
  };
/** Sends with TIS-B (fine). */
const tisb =
  (send: Send): Send =>
  (flight) => {
    Object.assign(flight.header, { df: 18, capability: 2 });
    send(flight);
    Object.assign(flight.header, { df: 17, capability: 5 });
  };
/** An altitude in a position message: barometric in type code 0, which has no position, above the ellipsoid in 20. */
const altitude =
  (altitudeFt: number, typeCode = 0): Send =>
  (flight) => {
    Object.assign(flight, { altitudeFt, typeCode });
    flight.airborne(50, 8, false);
  };
const position =
  (lonDeg: number, odd: boolean, sent?: Sent): Send =>
  (flight) =>
    flight.airborne(50, lonDeg, odd, sent);
const squawk = (code: number): Send => me([28, 5, 1, 3, 0, 3, identityCode13(code), 13]);
/** Operational status of version 2: NACp, NIC baro 1, SIL 3, headings magnetic or true. */
const status = (nacP: number, headingMagnetic = 1): Send =>
  me([31, 5, 0, 3, 0, 32, 2, 3, 0, 1, nacP, 4, 0, 2, 3, 2, 1, 1, headingMagnetic, 1]);
/** Target state with SIL per sample. */
const target = (nacP: number): Send => me([29, 5, 1, 2, 1, 1, 0, 31, nacP, 4, 0, 1, 3, 2]);
const noPosition = me([0, 5]);
const slowly =
  (send: Send): Send =>
  (flight) => {
    flight.velocity(40, 0);
    send(flight);
  };

/** `count` times, one each `everyS`. */
const repeated = (count: number, fromS: number, everyS: number, send: Send, shown?: Partial<AircraftState>): Step[] =>
  Array.from({ length: count }, (_, i) => [fromS + everyS * i, send, ...(shown === undefined ? [] : [shown])] as unknown as Step);
/** Eastward at 480 kt along 50° N for 6 s: positions of both parities, twice a second, and velocities. */
const flown: readonly Step[] = Array.from({ length: 12 }, (_, i): Step[] => [
  [0.5 * i, position(8 + 0.001_72 * i, i % 2 === 1)],
  [0.5 * i, velocity(480, 0)],
]).flat();

const tisbMask = (...names: (typeof fieldNames)[number][]): number => names.reduce((mask, name) => mask + 2 ** fieldNames.indexOf(name), 0);
const lastPosition = { positionMs: START_MS + 5500, nic: 8, rcM: 186 };

function play(steps: readonly Step[], flight = new BenchFlight()): BenchFlight {
  for (const [timeS, send, shown] of steps) {
    flight.timeS = timeS;
    send(flight);
    if (shown !== undefined) expect(flight.state(), `at ${timeS} s`).toMatchObject(shown);
  }
  return flight;
}

const kind = (name: (typeof sourceKinds)[number]) => ({ source: sourceKinds.indexOf(name) });
const airAir =
  (mv: string): Send =>
  (flight) =>
    flight.frame(withParity(`80e19530${mv}`, FLIGHT_ADDRESS));
const advisory =
  (me: string): Send =>
  (flight) =>
    flight.frame(withParity(`8d3c6586${me}`));

const rules: Readonly<Record<string, readonly Step[]>> = {
  'a higher source replaces a value at once, a lower one after 15 s': [
    [0, tisb(velocity(0, 480)), { trackCentideg: 0 }],
    [0.01, velocity(480, 0), { trackCentideg: 9000 }],
    [15.009, tisb(velocity(0, 480)), { trackCentideg: 9000 }],
    [15.01, tisb(velocity(0, 480)), { trackCentideg: 0 }],
  ],
  'an older frame that comes late replaces nothing': [
    [1, velocity(480, 0)],
    [0.999, velocity(0, 480), { trackCentideg: 9000 }],
  ],

  'an altitude of a squitter is shown at once; one of replies replaces it after 15 s': [
    [0, altitude(35_000), { altitudeBaroFt: 35_000 }],
    [14.9, reply(35_100), { altitudeBaroFt: 35_000 }],
    [15, reply(35_100), { altitudeBaroFt: 35_100 }],
  ],
  'an altitude of replies is shown when four agree; a single jump changes nothing, and a lasting one is followed': [
    [0, velocity(480, 0)],
    ...repeated(3, 1, 1, reply(12_000), { altitudeBaroFt: null }),
    ...repeated(21, 4, 1, reply(12_000), { altitudeBaroFt: 12_000 }),
    [24.5, allCall(5)],
    [25, reply(41_000), { altitudeBaroFt: 12_000 }],
    ...repeated(29, 26, 1, reply(41_000)),
    [55, reply(41_000), { altitudeBaroFt: 41_000 }],
  ],
  'an altitude that contradicts the reported vertical rate is doubted': [
    [0, velocity(480, 0)],
    ...repeated(8, 1, 1, reply(12_000)),
    [12, velocity(480, 0)],
    [12.5, reply(12_500), { altitudeBaroFt: 12_000 }],
  ],

  'the geometric altitude is the barometric one plus the last reported difference, if that is not older than 60 s': [
    [0, altitude(35_000)],
    [0.4, velocity(480, 0), { altitudeGeomFt: 35_500 }],
    [60.4, altitude(35_100), { altitudeGeomFt: 35_600 }],
    [121, altitude(35_200), { altitudeGeomFt: null }],
  ],
  'no geometric altitude is derived from an unreliable one': [
    [0, velocity(480, 0)],
    [0.1, reply(35_000), { altitudeBaroFt: null, altitudeGeomFt: null }],
  ],
  'a measured geometric altitude gives the difference': [
    [0, altitude(35_000)],
    [0.1, altitude(35_700, 20), { altitudeGeomFt: 35_700 }],
    [1, altitude(35_100), { altitudeGeomFt: 35_800 }],
  ],
  'a measured geometric altitude stays for 15 s when a lower source reports the barometric one': [
    [0, altitude(35_000)],
    [0.2, velocity(480, 0), { altitudeGeomFt: 35_500 }],
    [10, altitude(35_900, 20), { altitudeGeomFt: 35_900 }],
    [25, reply(35_100), { altitudeBaroFt: 35_100, altitudeGeomFt: 35_900 }],
    [25.1, reply(35_200), { altitudeGeomFt: 35_700 }],
  ],
  'a derived geometric altitude has the later time and the lower source of its two values': [
    [0, tisb(velocity(480, 0))],
    [10, altitude(35_000), { altitudeGeomFt: 35_500, tisbFields: tisbMask('alt_geom', 'gs', 'track', 'baro_rate') }],
    [69, allCall(5), { altitudeGeomFt: 35_500 }],
  ],

  'a heading is magnetic until the operational status says that headings are true': [
    [0, airspeed(90, 450), { magHeadingCentideg: 9000, trueHeadingCentideg: null }],
    [0.5, status(9, 0)],
    [1, airspeed(180, 450), { magHeadingCentideg: 9000, trueHeadingCentideg: 18_000 }],
    [1.5, status(9, 1)],
    [2, airspeed(270, 450), { magHeadingCentideg: 27_000, trueHeadingCentideg: 18_000 }],
  ],
  'a true airspeed below the indicated one is refused': [
    [0, me([19, 5, 3, 3, 0, 5, 0, 11, 0, 1, 281, 10]), { iasKt: 280 }],
    [0.5, airspeed(90, 279), { tasKt: null }],
    [1, airspeed(90, 420), { iasKt: 280, tasKt: 420 }],
  ],
  'a wind of more than 250 kt is refused, and leaves the last one': [
    ...flown,
    [6, status(9, 0)],
    [6, velocity(480, 0)],
    [6.1, airspeed(90, 450), { windDirectionDeg: 270, windSpeedKt: 30 }],
    [7.2, velocity(480, 0)],
    [7.3, airspeed(90, 730), { windDirectionDeg: 90, windSpeedKt: 250 }],
    [8.4, velocity(480, 0)],
    [8.5, airspeed(90, 731), { windSpeedKt: 250, tasKt: 731 }],
  ],

  'a squawk is shown when it is repeated after 750 ms, and one that came once in between does not replace it': [
    [0, squawk(7700)],
    [0.749, squawk(7700), { squawk: null }],
    [0.75, squawk(7700), { squawk: '7700' }],
    [2, squawk(7500), { squawk: '7700' }],
    [3, squawk(7700)],
    [4, squawk(7500), { squawk: '7700' }],
  ],
  'the surveillance status of positions reports alert and SPI; an alert leaves SPI as it was': (
    [
      [0, 0, 0],
      [1, 1, 0],
      [2, 1, 0],
      [3, 0, 1],
      [1, 1, 1],
    ] as const
  ).map(([code, alert, spi], i) => [i, me([11, 5, code, 2, 0, 1, 0xc38, 12, 0, 2, 1000, 17, 2000, 17]), { alert, spi }]),

  'the source gives way to a better one after 45 s': [
    [0, allCall(5), kind('mode_s')],
    [45, tisb(velocity(0, 480)), kind('mode_s')],
    [45.001, tisb(velocity(0, 480)), kind('tisb_icao')],
  ],
  'the source gives way to a worse one after 90 s': [
    [0, tisb(velocity(0, 480)), kind('tisb_icao')],
    [90, allCall(5), kind('tisb_icao')],
    [90.001, allCall(5), kind('mode_s')],
  ],
  'Mode S ranks above MLAT, and an aircraft known from MLAT alone has no version': [
    [0, velocity(480, 0), { version: 0, ...kind('mode_s') }],
    [90, velocity(480, 0, mlat), kind('mode_s')],
    [90.001, velocity(480, 0, mlat), { version: null, ...kind('mlat') }],
    [135.001, allCall(5), kind('mlat')],
    [135.002, allCall(5), kind('mode_s')],
  ],
  'a position of version 0 implies NACp and SIL, one of version 2 does not': [
    [0, position(8, false), { version: 0, nacP: 8, sil: 2, silType: 0 }],
    [1, target(9), { sil: 3, silType: 0 }],
    [2, status(10), { version: 2, nacP: 10, sil: 3, silType: 1 }],
    [3, position(8, false), { nacP: 10, sil: 3 }],
    [4, target(9), { sil: 3, silType: 2 }],
  ],
  'a position of a lower source removes the accuracy that the aircraft reported, except NIC baro': [
    [0, status(10), { nacP: 10, sil: 3, nicBaro: 1 }],
    [1, position(8, false, mlat)],
    [2, position(8.004, true, mlat), { positionValid: true, nacP: null, sil: null, silType: null, nicBaro: 1 }],
  ],

  'the capability says ground, air, or nothing certain, which does not change what is certain; 1 to 3 are reserved': [
    [0, allCall(6), { onGround: null }],
    [1, allCall(GROUND_CAPABILITY), { onGround: true }],
    [2, allCall(6), { onGround: true }],
    [3, allCall(2), { onGround: true }],
    [4, allCall(5), { onGround: false }],
  ],
  'a reply changes air or ground of a higher source after two minutes; "airborne" of a reply is not certain': [
    [0, velocity(480, 0), { onGround: false }],
    [100, allCall(2)],
    [120, (flight) => flight.frame(withParity('21000000', FLIGHT_ADDRESS)), { onGround: false }],
    [120.001, (flight) => flight.frame(withParity('21000000', FLIGHT_ADDRESS)), { onGround: true }],
    [121, reply(1000), { onGround: true }],
  ],
  'positions alone decide about air and ground while they are fresh': [
    ...flown,
    [10, me([19, 5, 0, 3], '8c3c6586'), { onGround: false }],
    [26, me([19, 5, 0, 3], '8c3c6586'), { onGround: true }],
  ],
  'airborne positions with an uncertain capability make an aircraft on the ground uncertain': [
    ...flown,
    [30, allCall(GROUND_CAPABILITY), { onGround: true }],
    [31, allCall(6)],
    [31.5, position(8.108, false), { onGround: null }],
  ],

  'a position is valid for 60 s, and then the last one while the aircraft is heard, for at most 14 days': [
    ...flown,
    [65.5, allCall(5), { positionValid: true, ...lastPosition }],
    [65.501, allCall(5), { positionValid: false, ...lastPosition }],
    ...repeated(576, 1800, 1800, allCall(5), { positionValid: false, ...lastPosition }),
    ...repeated(96, 1800 * 577, 1800, allCall(5)),
    [14 * 86_400 + 1800, allCall(5), { positionMs: null, latitudeMicrodeg: null, positionValid: false }],
  ],

  'the signal is the mean of the powers of the last eight messages, and gone after 15 s of messages without one': [
    ...repeated(20, 0, 0.1, velocity(480, 0, { signal: 255 }), undefined),
    ...repeated(4, 2, 0.1, velocity(480, 0, { signal: 1 })),
    [2.3, velocity(480, 0, { signal: 0 }), { rssiDeciDbfs: -30 }],
    [17.3, velocity(480, 0, { signal: 0 }), { rssiDeciDbfs: -30 }],
    [17.301, velocity(480, 0, { signal: 0 }), { rssiDeciDbfs: -495 }],
  ],
  'the newest advisory counts; an air-air reply has neither a threat nor an altitude': [
    [0, allCall(5)],
    [
      0.1,
      airAir('30e20200000000'),
      { acasRa: expect.objectContaining({ df: 16, advisory: 'Descend', threatHex: null }), altitudeBaroFt: null },
    ],
    [1, advisory('e2c20026a9dfe4'), { acasRa: expect.objectContaining({ df: 17, advisory: 'Clear of conflict', threatHex: 'aa77f9' }) }],
    [0.5, advisory('e2c00006a9dfe4'), { acasRa: expect.objectContaining({ timeMs: START_MS + 1000 }) }],
  ],
};

test.each(Object.entries(rules))('%s', (_, steps) => {
  play(steps);
});

describe('the true heading of a magnetic one', () => {
  const declination = declinationCentideg(50e6, 8_020_000, 35_000, START_MS / 86_400_000);
  const derived = 9000 + declination;

  test.each<[string, Step[], number | null]>([
    ['is not derived without a position', [[0, airspeed(90, 450)]], null],
    [
      'uses the declination at the position, for ten minutes',
      [...flown, ...repeated(6, 100, 100, allCall(5)), [605.5, airspeed(90, 450)]],
      derived,
    ],
    ['not longer', [...flown, ...repeated(6, 100, 100, allCall(5)), [605.501, airspeed(90, 450)]], null],
    ['is refused 45° and more from the track', [...flown, [6, velocity(-480, 0)], [6.1, airspeed(90, 450)]], null],
    ['is not compared with an old track', [...flown, [6, velocity(-480, 0)], [66.1, airspeed(90, 450)]], derived],
    [
      'leaves a reported one for 15 s',
      [...flown, [6, status(9, 0)], [7, airspeed(180, 450)], [8, status(9)], [9, airspeed(90, 450)]],
      18_000,
    ],
  ])('%s', (_, steps, expected) => {
    expect(play(steps).state().trueHeadingCentideg).toBe(expected);
  });
});

describe('a loss of satellite navigation', () => {
  /** Version 2 with a good accuracy, last good position at 5.5 s; then the message twice a second from 16 s on. */
  const lossBy = (loss: Send, count = 17, before: readonly Step[] = [[0, status(9)]]): Step[] => [
    ...before,
    ...flown,
    ...repeated(count, 16, 0.5, loss),
  ];
  const good = (seconds: number): Step => [seconds, position(8 + 0.003_44 * seconds, true)];
  /** A position on the way whose type code implies no accuracy in version 0. */
  const inaccurate: Send = (flight) => {
    flight.typeCode = 18;
    flight.airborne(50, 8 + 0.003_44 * flight.timeS, Number.isInteger(flight.timeS));
  };

  test.each<[string, Step[], boolean]>([
    ['is shown after 17 messages without a position', lossBy(noPosition), true],
    ['not after 16', lossBy(noPosition, 16), false],
    ['nor within 15 s of the last good position', [...flown, [6, status(9)], ...repeated(40, 15.6, 0.1, noPosition)], false],
    ['counts an accuracy of 2 NM or worse in a target state', lossBy(target(2)), true],
    ['not a better one', lossBy(target(3)), false],
    ['counts it in an operational status', lossBy(status(2)), true],
    ['not a better one there', lossBy(status(3)), false],
    ['counts a position of version 0 whose type code implies no accuracy', lossBy(inaccurate, 17, []), true],
    ['not one of version 2', lossBy(inaccurate), false],
    [
      'does not count a slow aircraft',
      lossBy(noPosition, 17, [[0, status(9)]]).map(([s, send]) => [s, s > 5 ? slowly(send) : send]),
      false,
    ],
    ['does not count other formats', lossBy(me([0, 5], '903c6586')), false],
    ['lasts while good positions have no good accuracy', [...lossBy(noPosition, 20), good(26), [41.1, allCall(5)]], true],
    [
      'ends by good accuracy after a good position',
      [...lossBy(noPosition, 20), good(26), ...repeated(4, 27, 1, target(9)), [41.1, allCall(5)]],
      false,
    ],
  ])('%s', (_, steps, isShown) => {
    expect(play(steps).state().gpsOkMs !== null).toBe(isShown);
  });
});

/** States that are emitted while nothing is received. */
function emitted(flight: BenchFlight, fromS: number, toS: number): [second: number, state: AircraftState][] {
  const states: [number, AircraftState][] = [];
  for (let second = fromS; second < toS; second += 1)
    flight.fold.advance(FLIGHT_START_US + second * 1e6, ({ aircraft }) => {
      for (const state of aircraft.build()) states.push([second, state]);
    });
  return states;
}

test('an advisory, and a lost position with where it was good, are gone from the tick at which they end', () => {
  const advised = play([[0, advisory('e2c00006a9dfe4')]]);
  expect(emitted(advised, 1, 20).map(([second, { acasRa }]) => [second, acasRa?.advisory])).toEqual([
    [1, 'Level off'],
    [16, undefined],
  ]);
  const lost = play([[0, status(9)], ...flown]);
  const okMs = lost.nowMs;
  const { latitudeMicrodeg: gpsOkLatitudeMicrodeg, longitudeMicrodeg: gpsOkLongitudeMicrodeg } = lost.state();
  play(repeated(40, 6, 0.5, noPosition), lost);
  expect(lost.state()).toMatchObject({ positionValid: true, gpsOkMs: okMs, gpsOkLatitudeMicrodeg, gpsOkLongitudeMicrodeg });
  const shown = emitted(lost, 26, 930).map(([second, { gpsOkMs }]) => [1000 * second - okMs + START_MS, gpsOkMs] as const);
  expect(shown.filter(([sinceMs, gpsOkMs]) => (sinceMs < 900_000 ? okMs : null) !== gpsOkMs)).toEqual([]);
  expect(shown.at(-1)).toEqual([900_500, null]);
});

test('an aircraft with a position is gone an hour after its last message', () => {
  const { fold } = play(flown);
  const gone: string[] = [];
  for (const second of [3605, 3606])
    fold.advance(FLIGHT_START_US + second * 1e6, (tick) => gone.push(...tick.gone.map((hex) => `${hex} ${second}`)));
  expect(gone).toEqual(['3c6586 3606']);
});
