// Accuracy as told, and as inferred where version 0 tells none.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { KIND_AIRBORNE_POSITION, Message, OperationalStatus } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import { B_SIL_TYPE, B_VERSION_ADSB, F_NAC_P, F_NIC_BARO, F_SIL, NOTHING } from './layout.ts';
import { dropAccuracy, foldImpliedAccuracy, foldOperationalStatus, foldVersionOf } from './status.ts';

const position = (typeCode: number): Message => Object.assign(new Message(), { kind: KIND_AIRBORNE_POSITION, typeCode });
const status = (overrides: Partial<OperationalStatus>) => Object.assign(new OperationalStatus(), overrides);

test('a version 0 position implies NACp and SIL, of unknown type', () => {
  const { aircraft } = benchAircraft();
  aircraft.version = 0;
  foldOperationalStatus(aircraft, status({ nacP: 10, sil: 3, silType: 1 }));
  foldImpliedAccuracy(hear(aircraft, 100), position(11));
  expect([fieldValue(aircraft, F_NAC_P), fieldValue(aircraft, F_SIL), aircraft.bytes[aircraft.byte + B_SIL_TYPE]]).toEqual([8, 2, 0]);
});

test('a version 2 position implies nothing', () => {
  const { aircraft } = benchAircraft();
  foldImpliedAccuracy(aircraft, position(11));
  expect([isValid(aircraft, F_NAC_P), isValid(aircraft, F_SIL)]).toEqual([false, false]);
});

test('the operational status sets the version of its family at once', () => {
  const { aircraft } = benchAircraft();
  aircraft.version = 0;
  const message = new Message();
  message.operationalStatus.version = 2;
  foldVersionOf(aircraft, message);
  expect([aircraft.version, aircraft.bytes[aircraft.byte + B_VERSION_ADSB]]).toEqual([2, 2]);
});

describe('a position of a lesser source', () => {
  test('takes away what the aircraft said of its own accuracy, but not NIC baro', () => {
    const { aircraft } = benchAircraft();
    foldOperationalStatus(aircraft, status({ nacP: 10, sil: 3, silType: 1, nicBaro: 1 }));
    dropAccuracy(aircraft);
    expect([F_NAC_P, F_SIL, F_NIC_BARO].map((field) => isValid(aircraft, field))).toEqual([false, false, true]);
    expect(aircraft.bytes[aircraft.byte + B_SIL_TYPE]).toBe(NOTHING);
  });
});
