// The checksum of batches matches its description for every length, and detects all small damage.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { CHECKSUM_CRC_32, CHECKSUM_SUMS, CHECKSUM_WEIGHTED_SUMS, checksumOf } from './checksum.ts';

const sums = (bytes: Buffer): number => checksumOf(CHECKSUM_WEIGHTED_SUMS, bytes);

/** Checksums of "123456789" ten times, by kind. They must never change, because disks contain them. */
const CHECK_VALUES = { [CHECKSUM_SUMS]: 702_885_706, [CHECKSUM_WEIGHTED_SUMS]: 3_060_302_022 };
/** What each step of the second sum is multiplied with at the next, by kind. */
const WEIGHTS = { [CHECKSUM_SUMS]: 1n, [CHECKSUM_WEIGHTED_SUMS]: 3n };
const WORD = 1n << 64n;
const TURN_BYTES = 5;

/** The same algorithm in plain numbers. */
function plainSums(bytes: Buffer, weight: bigint): number {
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
        state.writeBigUInt64LE((weight * second + next) % WORD, 32 * half + 16 + 8 * lane);
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

test.each([CHECKSUM_SUMS, CHECKSUM_WEIGHTED_SUMS] as const)('kind %i equals the plain algorithm, independent of earlier sums', (kind) => {
  for (const length of [0, 1, 31, 32, 33, 64, 1000, 32_767, 32_768, 32_769, 65_536, 100_003]) {
    const bytes = randomBytes(length);
    expect(checksumOf(kind, bytes)).toBe(plainSums(bytes, WEIGHTS[kind]));
  }
  expect(checksumOf(kind, Buffer.from('123456789'.repeat(10)))).toBe(CHECK_VALUES[kind]);
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

test('the highest bit flipped in two words, 1,024 bytes or a multiple apart, is detected in all of many batches', () => {
  let undetectedByPlain = 0;
  for (let i = 0; i < 500; i += 1) {
    const bytes = randomBytes(4096);
    const whole = sums(bytes);
    const plain = checksumOf(CHECKSUM_SUMS, bytes);
    for (let second = 1024; second < bytes.length; second += 1024) {
      const damaged = Buffer.from(bytes);
      damaged[7]! ^= 0x80;
      damaged[second + 7]! ^= 0x80;
      expect(sums(damaged)).not.toBe(whole);
      undetectedByPlain += checksumOf(CHECKSUM_SUMS, damaged) === plain ? 1 : 0;
    }
  }
  // Sums without weights miss about one in fifty: the damage of this test is the one that they do not detect.
  expect(undetectedByPlain).toBeGreaterThan(0);
});

test('CRC-32 of older batches is supported, an unknown kind is rejected', () => {
  expect(checksumOf(CHECKSUM_CRC_32, Buffer.from('123456789'))).toBe(0xcbf4_3926);
  expect(() => checksumOf(3, Buffer.alloc(1))).toThrow(RangeError);
});
