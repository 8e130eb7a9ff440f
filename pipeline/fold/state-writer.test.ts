// Compares written records with what the schema's codec writes of their states: recorded, simulated and arbitrary ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { frameBatch, type RecordedFrame, readCsvFrames } from '../../test/golden/fold-frames.ts';
import { goldenData } from '../../test/support/requirements.ts';
import { AvroWriter } from '../avro/writer.ts';
import { avroType } from '../log/avro.ts';
import { createTraffic } from '../simulate/traffic.ts';
import { Aircraft } from './aircraft.ts';
import { AircraftTable } from './aircraft-table.ts';
import type { FoldTick } from './fold-tick.ts';
import {
  B_CATEGORY,
  B_SIGNAL_COUNT,
  F_SQUAWK,
  FIELD_COUNT,
  NON_ICAO,
  SOURCES,
  STRIDE_BYTES,
  TIMES,
  VALUES,
  X_ADVISORY_TIME,
  X_FLIGHT,
  X_GPS_OK_TIME,
  X_TEMPERATURE_TIME,
  X_WIND_TIME,
} from './layout.ts';
import { PartitionFold } from './partition-fold.ts';
import { stateOf } from './state.ts';
import { writeState } from './state-writer.ts';

const type = avroType(aircraftStateSchema);
const START_US = 1_700_000_000_000_000;

/** Folds, compares every state of every tick; returns their number. */
function compareAll(frames: readonly RecordedFrame[]): number {
  const writer = new AvroWriter();
  let states = 0;
  const compare = ({ aircraft }: FoldTick): void => {
    for (const [i, state] of aircraft.build().entries()) {
      writer.reset();
      aircraft.write(writer, i);
      expect(writer.bytes.subarray(0, writer.length).equals(type.toBuffer(state))).toBe(true);
      writer.reset();
      aircraft.writeKey(writer, i);
      expect(writer.bytes.toString('latin1', 0, writer.length)).toBe(state.hex);
      states += 1;
    }
  };
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  for (let from = 0; from < frames.length; from += 500) fold.apply(frameBatch(frames.slice(from, from + 500)), from, compare);
  fold.advance(frames.at(-1)!.timeUs + 200e6, compare);
  return states;
}

/** Bytes of a record, with valid and expired times, and texts from values that the fold can have. */
const records = fc.record({
  key: fc.integer({ min: 1, max: 2 * NON_ICAO - 1 }),
  noise: fc.uint8Array({ minLength: STRIDE_BYTES, maxLength: STRIDE_BYTES, size: 'max' }),
  sources: fc.array(fc.constantFrom(0, 4, 8, 10), { minLength: FIELD_COUNT, maxLength: FIELD_COUNT, size: 'max' }),
  agesMs: fc.array(fc.constantFrom(-5, 0, 14_000, 60_000, 60_001, 180_001, 2e9), { minLength: 64, maxLength: 64, size: 'max' }),
  flight: fc.stringMatching(/^[A-Z0-9 ]{8}$/),
  squawk: fc.integer({ min: 0, max: 7777 }),
  category: fc.constantFrom(0, 0xa0, 0xa3, 0xd7),
  signals: fc.nat(8),
});

describe('a state written straight from its record', () => {
  const recording = goldenData('frames', 'rs1090_short_flights.csv');
  if (recording.met)
    test('has the bytes of the codec, in recorded traffic', () => {
      expect(compareAll(readCsvFrames(recording.path))).toBeGreaterThan(100);
    });
  else test.skip(recording.reason, () => undefined);

  test('has them in simulated traffic', () => {
    const frames: RecordedFrame[] = [];
    const traffic = createTraffic({ aircraft: 40, seed: 7, startUs: START_US });
    traffic.advance(START_US + 60e6, ({ timeUs, bytes, at, byteLength, receiver, signal, flags }) =>
      frames.push({ timeUs, bytes: bytes.slice(at, at + byteLength), receiver: `${receiver}`, signal, flags }),
    );
    expect(compareAll(frames)).toBeGreaterThan(500);
  });

  test('has them for any record', () => {
    const writer = new AvroWriter();
    const now = 0x1000_0000;
    const timeBaseMs = START_US / 1000;
    let advisories = 0;
    fc.assert(
      fc.property(records, ({ key, noise, sources, agesMs, flight, squawk, category, signals }) => {
        const table = new AircraftTable();
        const slot = table.add(key);
        const aircraft = new Aircraft(table);
        aircraft.turnTo(table, slot);
        aircraft.now = now;
        const { words, bytes, at, byte } = aircraft;
        // Not the key, which is the first word.
        bytes.set(noise.subarray(4), byte + 4);
        for (let field = 0; field < FIELD_COUNT; field += 1) {
          bytes[byte + SOURCES + field] = sources[field]!;
          words[at + TIMES + 2 * field] = now - agesMs[field]!;
        }
        for (const [i, word] of [X_ADVISORY_TIME, X_GPS_OK_TIME, X_TEMPERATURE_TIME, X_WIND_TIME].entries())
          words[at + word] = now - agesMs[FIELD_COUNT + i]!;
        bytes.set(Buffer.from(flight), byte + 4 * X_FLIGHT);
        words[at + VALUES + 2 * F_SQUAWK] = squawk;
        bytes[byte + B_CATEGORY] = category;
        bytes[byte + B_SIGNAL_COUNT] = signals;
        const state = stateOf(aircraft, timeBaseMs + now, timeBaseMs);
        if (state.acasRa !== null) advisories += 1;
        writer.reset();
        writeState(writer, aircraft, timeBaseMs + now, timeBaseMs);
        expect(writer.bytes.subarray(0, writer.length).toString('hex')).toBe(type.toBuffer(state).toString('hex'));
      }),
      { numRuns: 1000 },
    );
    expect(advisories).toBeGreaterThan(100);
  });
});
