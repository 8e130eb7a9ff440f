// SBS-1 lines: the fields of each type, and which lines come when. That their reader has the values of the API: test/clients/verify.
import { expect, test } from 'vitest';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { bareState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, type TestView } from '../../test/support/live-view.ts';
import { SbsWriter } from './sbs-lines.ts';

/** Lines of each tick: all, and the changes. */
async function watched(): Promise<{ view: TestView; all(): string[]; changes(): string[] }> {
  const view = await createTestView(0);
  const writer = new SbsWriter();
  const linesOf = (bytes: Uint8Array): string[] => {
    const text = Buffer.from(bytes).toString('latin1');
    expect(text === '' || text.endsWith('\r\n')).toBe(true);
    return text.split('\r\n').slice(0, -1);
  };
  let [all, changes]: string[][] = [[], []];
  view.onSnapshot(({ listing, times }, find) => {
    changes = linesOf(writer.changes(listing, times.nowMs, find()));
    all = linesOf(writer.all(listing, times.nowMs));
  });
  return { view, all: () => all!, changes: () => changes! };
}

const DATES = '2023/11/14,22:13:20.000,2023/11/14,22:13:20.000';
const airborne = bareState('4ca2d6', {
  messages: 10,
  seenMs: NOW_MS,
  positionMs: NOW_MS - 1234,
  positionValid: true,
  latitudeMicrodeg: 51_457_350,
  longitudeMicrodeg: -1_028_260,
  altitudeBaroFt: 37_000,
  groundSpeedDeciKt: 4083,
  trackCentideg: 14_641,
  baroRateFpm: -64,
  onGround: false,
  flight: 'RYR1427 ',
  squawk: '0271',
  emergency: 0,
  alert: 0,
  spi: 1,
});

test('in the air: call sign, position, velocity, code', async () => {
  const { view, changes, all } = await watched();
  view.table.applyState(airborne);
  view.tick(NOW_MS);
  expect(changes()).toEqual([
    `MSG,1,1,1,4CA2D6,1,${DATES},RYR1427,,,,,,,,,,,`,
    'MSG,3,1,1,4CA2D6,1,2023/11/14,22:13:18.766,2023/11/14,22:13:20.000,,37000,,,51.457350,-1.028260,,,0,0,-1,0',
    `MSG,4,1,1,4CA2D6,1,${DATES},,,408.3,146.4,,,-64,,,,,`,
    `MSG,6,1,1,4CA2D6,1,${DATES},,37000,,,,,,0271,0,0,-1,0`,
  ]);
  expect(all()).toEqual(changes());
  for (const line of all()) expect(line.split(',')).toHaveLength(22);
});

test('are those whose values changed', async () => {
  const { view, changes, all } = await watched();
  let state: AircraftState = airborne;
  let nowMs = NOW_MS;
  const linesOf = (change: Partial<AircraftState>): string[] => {
    nowMs += 1000;
    state = { ...state, seenMs: nowMs, messages: state.messages + 1, ...change };
    view.table.applyState(state);
    view.tick(nowMs);
    return changes().map((line) => `${line.slice(4, 5)} ${line.split(',').slice(10).join(',')}`);
  };
  linesOf({});
  expect(linesOf({ flight: 'RYR1428 ' })).toEqual(['1 RYR1428,,,,,,,,,,,']);
  expect(linesOf({ trackCentideg: 35_996 })).toEqual(['4 ,,408.3,0.0,,,-64,,,,,']);
  expect(linesOf({ geomRateFpm: 32, baroRateFpm: null })).toEqual(['4 ,,408.3,0.0,,,32,,,,,']);
  expect(linesOf({ altitudeBaroFt: -25 })).toEqual(['5 ,-25,,,,,,,0,,-1,0']);
  expect(linesOf({ spi: 0 })).toEqual(['5 ,-25,,,,,,,0,,0,0']);
  expect(linesOf({ squawk: '7700', alert: 1 })).toEqual(['6 ,-25,,,,,,7700,-1,-1,0,0']);
  expect(linesOf({ squawk: '1000', alert: 0 })).toEqual(['6 ,-25,,,,,,1000,0,0,0,0']);
  expect(linesOf({ emergency: 2 })).toEqual(['6 ,-25,,,,,,1000,0,-1,0,0']);
  expect(linesOf({ positionMs: nowMs + 500, altitudeBaroFt: 0 })).toEqual(['3 ,0,,,51.457350,-1.028260,,,0,-1,0,0']);
  // A reader that comes now has the last value of each field.
  const fields = all().map((line) => `${line.slice(4, 5)} ${line.split(',').slice(10).join(',')}`);
  const at = '51.457350,-1.028260';
  expect(fields).toEqual(['1 RYR1428,,,,,,,,,,,', `3 ,0,,,${at},,,0,-1,0,0`, '4 ,,408.3,0.0,,,32,,,,,', '6 ,0,,,,,,1000,0,-1,0,0']);
  expect(linesOf({ onGround: true })).toEqual(['5 ,,,,,,,,0,,0,-1']);
  expect(linesOf({ positionMs: nowMs + 600 })).toEqual(['2 ,,408.3,0.0,51.457350,-1.028260,,,,,,-1']);
  // Only heard; not heard, and a value that expired; a value that no line has.
  expect(linesOf({})).toEqual(['8 ,,,,,,,,,,,-1']);
  expect(linesOf({ messages: state.messages, squawk: null, emergency: null })).toEqual([]);
  expect(linesOf({ messages: state.messages, navModes: 3, rssiDeciDbfs: -100 })).toEqual([]);
  nowMs += 1000;
  view.tick(nowMs);
  expect(changes()).toEqual([]);
});

test('are none without an ICAO address; and a call sign cannot break a line', async () => {
  const { view, all } = await watched();
  view.table.applyState({ ...airborne, hex: '~4ca2d6' });
  view.tick(NOW_MS);
  expect(all()).toEqual([]);
  view.table.applyState(bareState('00000a', { messages: 5, seenMs: NOW_MS, flight: 'A,B\r\nü C' }));
  view.table.applyState(bareState('00000b', { messages: 5, seenMs: NOW_MS, flight: '        ' }));
  view.tick(NOW_MS);
  expect(all()).toEqual([`MSG,1,1,1,00000A,1,${DATES},A_B___ C,,,,,,,,,,,`, `MSG,8,1,1,00000B,1,${DATES},,,,,,,,,,,,`]);
});
