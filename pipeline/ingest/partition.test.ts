// The partitioner gives Kafka's own numbers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressPartition, frameAddress, framePartition, murmur2, murmur2OfAddress } from './partition.ts';

describe('murmur2', () => {
  // Apache Kafka, UtilsTest.testMurmur2.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('of %s is %i as in Kafka', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });

  it('of an address is that of its six hex digits', () => {
    fc.assert(
      fc.property(fc.nat(0xffffff), (address) => {
        expect(murmur2OfAddress(address)).toBe(murmur2(Buffer.from(address.toString(16).padStart(6, '0'))));
      }),
    );
  });
});

describe('frame partition', () => {
  const frame = (hex: string): [Uint8Array, number, 7 | 14] => [Buffer.from(hex, 'hex'), 0, hex.length === 28 ? 14 : 7];

  it('uses the announced address in DF 11 and 17', () => {
    expect(frameAddress(...frame('8d4b969699155600e87406f5b69f'))).toBe(0x4b9696);
    expect(frameAddress(...frame('5d4d20237a55a6'))).toBe(0x4d2023);
  });

  it('uses the parity if it contains the address', () => {
    // pyModeS, tests of `icao`: a DF 20 reply of 400940.
    expect(frameAddress(...frame('a0001839ca3800315800007448d9'))).toBe(0x400940);
  });

  it('is a valid partition, and spreads addresses evenly', () => {
    const counts = new Array<number>(12).fill(0);
    for (let address = 0x3c0000; address < 0x3d0000; address += 1) counts[addressPartition(address, 12)]! += 1;
    for (const count of counts) expect(count / (0x10000 / 12)).toBeCloseTo(1, 0.9);
    expect(framePartition(...frame('8d4b969699155600e87406f5b69f'), 2)).toBe(addressPartition(0x4b9696, 2));
  });
});
