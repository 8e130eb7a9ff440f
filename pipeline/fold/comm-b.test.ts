// Comm-B registers in the fold: the known state decides where the bits do not, gross contradictions are refused, values are taken.
import { describe, expect, test } from 'vitest';
import { decodeHex } from '../../test/golden/frames.ts';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { type Motion, mbFrame, mbHalves, trackAndTurn } from '../../test/support/mb-field.ts';
import { type Message, REGISTER_5_0, REGISTER_6_0, REGISTER_NONE } from '../decode/message.ts';
import { fieldValue, isValid, put, SOURCE_ADSB, SOURCE_MODE_S } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldAltitudeBaro } from './altitude.ts';
import { foldCommB } from './comm-b.ts';
import {
  B_HEADING_TRUE,
  F_BARO_RATE,
  F_CALLSIGN,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_IAS,
  F_MACH,
  F_MAG_HEADING,
  F_NAV_FMS,
  F_NAV_MCP,
  F_NAV_MODES,
  F_NAV_QNH,
  F_ROLL,
  F_TAS,
  F_TRACK,
  F_TRACK_RATE,
  X_FLIGHT,
  X_OAT,
} from './layout.ts';

const LEVEL: Motion = { rollDeg: 0, trackDeg: 90, groundSpeedKt: 440, trackRateDegPerS: 0, tasKt: 450 };
/** DF 21 of the pyModeS sample data: roll 14.6°, 204 kt, 2.2 °/s, TAS 120 kt or heading 29°, IAS 223 kt, Mach 0.408, 2,270 ft/min. */
const OPEN = mbFrame([0x8a79bf1, 0x9a23c3c]);

const values = (aircraft: Aircraft, ...fields: number[]): (number | null)[] =>
  fields.map((field) => (isValid(aircraft, field) ? fieldValue(aircraft, field) : null));

/** Folds a reply 2 s after the values that the aircraft itself reported. */
function foldReply(aircraft: Aircraft, hex: string, now = 2000): Message {
  const message = decodeHex(hex);
  foldCommB(hear(aircraft, now, SOURCE_MODE_S, false), message);
  return message;
}

/** An aircraft whose squitters reported these fields, as pairs of field and value. */
function knownBy(...reported: (readonly [field: number, value: number])[]): Aircraft {
  const { aircraft } = benchAircraft();
  hear(aircraft, 0, SOURCE_ADSB);
  for (const [field, value] of reported) put(aircraft, field, value);
  return aircraft;
}

test('a reply with DR set is not folded, though its register is clear', () => {
  const plain = knownBy();
  foldReply(plain, mbFrame(trackAndTurn(LEVEL)));
  const announcing = knownBy();
  foldReply(announcing, mbFrame(trackAndTurn(LEVEL), 'a8200800'));
  expect([plain, announcing].map((aircraft) => isValid(aircraft, F_GROUND_SPEED))).toEqual([true, false]);
});

describe('a reply that may be 5,0 or 6,0', () => {
  test('stays open when nothing is known', () => {
    const aircraft = knownBy();
    expect(foldReply(aircraft, OPEN).commB.register).toBe(REGISTER_NONE);
    expect(values(aircraft, F_ROLL, F_GROUND_SPEED, F_IAS, F_MACH)).toEqual([null, null, null, null]);
  });

  test('is 6,0 at the altitude of its airspeed and Mach number', () => {
    const aircraft = knownBy();
    for (const now of [0, 500, 1000, 1500]) foldAltitudeBaro(hear(aircraft, now, SOURCE_ADSB), 10_300, true);
    const { commB } = foldReply(aircraft, OPEN);
    expect([commB.register, commB.iasKt, commB.machMilli]).toEqual([REGISTER_6_0, 223, 408]);
    expect(values(aircraft, F_IAS, F_MACH, F_ROLL)).toEqual([223, 408, null]);
  });

  test('is 6,0 when heading and climb are the known ones', () => {
    const aircraft = knownBy([F_TRACK, 3100], [F_GROUND_SPEED, 2800], [F_BARO_RATE, 2176]);
    expect(foldReply(aircraft, OPEN).commB.register).toBe(REGISTER_6_0);
  });

  test('is 5,0 when track and ground speed are the known ones', () => {
    const aircraft = knownBy([F_TRACK, 21_900], [F_GROUND_SPEED, 2050]);
    expect(foldReply(aircraft, OPEN).commB.register).toBe(REGISTER_5_0);
    expect(values(aircraft, F_ROLL, F_TRACK_RATE, F_TAS, F_IAS)).toEqual([1459, 222, 120, null]);
  });

  test('stays open when the known values are old', () => {
    const aircraft = knownBy([F_TRACK, 21_900], [F_GROUND_SPEED, 2050]);
    expect(foldReply(aircraft, OPEN, 10_001).commB.register).toBe(REGISTER_NONE);
  });
});

describe('a reply whose bits are clear', () => {
  const turn = mbFrame(trackAndTurn(LEVEL));

  test('is refused when track and speed are both far from the known ones', () => {
    const aircraft = knownBy([F_TRACK, 27_000], [F_GROUND_SPEED, 2000]);
    expect(foldReply(aircraft, turn).commB.register).toBe(REGISTER_NONE);
    expect(values(aircraft, F_ROLL, F_TAS)).toEqual([null, null]);
  });

  test('is taken when only one of them is', () => {
    for (const reported of [[F_TRACK, 27_000] as const, [F_GROUND_SPEED, 2000] as const]) {
      expect(foldReply(knownBy(reported), turn).commB.register).toBe(REGISTER_5_0);
    }
  });

  test('does not replace what a squitter reported less than 15 s ago, and adds what squitters do not report', () => {
    const aircraft = knownBy([F_TRACK, 9100], [F_GROUND_SPEED, 4360]);
    foldReply(aircraft, turn);
    expect(values(aircraft, F_TRACK, F_GROUND_SPEED, F_ROLL, F_TAS)).toEqual([9100, 4360, 0, 450]);
  });
});

describe('values', () => {
  test('roll beyond 40° and turns beyond 10 °/s are refused', () => {
    const aircraft = knownBy();
    foldReply(aircraft, mbFrame(trackAndTurn({ ...LEVEL, rollDeg: 41, trackRateDegPerS: 2.1 })));
    expect(values(aircraft, F_ROLL, F_TRACK_RATE)).toEqual([null, 209]);
    foldReply(aircraft, mbFrame(trackAndTurn({ ...LEVEL, trackRateDegPerS: 15 })), 3000);
    expect(values(aircraft, F_ROLL, F_TRACK_RATE)).toEqual([0, 209]);
  });

  test('the heading is magnetic even for aircraft whose squitters report true headings; Mach number and true airspeed give the temperature', () => {
    const aircraft = knownBy();
    aircraft.bytes[aircraft.byte + B_HEADING_TRUE] = 1;
    // 153.5°, 248 kt, Mach 0.444 and 3,584 ft/min at 9,200 ft (junzis/pyModeS sample data).
    foldReply(aircraft, mbFrame(trackAndTurn({ ...LEVEL, tasKt: 288, groundSpeedKt: 300 })));
    foldReply(aircraft, 'a0000638b699f11be3846dca35f9', 2500);
    expect(values(aircraft, F_MAG_HEADING, F_IAS, F_MACH, F_BARO_RATE, F_GEOM_RATE)).toEqual([15_346, 248, 444, 3584, 3488]);
    expect(aircraft.words[aircraft.at + X_OAT]).toBe(4);
  });

  test('4,0: altitudes, pressure setting and modes; an altitude of a few feet means none', () => {
    const aircraft = knownBy();
    foldReply(aircraft, mbFrame(mbHalves(1, 1, 2313, 12, 1, 1, 5, 12, 1, 1, 2132, 12, 0, 8, 1, 1, 6, 3, 0, 5)));
    expect(values(aircraft, F_NAV_MCP, F_NAV_FMS, F_NAV_QNH, F_NAV_MODES)).toEqual([37_008, null, 10_132, 6]);
    foldReply(aircraft, mbFrame(mbHalves(1, 1, 2313, 12, 1, 1, 2000, 12, 1, 1, 2132, 12, 0, 8, 1, 1, 0, 3, 0, 5)), 3000);
    expect(values(aircraft, F_NAV_FMS, F_NAV_MODES)).toEqual([32_000, 0]);
  });

  test('2,0: the call sign, unless it is filled with zeros', () => {
    const aircraft = knownBy();
    foldReply(aircraft, mbFrame([0x202cc37, 0x1c30000]));
    expect(isValid(aircraft, F_CALLSIGN)).toBe(false);
    foldReply(aircraft, 'a000083e202cc371c31de0aa1ccf', 3000);
    const at = aircraft.byte + 4 * X_FLIGHT;
    expect(String.fromCharCode(...aircraft.bytes.subarray(at, at + 8))).toBe('KLM1017 ');
  });
});
