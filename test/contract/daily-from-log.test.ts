// The daily files from a real log: the same bytes as from the rows themselves, and refusals of days that are not whole.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publishedManifest } from '../../exporters/daily/out-folder.ts';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { FOLD_GROUP } from '../../pipeline/fold/worker.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { topics } from '../../schemas/topics.ts';
import { handFlight, handPosition, handSource } from '../support/hand-day.ts';
import { writeLog } from '../support/logged-day.ts';
import { runExport } from '../support/run-export.ts';

const DAY = '2025-02-28';
const END_MS = Date.parse('2025-03-01T00:00:00Z');

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-daily-log-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Positions over both midnights, a burst each half hour, of four aircraft. */
const positions = Array.from({ length: 3200 }, (_, i) =>
  handPosition('2025-02-27T23:30:00Z', i % 4 === 3 ? 0x1000007 : 0x400000 + (i % 4), {
    ...{
      timeUs: (Date.parse('2025-02-27T23:30:00Z') + Math.floor(i / 64) * 1_800_000 + (i % 64) * 100) * 1000,
      partition: i % 2,
      frameOffset: i,
      frameIndex: i % 3,
    },
    ...{ latitudeMicrodeg: 50_000_000 + i, altitudeBaroFt: i % 5 === 0 ? null : i * 10 },
  }),
);
const flights = [
  handFlight(0x400000, '2025-02-28T01:00:00Z', '2025-02-28T03:00:00Z', { partition: 0, recordOffset: 0 }),
  handFlight(0x400001, '2025-02-28T20:00:00Z', '2025-03-01T02:00:00Z', { partition: 1, recordOffset: 0, callsign: null }),
];

const run = (...argv: string[]): Promise<string> => runExport(DAY, dir, ...argv);

describe('the daily files from the log', () => {
  it('have the same bytes as from the rows, and a rebuild says so', async () => {
    await writeLog(dir, positions, flights, END_MS + 60_000);
    expect(await run('--rebuild')).toContain(`${DAY}: published\n`);
    const manifest = (await publishedManifest(join(dir, 'bulk'), DAY))!;
    const inDay = positions.filter(({ timeUs }) => timeUs >= (END_MS - 86_400_000) * 1000 && timeUs < END_MS * 1000);
    expect(manifest.files.map(({ rows }) => rows)).toEqual([inDay.length, 1]);
    expect(manifest.frames.map(({ partition }) => partition)).toEqual([0, 1]);
    const direct = await writeDay({
      ...{
        day: DAY,
        outDir: join(dir, 'direct'),
        source: handSource([...positions].reverse(), flights),
        licence: 'ODbL-1.0',
        attribution: 'Squitter',
      },
      ...{ facts: () => null, replaces: false, signal: new AbortController().signal },
    });
    expect(direct.manifest!.files).toEqual(manifest.files);
    expect(await run('--rebuild')).toContain(`${DAY}: the same as published\n`);
  });

  it('leaves out flights that ended after the published day was made', async () => {
    await writeLog(dir, positions, flights.slice(0, 1), END_MS + 60_000);
    await run('--rebuild');
    const { log, codecs } = await openData(dir, 'write');
    const { icao24: _, partition: _at, recordOffset: _offset, ...late } = flights[1]!;
    const value = codecs.EndedFlight.encode({ ...late, hex: '400001', aircraftOffset: 0 } as never);
    await log.append('flightsEnded', 1, [{ key: '400001', value, timestampMs: late.endedMs }]);
    await log.close();
    expect(await run('--rebuild')).toContain('the same as published');
  });

  it('refuses a day of which retention has deleted records, and makes the days after it', async () => {
    await writeLog(dir, positions, flights, END_MS + 60_000);
    const later = positions.map((row) => ({ ...row, timeUs: row.timeUs + 10 * 86_400_000_000 }));
    const { log } = await openData(dir, 'write');
    await log.maintain(Date.now() + topics.positions.retentionMs + 86_400_000);
    expect((await log.bounds('positions', 0)).earliest).toBeGreaterThan(0);
    await log.close();
    await expect(run('--rebuild')).rejects.toMatchObject({ code: 'export.day_expired', details: { day: DAY } });
    expect(readdirSync(join(dir, 'bulk'))).toEqual([]);
    await writeLog(dir, later, [], END_MS + 10 * 86_400_000 + 60_000);
    expect(await run('--rebuild', '--day', '2025-03-10')).toContain('2025-03-10: published\n');
  });

  it('refuses a day that is not over, and one that the fold has not finished', async () => {
    await writeLog(dir, positions, flights, END_MS + 60_000);
    const { log, codecs } = await openData(dir, 'write');
    const frame = (timeMs: number) => ({
      key: null,
      timestampMs: timeMs,
      value: codecs.FrameBatch.encode({ baseTimeUs: timeMs * 1000, receivers: [], count: 0, frames: Buffer.alloc(0) }),
    });
    await log.append('frames', 1, [frame(END_MS + 61_000)]);
    await log.close();
    // The fold is in the next day.
    expect(await run('--rebuild')).toContain('published');
    const fresh = join(dir, 'fresh');
    const other = await openData(fresh, 'write');
    await other.log.append('frames', 0, [frame(END_MS - 1000), frame(END_MS + 1000)]);
    expect(await other.log.committed(FOLD_GROUP, 'frames', 0)).toBe(null);
    await other.log.close();
    await expect(run('--rebuild', '--data', fresh)).rejects.toMatchObject({ code: 'export.day_incomplete' });
    expect(readdirSync(fresh)).toEqual(['log']);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await expect(run('--rebuild', '--day', tomorrow)).rejects.toMatchObject({ code: 'export.day_open' });
  });
});
