// Comm-B registers read back field by field, with a separate reader.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  messageCapability,
  messageDataLink,
  messageHeadingAndSpeed,
  messageIdentification,
  messageTrackAndTurn,
  messageVerticalIntention,
} from './comm-b.ts';
import { packFlight } from './squitter.ts';

const message = new Uint8Array(7);

/** `count` bits from bit `first`, counted from 1. */
function bits(first: number, count: number): number {
  let text = '';
  for (const byte of message) text += byte.toString(2).padStart(8, '0');
  return Number.parseInt(text.slice(first - 1, first - 1 + count), 2);
}

function signed(first: number, count: number): number {
  const value = bits(first, count);
  return value >= 2 ** (count - 1) ? value - 2 ** count : value;
}

function near(found: number, sent: number, step: number): void {
  expect(Math.abs(found - sent)).toBeLessThanOrEqual(step / 2 + 1e-9);
}

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('Comm-B registers', () => {
  test('a direction just short of south is coded as south, not as the step before it', () => {
    messageHeadingAndSpeed(message, 179.95, 250, 0.5, 0, 0);
    expect(Math.abs(signed(2, 11) * (90 / 512))).toBe(180);
    messageTrackAndTurn(message, 0, 179.95, 300, 0, 300);
    expect(Math.abs(signed(13, 11) * (90 / 512))).toBe(180);
  });

  test('4,0: selected altitude, QNH and modes; absent values are all zeros', () => {
    fc.assert(
      fc.property(number(0, 60_000), number(800, 1200), fc.integer({ min: 0, max: 63 }), (altitude, qnh, modes) => {
        messageVerticalIntention(message, altitude, -1, qnh, modes);
        expect(bits(1, 1)).toBe(1);
        near(bits(2, 12) * 16, altitude, 16);
        expect(bits(14, 13)).toBe(0);
        near(bits(28, 12) / 10 + 800, qnh, 0.1);
        expect([bits(49, 1), bits(50, 1), bits(51, 1)]).toEqual([(modes >> 1) & 1, (modes >> 2) & 1, (modes >> 3) & 1]);
      }),
    );
  });

  test('5,0: roll, track, speeds, turn', () => {
    fc.assert(
      fc.property(number(-45, 45), number(0, 359.9), number(0, 700), number(-7, 7), number(0, 600), (roll, track, gs, rate, tas) => {
        messageTrackAndTurn(message, roll, track, gs, rate, tas);
        near((signed(2, 10) * 45) / 256, roll, 45 / 256);
        const foundTrack = (signed(13, 11) * 90) / 512;
        expect(Math.abs(((foundTrack - track + 540) % 360) - 180)).toBeLessThan(0.18);
        near(bits(25, 10) * 2, gs, 2);
        near((signed(36, 10) * 8) / 256, rate, 8 / 256);
        near(bits(47, 10) * 2, tas, 2);
        expect([1, 12, 24, 35, 46].map((bit) => bits(bit, 1))).toEqual([1, 1, 1, 1, 1]);
      }),
    );
  });

  test('6,0: heading, speeds, rates', () => {
    fc.assert(
      fc.property(
        number(0, 359.9),
        number(0, 500),
        number(0, 2),
        number(-8000, 8000),
        number(-8000, 8000),
        (heading, ias, mach, baro, inertial) => {
          messageHeadingAndSpeed(message, heading, ias, mach, baro, inertial);
          const found = (signed(2, 11) * 90) / 512;
          expect(Math.abs(((found - heading + 540) % 360) - 180)).toBeLessThan(0.18);
          near(bits(14, 10), ias, 1);
          near((bits(25, 10) * 2.048) / 512, mach, 2.048 / 512);
          near(signed(36, 10) * 32, baro, 32);
          near(signed(47, 10) * 32, inertial, 32);
        },
      ),
    );
  });

  test('1,0 1,7 2,0 contain their number, and nothing of the previous message', () => {
    message.fill(0xff);
    messageDataLink(message);
    expect(message[0]).toBe(0x10);
    message.fill(0xff);
    messageCapability(message);
    expect([bits(1, 5), bits(7, 1), bits(9, 1), bits(16, 1), bits(24, 1), bits(25, 32)]).toEqual([0b11111, 1, 1, 1, 1, 0]);
    const packed = new Uint8Array(6);
    packFlight('KLM1023', packed, 0);
    messageIdentification(message, packed, 0);
    expect(Buffer.from(message).toString('hex')).toBe('202cc371c32ce0');
  });
});
