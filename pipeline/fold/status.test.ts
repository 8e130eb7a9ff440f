// Reported accuracy, and what is inferred for version 0.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { KIND_AIRBORNE_POSITION, Message, OperationalStatus, TargetState } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import { B_SIL_TYPE, F_NAC_P, F_NIC_BARO, F_SIL, NOTHING } from './layout.ts';
import { dropAccuracy, foldImpliedAccuracy, foldOperationalStatus, foldTargetState } from './status.ts';

const position = (typeCode: number): Message => Object.assign(new Message(), { kind: KIND_AIRBORNE_POSITION, typeCode });
const status = (overrides: Partial<OperationalStatus>) => Object.assign(new OperationalStatus(), overrides);

test('a version 0 position implies NACp and SIL, of unknown type unless one was reported', () => {
  const { aircraft } = benchAircraft();
  const shown = () => [fieldValue(aircraft, F_NAC_P), fieldValue(aircraft, F_SIL), aircraft.bytes[aircraft.byte + B_SIL_TYPE]];
  aircraft.version = 0;
  foldImpliedAccuracy(aircraft, position(11));
  expect(shown()).toEqual([8, 2, 0]);
  foldOperationalStatus(hear(aircraft, 100), status({ nacP: 10, sil: 3, silType: 1 }));
  expect(shown()).toEqual([10, 3, 1]);
  foldImpliedAccuracy(hear(aircraft, 200), position(11));
  expect(shown()).toEqual([8, 2, 1]);
});

test('a target state reports the type of its SIL once the version is known', () => {
  const { aircraft } = benchAircraft();
  const target = Object.assign(new TargetState(), { sil: 3, silType: 2 });
  aircraft.version = 0;
  foldTargetState(aircraft, target);
  expect(aircraft.bytes[aircraft.byte + B_SIL_TYPE]).toBe(0);
  aircraft.version = 2;
  foldTargetState(hear(aircraft, 100), target);
  expect(aircraft.bytes[aircraft.byte + B_SIL_TYPE]).toBe(2);
});

test('a version 2 position implies nothing', () => {
  const { aircraft } = benchAircraft();
  foldImpliedAccuracy(aircraft, position(11));
  expect([isValid(aircraft, F_NAC_P), isValid(aircraft, F_SIL)]).toEqual([false, false]);
});

describe('a position of a lower source', () => {
  test('removes the accuracy that the aircraft reported, except NIC baro', () => {
    const { aircraft } = benchAircraft();
    foldOperationalStatus(aircraft, status({ nacP: 10, sil: 3, silType: 1, nicBaro: 1 }));
    dropAccuracy(aircraft);
    expect([F_NAC_P, F_SIL, F_NIC_BARO].map((field) => isValid(aircraft, field))).toEqual([false, false, true]);
    expect(aircraft.bytes[aircraft.byte + B_SIL_TYPE]).toBe(NOTHING);
  });
});
