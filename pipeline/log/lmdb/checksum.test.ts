// The checksum of batches matches its description for every length, and detects all small damage.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { CHECKSUM_CRC_32, CHECKSUM_SUMS, checksumOf } from './checksum.ts';

const sums = (bytes: Buffer): number => checksumOf(CHECKSUM_SUMS, bytes);

/** Checksum of "123456789". It must never change, because disks contain it. */
const CHECK_VALUE = 3_601_091_707;
const WORD = 1n << 64n;
const TURN_BYTES = 5;

/** The same algorithm in plain numbers. */
function plainSums(bytes: Buffer): number {
  const state = Buffer.alloc(64);
  state.writeUInt32LE(bytes.length);
  const padded = Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)]);
  const words = (start: number) => [0, 8].map((at) => state.readBigUInt64LE(start + at));
  for (let at = 0; at < padded.length; at += 32) {
    for (const half of [0, 1]) {
      const first = state.subarray(32 * half, 32 * half + 16);
      Buffer.concat([first.subarray(TURN_BYTES), first.subarray(0, TURN_BYTES)]).copy(first);
      words(32 * half).forEach((word, lane) => {
        const next = (word + padded.readBigUInt64LE(at + 16 * half + 8 * lane)) % WORD;
        const second = state.readBigUInt64LE(32 * half + 16 + 8 * lane);
        state.writeBigUInt64LE(next, 32 * half + 8 * lane);
        state.writeBigUInt64LE((second + next) % WORD, 32 * half + 16 + 8 * lane);
      });
    }
  }
  let mixed = 0;
  for (let at = 0; at < state.length; at += 4) {
    mixed = Math.imul(mixed ^ state.readInt32LE(at), 0x9e37_79b1);
    mixed ^= mixed >>> 15;
  }
  return mixed >>> 0;
}

test('it equals the plain algorithm, independent of earlier sums', () => {
  for (const length of [0, 1, 31, 32, 33, 64, 1000, 32_767, 32_768, 32_769, 65_536, 100_003]) {
    const bytes = randomBytes(length);
    expect(sums(bytes)).toBe(plainSums(bytes));
  }
  expect(sums(Buffer.from('123456789'))).toBe(CHECK_VALUE);
});

test('it detects a flipped bit, a cut end and swapped words', () => {
  const bytes = randomBytes(1000);
  const whole = sums(bytes);
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    expect(sums(damaged)).not.toBe(whole);
  }
  for (let length = 0; length < bytes.length; length += 1) expect(sums(bytes.subarray(0, length))).not.toBe(whole);
  for (let at = 0; at + 64 <= bytes.length; at += 8) {
    const swapped = Buffer.from(bytes);
    bytes.copy(swapped, at, at + 32, at + 64);
    bytes.copy(swapped, at + 32, at, at + 32);
    expect(sums(swapped)).not.toBe(whole);
  }
  expect(sums(Buffer.alloc(1000))).not.toBe(sums(Buffer.alloc(1001)));
});

test('the same bit flipped in two words does not cancel itself, at any distance', () => {
  const bytes = randomBytes(8192);
  const whole = sums(bytes);
  for (let second = 8; second < bytes.length; second += 8) {
    for (const bit of [0x80, 0x01]) {
      const damaged = Buffer.from(bytes);
      damaged[7]! ^= bit;
      damaged[second + 7]! ^= bit;
      expect(sums(damaged)).not.toBe(whole);
    }
  }
});

test('CRC-32 of older batches is supported, an unknown kind is rejected', () => {
  expect(checksumOf(CHECKSUM_CRC_32, Buffer.from('123456789'))).toBe(0xcbf4_3926);
  expect(() => checksumOf(2, Buffer.alloc(1))).toThrow(RangeError);
});
