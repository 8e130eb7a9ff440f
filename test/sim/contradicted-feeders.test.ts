// A feeder that gives consistent false positions for aircraft that others hear: who is a Contributor then, by frames and not by counts. What cannot be
// decided is a test, too: SECURITY.md says it.
import { expect, test } from 'vitest';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';
import { withParity } from '../golden/frames.ts';
import { START_US } from '../properties/traffic.ts';
import { heard, type Transmission, transmissions } from '../support/heard-traffic.ts';

const [HONEST, OTHER, LIAR] = ['a', 'b', 'c'].map((digit) => digit.repeat(16)) as [string, string, string];
/** The first whole minute of event time ends at 100 s. */
const SECONDS = 105;
const LATER_S = 30;

const sent = transmissions(20, SECONDS, 5);
const squitters = sent.filter(({ bytes }) => bytes.length === 14 && bytes[0]! >> 3 === 17);
const hexOf = ({ bytes }: Transmission): string => Buffer.from(bytes.subarray(1, 4)).toString('hex');
const addresses = [...new Set(squitters.map(hexOf))];
/** Each aircraft flies where another one is. */
const lies = squitters.map((own): Transmission => {
  const other = addresses[(addresses.indexOf(hexOf(own)) + 1) % addresses.length]!;
  const frame = withParity(`8d${other}${Buffer.from(own.bytes.subarray(4, 11)).toString('hex')}`, 0);
  return { timeUs: own.timeUs, bytes: Uint8Array.from(Buffer.from(frame, 'hex')) };
});

const from = (id: string, frames: readonly Transmission[], startS: number): RecordedFrame[] =>
  heard(frames, [{ id, delayMs: (draw) => 20 + 60 * draw() }]).filter(({ timeUs }) => timeUs > START_US + startS * 1e6);

/** The feeders that are Contributors at the end, of those that a record was written for. */
function contributors(...feeds: readonly RecordedFrame[][]): string[] {
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const untilMs = new Map<string, number>();
  const frames = feeds.flat().sort((a, b) => a.timeUs - b.timeUs);
  for (let first = 0; first < frames.length; first += 500)
    fold.apply(frameBatch(frames.slice(first, first + 500)), first, ({ feeders }) => {
      for (const { id, record } of feeders) untilMs.set(id, record.contributorUntilMs);
    });
  expect(untilMs.size).toBe(feeds.length);
  const endMs = START_US / 1000 + SECONDS * 1000;
  return [...untilMs].flatMap(([id, ms]) => (ms > endMs ? [id] : [])).sort();
}

test('a feeder that comes later than an honest one never becomes a Contributor', () => {
  expect(contributors(from(HONEST, sent, 0), from(LIAR, lies, LATER_S))).toEqual([HONEST]);
});

test('a feeder that was first loses its tier when two honest ones contradict it', () => {
  expect(contributors(from(LIAR, lies, 0))).toEqual([LIAR]);
  expect(contributors(from(LIAR, lies, 0), from(HONEST, sent, LATER_S), from(OTHER, sent, LATER_S))).toEqual([HONEST, OTHER]);
});

test('one against one the first is believed, whoever it is', () => {
  expect(contributors(from(LIAR, lies, 0), from(HONEST, sent, LATER_S))).toEqual([LIAR]);
});
