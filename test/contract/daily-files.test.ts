// The daily files over a real log and the real store: from the rows themselves, from the store and from the log alone they have the same bytes; and days
// that are not whole are refused.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { exportCommand } from '../../infra/cli/export-command.ts';
import { startProject } from '../../infra/services/stages/project-service.ts';
import { FOLD_GROUP } from '../../pipeline/fold/version.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { writeAddress } from '../../pipeline/store/address-file.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { topics } from '../../schemas/topics.ts';
import { handFlight, handPosition, handSource, writeLog } from '../support/hand-day.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { until } from '../support/until.ts';

/** Returns its output. Errors: those of the command. */
async function runExport(day: string, dataDir: string, ...argv: string[]): Promise<string> {
  const { options, words } = parseOptions(exportCommand.options, ['--day', day, '--data', dataDir, ...argv], {});
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = text(stdout);
  stderr.resume();
  try {
    await exportCommand.run({ options, words, env: {}, stdin: new PassThrough(), stdout, stderr, signal: new AbortController().signal });
  } finally {
    stdout.end();
  }
  return printed;
}

const engine = historyEngine();
const DAY = '2024-02-29';
const DAY_MS = 86_400_000;
const START_MS = Date.parse(`${DAY}T00:00:00Z`);
const END_MS = START_MS + DAY_MS;
const ROWS = 9000;

/** Over both midnights; every kind of value is absent in some rows. */
const positions = Array.from({ length: ROWS }, (_, i) =>
  handPosition(DAY, i % 9 === 3 ? 0x1000007 : 0x400000 + (i % 9), {
    timeUs: (START_MS - 1_800_000) * 1000 + Math.floor((i * 90_000e6) / ROWS) + (i % 13),
    ...{ partition: i % 2, frameOffset: i, frameIndex: i % 3 },
    ...{ latitudeMicrodeg: 50_000_000 + i, altitudeBaroFt: i % 5 === 0 ? null : i * 3, onGround: i % 11 === 0, source: i % 14 },
    callsign: i % 4 === 0 ? null : `TST${i % 9}A`,
    ...{ squawk: i % 6 === 0 ? null : i % 7778, rssiDeciDbfs: i % 7 === 0 ? null : -(i % 400) },
  }),
);
const flights = [
  handFlight(0x400000, '2024-02-29T01:00:00.500Z', '2024-02-29T03:00:00.123Z', { airborneMs: Date.parse('2024-02-29T01:10:00Z') }),
  handFlight(0x1000007, '2024-02-28T20:00:00Z', '2024-02-29T23:00:00Z', { partition: 1, callsign: null, origin: null }),
];

describe.skipIf(!engine.met)(`a day from the store and from the log ${engine.reason}`, () => {
  let dir: string;
  let store: TestHistoryStore;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squitter-daily-'));
    await writeLog(dir, positions, flights, END_MS + 60_000);
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
  const manifest = (folder = 'bulk'): DailyManifest => JSON.parse(readFileSync(join(dir, folder, `manifest-${DAY}.json`), 'utf8'));

  it('is the same bytes as from the rows, whatever ended later', async () => {
    expect(await exported()).toContain(`${DAY}: published\n`);
    const published = manifest();
    const inDay = positions.filter(({ timeUs }) => timeUs >= START_MS * 1000 && timeUs < END_MS * 1000);
    expect(published.files.map(({ rows }) => rows)).toEqual([inDay.length, 2]);
    expect(published.frames.map(({ partition }) => partition)).toEqual([0, 1]);
    const direct = await writeDay({
      ...{ day: DAY, outDir: join(dir, 'direct'), source: handSource([...positions].reverse(), flights), facts: () => null },
      ...{ licence: 'ODbL-1.0', attribution: 'Squitter', replaces: false, signal: new AbortController().signal },
    });
    expect(direct.manifest!.files).toEqual(published.files);
    // A flight of the day that the stage sees the end of after the day was published.
    const { log, codecs } = await openData(dir, 'write');
    const late = handFlight(0x400001, '2024-02-29T05:00:00Z', '2024-02-29T07:00:00Z');
    const { icao24: _, partition: _at, recordOffset: _offset, ...ended } = late;
    const value = codecs.EndedFlight.encode({ ...ended, hex: '400001', aircraftOffset: 0 } as never);
    await log.append('flightsEnded', 0, [{ key: '400001', value, timestampMs: late.endedMs }]);
    await log.close();
    const rebuilt = await exported('--rebuild');
    expect(rebuilt).toContain(`${DAY}: the same as published\n`);
    for (const { sha256 } of published.files) expect(rebuilt).toContain(sha256);
    expect(manifest()).toEqual(published);
    // In an empty folder nothing names the offsets: the late flight is in its file.
    expect(await exported('--rebuild', '--out', join(dir, 'other'))).toContain(`${DAY}: published\n`);
    const other = manifest('other');
    expect([other.files[0]!.sha256 === published.files[0]!.sha256, other.files[1]!.rows]).toEqual([false, 3]);
  });

  it('is not written while the store is away', async () => {
    await store.child.stop();
    await expect(exported('--out', join(dir, 'away'))).rejects.toMatchObject({ code: 'history.unreachable' });
  });
});

describe('a day that is not whole', () => {
  let dir: string;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squitter-daily-'));
    await writeLog(dir, positions, flights, END_MS + 60_000);
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const rebuilt = (...argv: string[]): Promise<string> => runExport(DAY, dir, '--rebuild', ...argv);

  it('because retention has deleted records is refused, and the days after it are made', async () => {
    const { log } = await openData(dir, 'write');
    await log.maintain(Date.now() + topics.positions.retentionMs + DAY_MS);
    expect((await log.bounds('positions', 0)).earliest).toBeGreaterThan(0);
    await log.close();
    await expect(rebuilt()).rejects.toMatchObject({ code: 'export.day_expired', details: { day: DAY } });
    expect(readdirSync(join(dir, 'bulk'))).toEqual([]);
    const later = positions.map((row) => ({ ...row, timeUs: row.timeUs + 10 * DAY_MS * 1000 }));
    await writeLog(dir, later, [], END_MS + 10 * DAY_MS + 60_000);
    expect(await rebuilt('--day', '2024-03-10')).toContain('2024-03-10: published\n');
  });

  it('because it is not over, or the fold has not finished it, is refused', async () => {
    const fresh = join(dir, 'fresh');
    const { log, codecs } = await openData(fresh, 'write');
    const batch = (timeMs: number) => ({
      ...{ key: null, timestampMs: timeMs },
      value: codecs.FrameBatch.encode({ baseTimeUs: timeMs * 1000, receivers: [], count: 0, frames: Buffer.alloc(0) }),
    });
    await log.append('frames', 0, [batch(END_MS - 1000), batch(END_MS + 1000)]);
    expect(await log.committed(FOLD_GROUP, 'frames', 0)).toBe(null);
    await log.close();
    await expect(rebuilt('--data', fresh)).rejects.toMatchObject({ code: 'export.day_incomplete' });
    expect(readdirSync(fresh)).toEqual(['log']);
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    await expect(rebuilt('--day', tomorrow)).rejects.toMatchObject({ code: 'export.day_open' });
  });
});
