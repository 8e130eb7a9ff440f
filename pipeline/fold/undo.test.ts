// An undone message leaves the record as it was.
import { expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { put } from './accept.ts';
import {
  B_DIRTY,
  B_KIND,
  B_VERSION_ADSB,
  B_VERSION_ADSR,
  B_VERSION_TISB,
  F_AIR_GROUND,
  F_GROUND_SPEED,
  F_TRACK,
  W_MESSAGES,
} from './layout.ts';
import { foldKind, foldVersion, KIND_ADSB_NT } from './source.ts';
import { keep, undo } from './undo.ts';

test.each([true, false])('surface: %s', (surface) => {
  const { aircraft } = benchAircraft();
  const before = Uint8Array.from(aircraft.bytes);
  keep(aircraft, surface);
  aircraft.bytes[aircraft.byte + B_DIRTY] = 1;
  aircraft.words[aircraft.at + W_MESSAGES]! += 1;
  aircraft.kind = KIND_ADSB_NT;
  hear(aircraft, 1000);
  foldKind(aircraft);
  foldVersion(aircraft);
  if (surface) for (const field of [F_GROUND_SPEED, F_TRACK, F_AIR_GROUND]) put(aircraft, field, 7);
  expect(aircraft.bytes).not.toEqual(before);
  undo(aircraft, surface);
  expect(aircraft.bytes).toEqual(before);
});

test('the kind and the versions share a word', () => {
  expect([B_KIND & 3, B_VERSION_ADSB, B_VERSION_ADSR, B_VERSION_TISB]).toEqual([0, B_KIND + 1, B_KIND + 2, B_KIND + 3]);
});
