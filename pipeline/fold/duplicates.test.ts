// One transmission heard twice, against an aircraft that says the same twice.
import { describe, expect, test } from 'vitest';
import { benchAircraft, hear } from '../../test/support/fold-aircraft.ts';
import { KIND_AIRBORNE_POSITION, KIND_VELOCITY, Message } from '../decode/message.ts';
import type { Aircraft } from './aircraft.ts';
import { COPY_MS, fingerprint, isCopy, POSITION_COPY_MS, rememberFrame } from './duplicates.ts';

const velocity = Object.assign(new Message(), { kind: KIND_VELOCITY });
const position = Object.assign(new Message(), { kind: KIND_AIRBORNE_POSITION });

function heard(aircraft: Aircraft, now: number, receiver: number, message: Message, print = 1234): boolean {
  hear(aircraft, now).receiver = receiver;
  const copy = isCopy(aircraft, message, print);
  if (!copy) rememberFrame(aircraft, print);
  return copy;
}

describe('the same frame', () => {
  test('from another receiver soon after is a copy', () => {
    const { aircraft } = benchAircraft();
    expect(heard(aircraft, 0, 1, velocity)).toBe(false);
    expect(heard(aircraft, COPY_MS - 1, 2, velocity)).toBe(true);
    expect(heard(aircraft, COPY_MS, 2, velocity)).toBe(false);
  });

  test('from the same receiver is the aircraft repeating itself', () => {
    const { aircraft } = benchAircraft();
    heard(aircraft, 0, 1, velocity);
    expect(heard(aircraft, 100, 1, velocity)).toBe(false);
  });

  test('with an airborne position is a copy for longer', () => {
    const { aircraft } = benchAircraft();
    heard(aircraft, 0, 1, position);
    expect(heard(aircraft, POSITION_COPY_MS - 1, 2, position)).toBe(true);
  });

  test('that arrives late, before the one it copies in time, is one too', () => {
    const { aircraft } = benchAircraft();
    heard(aircraft, 1000, 1, velocity);
    expect(heard(aircraft, 800, 2, velocity)).toBe(true);
  });
});

test('other frames in between do not hide it', () => {
  const { aircraft } = benchAircraft();
  heard(aircraft, 0, 1, velocity);
  for (let i = 0; i < 7; i += 1) heard(aircraft, 10 * i, 1, velocity, 100 + i);
  expect(heard(aircraft, 90, 2, velocity)).toBe(true);
});

test('frames that differ in one bit have different fingerprints', () => {
  const frame = Uint8Array.from(Buffer.from('8dada5265851e6616376c2eb4463', 'hex'));
  const other = Uint8Array.from(frame);
  other[9]! ^= 1;
  expect(fingerprint(frame, 0, 14)).not.toBe(fingerprint(other, 0, 14));
});
