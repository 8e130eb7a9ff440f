// Comm-D: frames from the tests of other decoders, and the header fields.
import { expect, test } from 'vitest';
import { decodeHex, withParity } from '../../test/golden/frames.ts';
import { messageFields } from './json.ts';
import { KIND_COMM_D, REJECT_MALFORMED, REJECT_NONE } from './message.ts';

test.each([
  ['c33d2901090141ae21c600180121', 0, 3],
  ['c2255448ac2a74d003547a6db1a1', 0, 2],
  ['c4576da66a68295e7d22ed5dd112', 0, 4],
  ['daca7f82613c2db14a49c535a3a2', 1, 10],
  ['ff00ff00ff00ff00ff00ff00ff00', 1, 15],
])('%s (tests of terminal2/java-mode-s, cjkreklow/go-adsb, rsadsb/adsb_deku)', (hex, acknowledgement, segment) => {
  const message = decodeHex(hex);
  expect(message).toMatchObject({ df: 24, reject: REJECT_NONE, kind: KIND_COMM_D, addressAnnounced: false });
  expect(message.commD).toEqual({ acknowledgement, segment });
});

test('the address is the parity remainder; the decode line contains the segment', () => {
  const hex = withParity('d3000102030405060708ff', 0x4bab45);
  const message = decodeHex(hex);
  expect(message.address).toBe(0x4bab45);
  expect(messageFields(message, Uint8Array.from(Buffer.from(hex, 'hex')), 0)).toEqual({ ke: 1, nd: 3, md: '000102030405060708ff' });
});

test('seven bytes are too few', () => {
  expect(decodeHex('c33d2901090141')).toMatchObject({ df: 24, reject: REJECT_MALFORMED });
});
