// The partition of an address: Kafka's own murmur2 numbers, an independent implementation, and an even spread for every partition count.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressPartition, framePartition, murmur2, murmur2OfAddress } from '../../pipeline/ingest/partition.ts';
import { encodeAllCall, encodeAltitudeReply, encodeIdentityReply } from '../../pipeline/simulate/encode/reply.ts';
import { encodeIdentification } from '../../pipeline/simulate/encode/squitter.ts';

const PARTITIONS_MAX = 64;
const ADDRESSES = 0x100_0000;

/** MurmurHash2 of 32 bits, seed 0x9747b28c, as published, with unbounded integers. */
function murmur2Exact(bytes: Uint8Array): number {
  const M = 0x5bd1_e995n;
  const word = 2n ** 32n;
  const mixed = (k: bigint): bigint => {
    const once = (k * M) % word;
    return ((once ^ (once >> 24n)) * M) % word;
  };
  let hash = 0x9747_b28cn ^ BigInt(bytes.length);
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    const k = bytes.subarray(at, at + 4).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    hash = ((hash * M) % word) ^ mixed(k);
  }
  if (whole < bytes.length) {
    const rest = bytes.subarray(whole).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    hash = ((hash ^ rest) * M) % word;
  }
  hash = ((hash ^ (hash >> 13n)) * M) % word;
  return Number(BigInt.asIntN(32, hash ^ (hash >> 15n)));
}

/** Σ (observed − expected)² / expected: about `cells` − 1, give or take √(2 · cells), when keys fall at random. */
function chiSquare(counts: Uint32Array, samples: number): number {
  const expected = samples / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('murmur2', () => {
  // Apache Kafka, UtilsTest.testMurmur2; the second group from librdkafka, which agrees with it.
  test.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
    ['kafka', -798_503_068],
    ['giberish123456789', -1_890_243_828],
    ['1234', -1_614_185_708],
    ['234', -406_844_982],
  ])('of %s is %i', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
    expect(murmur2Exact(Buffer.from(text))).toBe(hash);
  });

  test('of any bytes equals the independent implementation', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => murmur2(bytes) === murmur2Exact(bytes)));
  });

  test('of an address is that of its six lower-case hex digits', () => {
    fc.assert(
      fc.property(fc.nat(ADDRESSES - 1), (address) => {
        expect(murmur2OfAddress(address)).toBe(murmur2Exact(Buffer.from(address.toString(16).padStart(6, '0'))));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('addressPartition', () => {
  /** All addresses, and realistic blocks: Germany's first 2^16, and 2^12 in a row. */
  test.each([
    ['a sample of all addresses', 0, 127, ADDRESSES],
    ['a national block', 0x3c_0000, 1, 0x3d_0000],
    ['4,096 addresses in a row', 0xa0_1000, 1, 0xa0_2000],
  ])('is in range and even over %s, for 1 to 64 partitions', (_, from, step, to) => {
    for (let partitions = 1; partitions <= PARTITIONS_MAX; partitions += 1) {
      const counts = new Uint32Array(partitions);
      let samples = 0;
      for (let address = from; address < to; address += step) {
        const partition = addressPartition(address, partitions);
        // Counts outside the range would make the sum too small.
        counts[partition]! += 1;
        samples += 1;
      }
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(samples);
      expect(chiSquare(counts, samples)).toBeLessThan(partitions - 1 + 6 * Math.sqrt(2 * partitions));
    }
  });

  test('is the positive hash modulo the count, as in Kafka', () => {
    fc.assert(
      fc.property(fc.nat(ADDRESSES - 1), fc.integer({ min: 1, max: PARTITIONS_MAX }), (address, partitions) => {
        const hash = murmur2Exact(Buffer.from(address.toString(16).padStart(6, '0')));
        expect(addressPartition(address, partitions)).toBe((hash & 0x7fff_ffff) % partitions);
      }),
    );
  });
});

test('all formats of one aircraft fall into one partition', () => {
  const bytes = new Uint8Array(14);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: ADDRESSES - 1 }),
      fc.integer({ min: 1, max: PARTITIONS_MAX }),
      fc.nat(63),
      (address, partitions, interrogator) => {
        const expected = addressPartition(address, partitions);
        encodeAllCall(bytes, 0, address, 5, interrogator);
        expect(framePartition(bytes, 0, 7, partitions)).toBe(expected);
        encodeAltitudeReply(bytes, 0, address, 0, 12_000, false, null);
        expect(framePartition(bytes, 0, 7, partitions)).toBe(expected);
        encodeIdentityReply(bytes, 0, address, 0, 2741, new Uint8Array(7));
        expect(framePartition(bytes, 0, 14, partitions)).toBe(expected);
        encodeIdentification(bytes, 0, { df: 17, capability: 5, address }, 0xa3, new Uint8Array(6), 0);
        expect(framePartition(bytes, 0, 14, partitions)).toBe(expected);
      },
    ),
  );
});
