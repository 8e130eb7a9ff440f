// Evidence that the MB field of a reply is a given register, in tenths of a bit: 10 more means twice as likely.
//
// A score is 10 log2 of (frequency of such bits in that register / their frequency in 56 random bits). So a reserved bit that is zero
// counts 10, a value that any code could be counts 0, and random bits reach a score of s with a probability of at most 2^(−s/10).
// Bands give the frequency of values: each is the share of replies that have one of its codes. Shares are rounded and wide on purpose.

import { log10 } from '../geo/trig.ts';

/** Score of bits that cannot occur in this register. Low enough that no other evidence outweighs it. */
export const IMPOSSIBLE = -2000;

/**
 * Codes `from` to `to` (negative ones in two's complement) have this share of the replies. A code counts in the first band that contains
 * it.
 */
type Band = readonly [from: number, to: number, share: number];

/** Evidence of `share` of the replies, spread over `codes` of `size` possible codes. */
export function evidence(share: number, codes: number, size: number): number {
  return Math.round((10 * log10((share * size) / codes)) / log10(2));
}

/** Evidence of a register's own number in bits 1-8. */
export const NUMBER_EVIDENCE = evidence(1, 1, 256);
/** The register's number followed by 48 zeros: the transponder serves the register and has no data for it. */
export const NUMBER_ALONE_EVIDENCE = NUMBER_EVIDENCE + evidence(0.005, 1, 1) + 48 * evidence(1, 1, 2);

/**
 * Evidence of each of `size` codes. `kindOf` sorts them into kinds; the codes of a kind share its probability. A code without a kind (−1)
 * is impossible.
 */
export function evidenceOfKinds(size: number, shares: readonly number[], kindOf: (code: number) => number): Int16Array {
  const kinds = Int8Array.from({ length: size }, (_, code) => kindOf(code));
  const evidenceOfKind = shares.map((share, kind) => evidence(share, kinds.filter((of) => of === kind).length, size));
  return Int16Array.from(kinds, (kind) => evidenceOfKind[kind] ?? IMPOSSIBLE);
}

/** Evidence of each of `size` codes (a power of two), by the first band that contains the code. */
export function evidenceOfCodes(size: number, bands: readonly Band[]): Int16Array {
  const signedFrom = bands.some(([from]) => from < 0) ? size / 2 : size;
  const shares = bands.map(([, , share]) => share);
  return evidenceOfKinds(size, shares, (code) => {
    const value = code < signedFrom ? code : code - size;
    return bands.findIndex(([from, to]) => value >= from && value <= to);
  });
}

/**
 * Evidence of a field that begins with a status bit, which is set in `present` of the replies. Indexed by the whole field, status bit on
 * top. A nonzero code under a clear status bit is impossible: the standard requires zeros.
 */
export function evidenceOfField(present: number, codes: Int16Array): Int16Array {
  const size = codes.length;
  const fields = new Int16Array(2 * size).fill(IMPOSSIBLE);
  fields[0] = evidence(1 - present, 1, 2 * size);
  const ofStatus = evidence(present, 1, 2);
  codes.forEach((ofCode, code) => {
    fields[size + code] = Math.max(IMPOSSIBLE, ofCode + ofStatus);
  });
  return fields;
}

/** Evidence of a distance (≥ 0) from an expected code among `size` possible codes. The last band also applies to all larger distances. */
export function evidenceOfDistance(size: number, bands: readonly (readonly [to: number, share: number])[]): Int16Array {
  const table = new Int16Array(bands.at(-1)![0] + 1);
  let from = 0;
  for (const [to, share] of bands) {
    table.fill(evidence(share, 2 * (to - from + 1) - (from === 0 ? 1 : 0), size), from, to + 1);
    from = to + 1;
  }
  return table;
}

export function distanceEvidence(table: Int16Array, distance: number): number {
  return table[Math.min(distance < 0 ? -distance : distance, table.length - 1)]!;
}

/** Two's complement of `bits` bits. */
export function signed(code: number, bits: number): number {
  return (code << (32 - bits)) >> (32 - bits);
}
