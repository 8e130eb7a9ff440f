// Partition of a frame: Kafka's default partitioner over the aircraft address, so that every Kafka client computes the same.
// Source: Apache Kafka, clients `Utils.murmur2` (MurmurHash2, seed 0x9747b28c) and `toPositive`.
import { parityRemainder } from '../decode/crc.ts';

const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Character codes of a byte's two lower-case hex digits, the first in the low byte. */
const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => digitCode(byte >> 4) | (digitCode(byte & 15) << 8));

/** Kafka's murmur2 of an address as 6 lower-case hex digits, without building the text; a signed 32-bit integer. */
export function murmur2OfAddress(address: number): number {
  const word = HEX_PAIRS[(address >> 16) & 0xff]! | (HEX_PAIRS[(address >> 8) & 0xff]! << 16);
  return finished(Math.imul(mixed(SEED ^ 6, word) ^ HEX_PAIRS[address & 0xff]!, M));
}

/** The partition of an address (24 bits) among `partitions`. */
export function addressPartition(address: number, partitions: number): number {
  return (murmur2OfAddress(address) & 0x7fff_ffff) % partitions;
}

/**
 * Address of a frame: the AA field in DF 11, 17 and 18, else the parity remainder. That is the address of the interrogated aircraft
 * (Annex 10 Vol. IV §3.1.2.3.3.2) or, in noise, any number.
 */
export function frameAddress(bytes: Uint8Array, at: number, byteLength: 7 | 14): number {
  const format = bytes[at]! >>> 3;
  if (format === 11 || format === 17 || format === 18) return (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  return parityRemainder(bytes, at, byteLength);
}

/** The partition of the frame `bytes[at..at + byteLength)` among `partitions`. */
export function framePartition(bytes: Uint8Array, at: number, byteLength: 7 | 14, partitions: number): number {
  return addressPartition(frameAddress(bytes, at, byteLength), partitions);
}

function digitCode(digit: number): number {
  return digit < 10 ? 0x30 + digit : 0x57 + digit;
}

function mixed(hash: number, word: number): number {
  let k = Math.imul(word, M);
  k = Math.imul(k ^ (k >>> 24), M);
  return Math.imul(hash, M) ^ k;
}

function finished(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}
