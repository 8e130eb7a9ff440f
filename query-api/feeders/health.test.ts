// How a feeder does, in words: every state, its advice, and where each begins.
import { describe, expect, it } from 'vitest';
import { type Feeder, feederOf } from '../../pipeline/feeders/feeder.ts';
import type { ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import type { FeederHistoryRow } from '../../schemas/feeder-history.ts';
import { healthOf } from './health.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ranges = (nm: number) => new Array<number>(16).fill(nm);

/** Connected for an hour; 312 messages a second, 84 aircraft, 187 nm. */
function feeder(own: Partial<Feeder> = {}, record: Partial<ReceiverRecord> = {}): Feeder {
  const newest: ReceiverRecord = {
    ...{ partition: 0, timeMs: NOW_MS, frames: 18_720, messages: 1, duplicates: 0, positions: 100, disagreements: 1, cleanDf17: 9 },
    ...{ aircraft: 84, rangeNm: [...ranges(100).slice(1), 187], signalDecidb: -120, lateMs: 0, heardMs: NOW_MS - 1000 },
    ...{ contributorUntilMs: NOW_MS + DAY_MS, ...record },
  };
  const status = {
    ...{ timeMs: NOW_MS - 10_000, connectedMs: NOW_MS - 3_600_000, state: 'connected' as const, format: 'beast' },
    ...{ frames: 1, bytes: 1, garbageBytes: 0, addressHash: null },
  };
  const before = { timeMs: NOW_MS - MINUTE_MS, frames: 0, positions: 0, disagreements: 0 };
  const parts = { claim: null, keys: null, ban: null };
  return { ...feederOf('a'.repeat(16), { status, receivers: new Map([[0, newest]]), before: new Map([[0, before]]), ...parts }), ...own };
}

const rowsOf = (fromMs: number, rangeNm: readonly number[]): FeederHistoryRow[] =>
  Array.from({ length: 72 }, (_, i) => ({
    ...{ timeMs: fromMs + i * 5 * MINUTE_MS, frames: 1, positions: 1, disagreements: 0, aircraft: 1, signalDecidb: null, rangeNm },
  }));
const health = (feeder: Feeder, rows: readonly FeederHistoryRow[] = []) => healthOf(feeder, rows, NOW_MS, '0.0.0.0:30004');
const codes = (feeder: Feeder, rows?: readonly FeederHistoryRow[]) => health(feeder, rows).troubles.map(({ code }) => code);

const heard = (agoMs: number) => feeder({}, { heardMs: NOW_MS - agoMs });
const against = (disagreements: number, positions: number, contributorUntilMs = NOW_MS) =>
  feeder({}, { disagreements, positions, contributorUntilMs });
const lateBy = (lateMs: number) => feeder({}, { lateMs });

describe('a feeder', () => {
  it.each<[feeder: Feeder, state: string, text: string]>([
    [feeder(), 'fine', 'Fine: 312 messages a second, 84 aircraft, farthest 187 nm.'],
    [feeder({}, { frames: 90, aircraft: 0, rangeNm: ranges(0) }), 'fine', 'Fine: 1.5 messages a second, 0 aircraft.'],
    [feeder({ recent: null }), 'waiting', 'within two minutes'],
    [
      feeder({ connectedUntilMs: NOW_MS, lastSeenMs: NOW_MS - 3 * 3_600_000 }),
      'trouble',
      'No data: it has not been connected for 3 hours.',
    ],
    [feeder({ connectedUntilMs: 0, lastSeenMs: 0 }), 'trouble', 'No data: it was never connected.'],
    [heard(3 * MINUTE_MS), 'trouble', 'Connected, but silent: no message for 3 minutes.'],
    [heard(1_000_000_000), 'trouble', 'Connected, but silent: no message for 60 minutes.'],
    // The others took its tier, and most of its positions were refused.
    [against(45, 35), 'trouble', 'Others contradict it: 45 of its last 80 positions were refused.'],
    [lateBy(3210), 'trouble', 'Late: its messages come 3.2 s after the same ones of other receivers.'],
  ])('%#: %s, %s', (feeder, state, text) => {
    const found = health(feeder);
    expect(found).toMatchObject({ state, text: expect.stringContaining(text) });
    expect(found.troubles.length).toBe(state === 'trouble' ? 1 : 0);
    for (const { advice } of found.troubles) expect(advice).toMatch(/./);
  });

  it.each([heard(3 * MINUTE_MS - 1), against(45, 45), against(9, 0), against(45, 35, NOW_MS + 1), lateBy(1999)])(
    'has no trouble just below its bounds: %#',
    (feeder) => expect(codes(feeder)).toEqual([]),
  );

  it('hears less far than yesterday at the same time', () => {
    const yesterday = rowsOf(NOW_MS - DAY_MS - 6 * 3_600_000, ranges(100));
    const today = (range: readonly number[]) => rowsOf(NOW_MS - 6 * 3_600_000, range);
    const fallen = ranges(60).with(2, 5);
    expect(health(feeder(), [...yesterday, ...today(fallen)]).text).toBe(
      'Its range fell: 57 nm on average in the last 6 hours, 100 nm in the same hours yesterday, most towards NE.',
    );
    expect(codes(feeder(), [...yesterday, ...today(ranges(71))])).toEqual([]);
    expect(codes(feeder(), [...yesterday.slice(40), ...today(fallen)])).toEqual([]);
    expect(codes(feeder(), today(fallen))).toEqual([]);
    expect(codes(feeder({}, { lateMs: 4000 }), [...yesterday, ...today(fallen)])).toEqual(['late', 'range-fell']);
  });
});
