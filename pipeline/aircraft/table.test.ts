// The table's columns against the states, through both ways in, and against invalid bytes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { aircraftStates } from '../../test/support/aircraft-states.ts';
import { bareState, fullState } from '../../test/support/full-state.ts';
import { avroType } from '../log/avro.ts';
import { ABSENT, categoryCode, columnNames } from './columns.ts';
import { hexKey } from './hex-key.ts';
import { FLIGHT_BYTES, LiveTable, type StateCodec } from './table.ts';

const HEAD_BYTES = 5;
const type = avroType(aircraftStateSchema);
const decode = (value: Uint8Array): AircraftState => type.fromBuffer(Buffer.from(value.subarray(HEAD_BYTES))) as AircraftState;
const own: StateCodec = { bodyStart: () => HEAD_BYTES, decode };
const ofAnotherVersion: StateCodec = { bodyStart: () => -1, decode };
const encoded = (state: AircraftState): Buffer => Buffer.concat([Buffer.alloc(HEAD_BYTES), type.toBuffer(state)]);

/** All content of a table. */
function contents({ columns, seenMs, positionMs, gpsOkMs, flights, flightTexts, advisories, size, highWater }: LiveTable): unknown {
  const rows = Array.from({ length: highWater }, (_, row) => [
    columnNames.map((name) => columns[name][row]),
    [seenMs[row], positionMs[row], gpsOkMs[row]],
    Buffer.from(flights.subarray(FLIGHT_BYTES * row, FLIGHT_BYTES * row + columns.flightLength[row]!)).toString(),
    flightTexts[row],
    advisories.get(row),
  ]);
  return { size, rows };
}

/** False when it is refused through either way. */
function apply(table: LiveTable, codec: StateCodec, value: Uint8Array, partition = 0): boolean {
  try {
    return table.applyValue(codec, value, partition);
  } catch {
    return false;
  }
}

/** Expected columns of a state, computed simply. */
function expected(state: AircraftState): Record<string, unknown> {
  const isLocated = state.positionMs !== null && state.latitudeMicrodeg !== null && state.longitudeMicrodeg !== null;
  const { hex, tickMs, flight, acasRa, ...shown } = state;
  const numbers = Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, value === null ? ABSENT : Number(value)]));
  return {
    ...numbers,
    key: hexKey(hex),
    category: state.category === null ? ABSENT : categoryCode(state.category),
    positionMs: isLocated ? state.positionMs : Number.NaN,
    positionValid: Number(isLocated && state.positionValid),
    gpsOkMs: state.gpsOkMs ?? Number.NaN,
    nic: state.nic ?? 0,
    rcM: state.rcM ?? 0,
    mlatFields: state.mlatFields | 0,
    tisbFields: state.tisbFields | 0,
  };
}

function shown({ columns, seenMs, positionMs, gpsOkMs }: LiveTable, row: number): Record<string, unknown> {
  const { partition, flightLength, ...numbers } = Object.fromEntries(columnNames.map((name) => [name, columns[name][row]]));
  return { ...numbers, seenMs: seenMs[row], positionMs: positionMs[row], gpsOkMs: gpsOkMs[row] };
}

/** Few aircraft, so that states replace others of their own. */
const manyStates = fc.array(
  fc.tuple(aircraftStates, fc.nat(4)).map(([state, i]) => ({ ...state, hex: ['4ca2d1', '~4ca2d1', '000000', 'ffffff', state.hex][i]! })),
  { minLength: 1, maxLength: 12 },
);

describe('states in the table', () => {
  it('are in the columns with the names of their fields, through every way in', () => {
    fc.assert(
      fc.property(manyStates, (states) => {
        const tables = [new LiveTable(), new LiveTable(), new LiveTable()] as const;
        for (const [i, state] of states.entries()) {
          expect(tables[0].applyValue(own, encoded(state), i)).toBe(true);
          expect(tables[1].applyValue(ofAnotherVersion, encoded(state), i)).toBe(true);
          expect(tables[2].applyState(state, i)).toBe(true);
          const row = tables[0].rowOf(state.hex);
          expect(shown(tables[0], row)).toEqual(expected(state));
          expect(tables[0].columns.partition[row]).toBe(i);
          expect(tables[0].flightTexts[row]).toBe(state.flight);
          expect(tables[0].advisories.has(row)).toBe(state.acasRa !== null);
        }
        const whole = contents(tables[0]);
        expect(contents(tables[1])).toEqual(whole);
        expect(contents(tables[2])).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('are refused when they are too short or too long, without any change', () => {
    fc.assert(
      fc.property(aircraftStates, aircraftStates, (before, state) => {
        const table = new LiveTable();
        table.applyState(before);
        const known = contents(table);
        const value = encoded(state);
        for (let length = HEAD_BYTES; length < value.length; length += 1)
          expect(apply(table, own, value.subarray(0, length), 3)).toBe(false);
        expect(apply(table, own, Buffer.concat([value, Buffer.from([0])]), 3)).toBe(false);
        expect(contents(table)).toEqual(known);
      }),
      { numRuns: 60 },
    );
  });

  it('of invalid bytes are what avsc reads, or change nothing', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((random) => Buffer.concat([Buffer.alloc(HEAD_BYTES), random]));
    const harmed = fc.tuple(aircraftStates, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 })).map(([state, changes]) => {
      const value = encoded(state);
      for (const [at, byte] of changes) value[HEAD_BYTES + (at % (value.length - HEAD_BYTES))] = byte;
      return value;
    });
    let applied = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 1, arbitrary: bytes }, { weight: 4, arbitrary: harmed }), (value) => {
        const [table, other] = [new LiveTable(), new LiveTable()];
        for (const one of [table, other]) one.applyState(fullState(1));
        const known = contents(table);
        const isTaken = apply(table, own, value);
        expect(apply(other, ofAnotherVersion, value)).toBe(isTaken);
        expect(contents(table)).toEqual(contents(other));
        if (!isTaken) expect(contents(table)).toEqual(known);
        if (isTaken) applied += 1;
      }),
      { numRuns: 3000 },
    );
    expect(applied).toBeGreaterThan(100);
  });

  it('have no squawk or category when it is invalid', () => {
    const table = new LiveTable();
    const codes = (change: Partial<AircraftState>): unknown => {
      expect(table.applyValue(own, encoded(bareState('aaaaaa', change)))).toBe(true);
      return [table.columns.squawk[0], table.columns.category[0]];
    };
    expect(codes({ squawk: '0012', category: 'D7' })).toEqual([12, 31]);
    for (const wrong of ['', '7', '77777', '778 ', '8777', '-001', 'abcd']) expect(codes({ squawk: wrong })).toEqual([ABSENT, ABSENT]);
    for (const wrong of ['', 'A', 'A8', 'E0', 'a3', '3A', 'A30', 'é']) expect(codes({ category: wrong })).toEqual([ABSENT, ABSENT]);
  });

  it('create no row when their hex is invalid', () => {
    const table = new LiveTable();
    for (const hex of ['', '12345', '1234567', '~12345', '~1234567', 'g23456', '-123456', 'é1234', '~é1234'])
      expect(table.applyValue(own, encoded(bareState(hex)))).toBe(false);
    expect([table.size, table.highWater]).toEqual([0, 0]);
  });
});
