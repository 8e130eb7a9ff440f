// The daily files from the real history store: the same bytes as from the rows themselves and from the log.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaySource } from '../../exporters/daily/day-source.ts';
import { storeSource } from '../../exporters/daily/from-store.ts';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { handFlight, handPosition, handSource } from '../support/hand-day.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { writeStore } from '../support/stored-day.ts';

const engine = historyEngine();
const START_MS = Date.parse('2028-02-29T00:00:00Z');
/** From half an hour before the leap day to half an hour after it. */
const positions = Array.from({ length: 5000 }, (_, i) =>
  handPosition('2028-02-29T00:00:00Z', i % 7 === 3 ? 0x1000007 : 0x400000 + (i % 7) * 4_000_000, {
    ...{
      timeUs: (START_MS - 1_800_000) * 1000 + Math.floor((i * 90_000e6) / 5000) + (i % 13),
      partition: i % 2,
      frameOffset: i,
      frameIndex: i % 3,
    },
    ...{ latitudeMicrodeg: 50_000_000 + i, altitudeBaroFt: i % 5 === 0 ? null : i * 7, onGround: i % 11 === 0, source: i % 14 },
  }),
);
const flights = [
  handFlight(0x400000, '2028-02-29T01:00:00.500Z', '2028-02-29T03:00:00.123Z', { airborneMs: Date.parse('2028-02-29T01:10:00Z') }),
  handFlight(0x1000007, '2028-02-28T20:00:00Z', '2028-03-01T02:00:00Z', { partition: 1, recordOffset: 5, callsign: null, origin: null }),
  handFlight(0x400000, '2028-02-20T20:00:00Z', '2028-02-21T02:00:00Z', { recordOffset: 9 }),
];

describe.skipIf(!engine.met)(`the daily files from the store ${engine.reason}`, () => {
  let dir: string;
  let store: TestHistoryStore;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squitter-daily-store-'));
    store = await startHistoryStore();
    await writeStore(store.client, positions, flights);
  });
  afterAll(async () => {
    await store?.stop();
    rmSync(dir, { recursive: true });
  });
  const write = (name: string, source: DaySource, signal = new AbortController().signal) =>
    writeDay({
      ...{
        day: '2028-02-29',
        outDir: join(dir, name),
        source,
        facts: () => null,
        licence: 'ODbL-1.0',
        attribution: 'Squitter',
        replaces: false,
      },
      signal,
    });

  it('have the same bytes as from the rows', async () => {
    const stored = await write('stored', storeSource(store.client));
    expect(stored.manifest!.files.map(({ rows }) => rows)).toEqual([4800, 1]);
    const direct = await write('direct', handSource([...positions].reverse(), flights.slice(0, 2)));
    expect(stored.manifest).toEqual(direct.manifest);
  });

  it('are not written while the store is away', async () => {
    const away = await startHistoryStore();
    await away.child.stop();
    await expect(write('away', storeSource(away.client))).rejects.toMatchObject({ code: 'history.unreachable' });
    await away.stop();
  });
});
