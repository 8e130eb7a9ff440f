// A day that was published from the store is made again from the log alone: the same SHA-256, with the offsets of its manifest and the same reference data.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProject } from '../../infra/services/project-service.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { writeAddress } from '../../pipeline/store/address-file.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { handFlight, handPosition } from '../support/hand-day.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { writeLog } from '../support/logged-day.ts';
import { runExport } from '../support/run-export.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const DAY = '2024-02-29';
const START_MS = Date.parse(`${DAY}T00:00:00Z`);
const ROWS = 9000;

/** Over both midnights; every kind of value is absent in some rows. */
const positions = Array.from({ length: ROWS }, (_, i) =>
  handPosition(DAY, i % 9 === 3 ? 0x1000007 : 0x400000 + (i % 9), {
    ...{
      timeUs: (START_MS - 1_800_000) * 1000 + Math.floor((i * 90_000e6) / ROWS) + (i % 13),
      partition: i % 2,
      frameOffset: i,
      frameIndex: i % 3,
    },
    ...{ latitudeMicrodeg: 50_000_000 + i, altitudeBaroFt: i % 5 === 0 ? null : i * 3, onGround: i % 11 === 0, source: i % 14 },
    ...{
      callsign: i % 4 === 0 ? null : `TST${i % 9}A`,
      squawk: i % 6 === 0 ? null : i % 7778,
      rssiDeciDbfs: i % 7 === 0 ? null : -(i % 400),
    },
  }),
);
const flights = [
  handFlight(0x400000, '2024-02-29T01:00:00.500Z', '2024-02-29T03:00:00.123Z', { callsign: 'KLM12A' }),
  handFlight(0x1000007, '2024-02-28T20:00:00Z', '2024-02-29T23:00:00Z', { partition: 1, callsign: null, origin: null }),
];

describe.skipIf(!engine.met)(`a day from the store and from the log ${engine.reason}`, () => {
  let dir: string;
  let store: TestHistoryStore;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squitter-rebuild-'));
    await writeLog(dir, positions, flights, START_MS + 86_400_000 + 60_000);
    store = await startHistoryStore();
    const data = await openData(dir, 'write');
    const project = await startProject({ ...data, writer: storeWriter(store.client), logger: { info() {}, warn() {} } });
    await until(async () => (await project.stats()).sinks.every(({ rows, topic }) => rows >= (topic.includes('positions') ? ROWS : 2)));
    await project.stop();
    writeAddress(dir, store.address);
  });
  afterAll(async () => {
    await store?.stop();
    rmSync(dir, { recursive: true });
  });

  const exported = (...argv: string[]): Promise<string> => runExport(DAY, dir, ...argv);
  const manifest = (): DailyManifest => JSON.parse(readFileSync(join(dir, 'bulk', `manifest-${DAY}.json`), 'utf8')) as DailyManifest;

  it('is the same bytes, whatever ended later', async () => {
    expect(await exported()).toContain(`${DAY}: published\n`);
    const published = manifest();
    expect(published.files.map(({ rows }) => rows)).toEqual([
      positions.filter(({ timeUs }) => new Date(timeUs / 1000).toISOString().startsWith(DAY)).length,
      2,
    ]);
    // A flight of the day that the stage sees the end of after the day was published.
    const { log, codecs } = await openData(dir, 'write');
    const {
      icao24: _,
      partition: _at,
      recordOffset: _offset,
      ...late
    } = handFlight(0x400001, '2024-02-29T05:00:00Z', '2024-02-29T07:00:00Z');
    const value = codecs.EndedFlight.encode({ ...late, hex: '400001', aircraftOffset: 0 } as never);
    await log.append('flightsEnded', 0, [{ key: '400001', value, timestampMs: late.endedMs }]);
    await log.close();
    const rebuilt = await exported('--rebuild');
    expect(rebuilt).toContain(`${DAY}: the same as published\n`);
    for (const { sha256 } of published.files) expect(rebuilt).toContain(sha256);
    expect(manifest()).toEqual(published);
    // In an empty folder nothing names the offsets: the late flight is in its file.
    expect(await exported('--rebuild', '--out', join(dir, 'other'))).toContain(`${DAY}: published\n`);
    const other = JSON.parse(readFileSync(join(dir, 'other', `manifest-${DAY}.json`), 'utf8')) as DailyManifest;
    expect([other.files[0]!.sha256 === published.files[0]!.sha256, other.files[1]!.rows]).toEqual([false, 3]);
  });
});
