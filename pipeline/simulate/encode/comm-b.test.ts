// Comm-B registers: their numbers and a direction at the end of its range. test/sim/truth.test.ts reads all values back.
import { describe, expect, test } from 'vitest';
import { messageCapability, messageDataLink, messageHeadingAndSpeed, messageIdentification, messageTrackAndTurn } from './comm-b.ts';
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

describe('Comm-B registers', () => {
  test('a direction just short of south is coded as south, not as the step before it', () => {
    messageHeadingAndSpeed(message, 179.95, 250, 0.5, 0, 0);
    expect(Math.abs(signed(2, 11) * (90 / 512))).toBe(180);
    messageTrackAndTurn(message, 0, 179.95, 300, 0, 300);
    expect(Math.abs(signed(13, 11) * (90 / 512))).toBe(180);
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
