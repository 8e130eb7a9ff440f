// Compares written records with what the schema's codec writes of their states.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { AvroWriter } from '../avro/writer.ts';
import { avroType } from '../log/avro.ts';
import { Aircraft } from './aircraft.ts';
import { AircraftTable } from './aircraft-table.ts';
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
import { hexOf } from './state.ts';
import { stateOf, writeState } from './state-writer.ts';

const type = avroType(aircraftStateSchema);
const START_MS = 1_700_000_000_000;

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

test('a written state is a value of the schema, for any record', () => {
  const writer = new AvroWriter();
  const now = 0x1000_0000;
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
      const state = stateOf(aircraft, START_MS + now, START_MS);
      if (state.acasRa !== null) advisories += 1;
      writer.reset();
      writeState(writer, aircraft, START_MS + now, START_MS);
      expect(writer.bytes.subarray(0, writer.length).toString('hex')).toBe(type.toBuffer(state).toString('hex'));
      expect([state.hex, state.squawk ?? squawk]).toEqual([hexOf(key), state.squawk === null ? squawk : String(squawk).padStart(4, '0')]);
    }),
    { numRuns: 1000 },
  );
  expect(advisories).toBeGreaterThan(100);
});
