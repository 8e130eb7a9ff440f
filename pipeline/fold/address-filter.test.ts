// Which frames create an aircraft, which are accepted for a known one, and how the others are counted.
import { describe, expect, test } from 'vitest';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { Message } from '../decode/message.ts';
import { admit, CONFIRMED_MS, CONFIRMING_MESSAGES, confirmsAddress } from './address-filter.ts';
import { AircraftTable } from './aircraft-table.ts';
import { B_TRANSPONDER, NON_ICAO, STRIDE_BYTES, STRIDE_WORDS, W_MESSAGES, W_SEEN } from './layout.ts';

function frame(df: number, overrides: Partial<Message> = {}): Message {
  const addressAnnounced = df === 11 || df === 17 || df === 18;
  return Object.assign(new Message(), { df, address: 0x3c6586, addressAnnounced, ...overrides });
}

/** The reason, or 'taken'. */
function outcome(table: AircraftTable, message: Message, now: number, repairedBits = 0): string {
  const slot = admit(table, message, confirmsAddress(message, repairedBits), now);
  return slot >= 0 ? 'taken' : rejectReasons[-1 - slot]!;
}

/** One accepted message. */
function hear(table: AircraftTable, address: number): void {
  expect(outcome(table, frame(17, { address }), 0)).toBe('taken');
  table.words[table.find(address) * STRIDE_WORDS + W_MESSAGES]! += 1;
}

function knownAt(now: number, transponder = true): AircraftTable {
  const table = new AircraftTable();
  const slot = table.add(0x3c6586);
  table.words[slot * STRIDE_WORDS + W_SEEN] = now;
  table.bytes[slot * STRIDE_BYTES + B_TRANSPONDER] = transponder ? 1 : 0;
  return table;
}

describe('an unknown aircraft', () => {
  test.each([
    ['DF 17', frame(17), 'taken'],
    ['DF 18', frame(18), 'taken'],
    ['DF 11 squitter', frame(11), 'taken'],
    ['DF 11 to an interrogator', frame(11, { interrogatorId: 5 }), 'address_unknown'],
    ['DF 4', frame(4), 'address_unknown'],
    ['DF 20', frame(20), 'address_unknown'],
    ['address 0', frame(17, { address: 0 }), 'address_zero'],
  ])('%s', (_, message, expected) => {
    expect(outcome(new AircraftTable(), message, 0)).toBe(expected);
  });

  test('is refused when the table is full of confirmed ones', () => {
    const table = new AircraftTable(2);
    for (const address of [1, 2]) for (let i = 0; i < CONFIRMING_MESSAGES; i += 1) hear(table, address);
    expect(outcome(table, frame(17, { address: 3 }), 0)).toBe('aircraft_limit');
    expect(table.newcomers.displacedTotal).toBe(0);
  });

  test('displaces the unconfirmed one that was heard longest ago', () => {
    const table = new AircraftTable(3);
    for (const address of [1, 2, 3, 1]) hear(table, address);
    for (const [address, left] of [
      [4, [1, 3, 4]],
      [5, [1, 4, 5]],
      [6, [4, 5, 6]],
    ] as const) {
      hear(table, address);
      expect([1, 2, 3, 4, 5, 6].filter((known) => table.find(known) >= 0)).toEqual(left);
    }
    expect([table.newcomers.displacedTotal, table.newcomers.displaced]).toEqual([3, []]);
  });
});

describe('a known aircraft', () => {
  test('is accepted in replies while its address was recently confirmed', () => {
    expect(outcome(knownAt(0), frame(4), CONFIRMED_MS)).toBe('taken');
    expect(outcome(knownAt(0), frame(4), CONFIRMED_MS + 1)).toBe('address_unknown');
    expect(outcome(knownAt(0), frame(17), CONFIRMED_MS, 1)).toBe('taken');
    expect(outcome(knownAt(0), frame(17), CONFIRMED_MS + 1, 1)).toBe('bits_repaired');
  });

  test('that was heard only without a transponder sends no replies', () => {
    const table = knownAt(0, false);
    expect(['DF 4', outcome(table, frame(4), 1000)]).toEqual(['DF 4', 'address_unknown']);
    expect(['DF 18', outcome(table, frame(18), 1000, 1)]).toEqual(['DF 18', 'taken']);
    expect(['DF 11', outcome(table, frame(11, { interrogatorId: 5 }), 1000)]).toEqual(['DF 11', 'taken']);
  });

  test('differs from one with the same 24 bits as a non-ICAO address', () => {
    const table = knownAt(0);
    expect(outcome(table, frame(18, { addressNonIcao: true }), 0)).toBe('taken');
    expect([table.count, table.find(0x3c6586), table.find(0x3c6586 | NON_ICAO)]).toEqual([2, 0, 1]);
  });
});
