// Tests of the daily files: content, day boundaries, refusals. Their bytes: test/contract/daily-files; exports that are killed: test/fault/export.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { thisProcess } from '../../pipeline/runtime/process-identity.ts';
import { positionColumns } from '../../schemas/daily-file.ts';
import { type HandPosition, handFlight, handPosition, handSource } from '../../test/support/hand-day.ts';
import { readParquet as read } from '../../test/support/read-parquet.ts';
import type { DaySource } from './day-source.ts';
import { type DayResult, type WriteDayOptions, writeDay } from './write-day.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-daily-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const facts: WriteDayOptions['facts'] = (icao24) => (icao24 === 0x4840d6 ? { registration: 'PH-BXA', typeDesignator: 'B738' } : null);

function write(source: DaySource, own: Partial<WriteDayOptions> = {}): Promise<DayResult> {
  return writeDay({
    ...{ day: '2028-02-29', outDir: join(dir, 'out'), source, facts, licence: 'ODbL-1.0', attribution: 'Squitter', replaces: false },
    signal: new AbortController().signal,
    ...own,
  });
}

const positionsFile = (): string => `'${join(dir, 'out', 'positions-2028-02-29.parquet')}'`;
const published = (): string[] => readdirSync(join(dir, 'out')).sort();

/** Rows of ten aircraft in a scrambled order. */
function scrambled(rows: number): HandPosition[] {
  const made = Array.from({ length: rows }, (_, i) =>
    handPosition('2028-02-29T00:00:00Z', 0x400000 + (i % 10), {
      ...{
        timeUs: Date.parse('2028-02-29T00:00:00Z') * 1000 + Math.floor((i * 86_400e6) / rows),
        frameOffset: i,
        altitudeBaroFt: i % 7 === 0 ? null : i,
      },
      ...{ latitudeMicrodeg: 40_000_000 + i * 31, longitudeMicrodeg: -10_000_000 + i * 17, rssiDeciDbfs: -(i % 300) },
      ...{ callsign: i % 3 === 0 ? null : `TST${i % 20}`, squawk: i % 5 === 0 ? null : i % 7000 },
    }),
  );
  return made
    .map((row, i) => [(i * 7919) % rows, row] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, row]) => row);
}

describe('the daily files', () => {
  it('have one row per position with names and units of the traffic library, by address and time', async () => {
    const rows = [
      handPosition('2028-02-29T12:00:01.5Z', 0x4840d6, { altitudeGeomFt: 37_425, squawk: 42, rssiDeciDbfs: -123 }),
      handPosition('2028-02-29T12:00:00Z', 0x4840d6, {
        ...{ onGround: true, source: 5, altitudeBaroFt: null, groundSpeedDeciKt: null, trackCentideg: null, baroRateFpm: null },
      }),
      handPosition('2028-02-29T11:00:00Z', 0x4840d6),
      handPosition('2028-02-29T12:00:02Z', 0x4840d6, { callsign: 'KLM12', squawk: 7700 }),
      handPosition('2028-02-29T10:00:00Z', 0x1000001, { source: 13, callsign: 'ABC' }),
    ];
    const { outcome, manifest } = await write(handSource(rows, [handFlight(0x4840d6, '2028-02-29T11:59:00Z', '2028-02-29T14:00:00Z')]));
    expect(outcome).toBe('published');
    const table = await read(`SELECT * FROM ${positionsFile()}`);
    expect(Object.keys(table[0]!)).toEqual(positionColumns.map(({ name }) => name));
    const absent = { altitude: null, groundspeed: null, track: null, vertical_rate: null };
    expect(table).toEqual([
      expect.objectContaining({ timestamp: '2028-02-29 11:00:00', icao24: '4840d6', callsign: null, origin: null, registration: 'PH-BXA' }),
      expect.objectContaining({ onground: true, ...absent, source: 'mlat', callsign: 'KLM12A' }),
      {
        ...{ timestamp: '2028-02-29 12:00:01.5', icao24: '4840d6', callsign: 'KLM12A', latitude: 52.31, longitude: 4.76, altitude: 37_000 },
        ...{ geoaltitude: 37_425, groundspeed: 450.5, track: expect.closeTo(123.45, 4), vertical_rate: -64, onground: false },
        ...{ source: 'adsb_icao', squawk: '0042', nic: 8, rc: 186, rssi: expect.closeTo(-12.3, 4) },
        ...{ registration: 'PH-BXA', typecode: 'B738', origin: 'EHAM', destination: 'KJFK' },
      },
      // The call sign that the aircraft sent comes before that of its flight.
      expect.objectContaining({ callsign: 'KLM12', squawk: '7700', rssi: null, origin: 'EHAM' }),
      expect.objectContaining({ icao24: '~000001', source: 'unknown', callsign: 'ABC', registration: null }),
    ]);
    expect(manifest).toMatchObject({ day: '2028-02-29', version: 1, licence: 'ODbL-1.0', attribution: 'Squitter' });
    expect(manifest!.files.map(({ name, rows: count }) => [name, count])).toEqual([
      ['positions-2028-02-29.parquet', 5],
      ['flights-2028-02-29.parquet', 1],
    ]);
    const kinds = ['flights', 'manifest', 'positions', 'preview'];
    expect(published().map((name) => name.split('-2028-02-29.')[0])).toEqual(kinds);
    expect(JSON.parse(readFileSync(join(dir, 'out/manifest-2028-02-29.json'), 'utf8'))).toEqual(manifest);
    const svg = readFileSync(join(dir, 'out/preview-2028-02-29.svg'), 'utf8');
    expect(svg).toContain('<title>2028-02-29: 5 positions of 2 aircraft</title>');
    expect([svg.match(/<rect x=/g)?.length, /<path fill="#\w+" d="M/.test(svg)]).toEqual([24, true]);
    const [flight] = await read(`SELECT * FROM '${join(dir, 'out/flights-2028-02-29.parquet')}'`);
    expect(flight).toMatchObject({ icao24: '4840d6', firstseen: '2028-02-29 11:59:00', origin_source: 'observed', end: 'gone' });
  });

  it('have metadata, zstd, row groups of a fixed size and statistics that readers can use', async () => {
    await write(handSource(scrambled(130_000)));
    const metadata = await read(`SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${positionsFile()})`);
    const byKey = Object.fromEntries(metadata.map(({ key, value }) => [key, String(value)]));
    expect(byKey).toMatchObject({ licence: 'ODbL-1.0', squitter_day: '2028-02-29', squitter_schema_version: '1' });
    expect(JSON.parse(byKey['columns']!)).toMatchObject({ altitude: { unit: 'ft' }, latitude: { unit: 'degrees' } });
    const groups = await read(
      `SELECT row_group_num_rows AS rows, compression, stats_min_value AS least, stats_max_value AS greatest FROM parquet_metadata(${positionsFile()}) WHERE path_in_schema = 'icao24' ORDER BY row_group_id`,
    );
    expect(groups).toEqual([
      { rows: '122880', compression: 'ZSTD', least: '400000', greatest: '400009' },
      { rows: '7120', compression: 'ZSTD', least: '400009', greatest: '400009' },
    ]);
  });

  it('have the day from midnight to midnight: a leap day too', async () => {
    const at = (time: string) => handPosition(time, 0x4840d6);
    const rows = ['2028-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z'].map(at);
    // Ended before midnight, at it, and just before the next one.
    const ended = [-1, 0, 86_399_999, 86_400_000].map((ms, i) =>
      handFlight(0x500000 + i, '2028-02-28T20:00:00Z', '2028-02-28T21:00:00Z', { endedMs: Date.parse('2028-02-29T00:00:00Z') + ms }),
    );
    const { manifest } = await write(handSource(rows, ended));
    expect(manifest!.files.map((file) => file.rows)).toEqual([2, 2]);
    expect(await read(`SELECT timestamp FROM ${positionsFile()}`)).toEqual([
      { timestamp: '2028-02-29 00:00:00' },
      { timestamp: '2028-02-29 23:59:59.999' },
    ]);
  });

  it('give a row one flight, the later one where flights overlap, and flights over midnight to both days', async () => {
    const rows = ['00:00:00', '09:59:59', '10:30:00', '11:30:00', '12:30:00'].map((time) => handPosition(`2028-02-29T${time}Z`, 0x4840d6));
    const flights = [
      handFlight(0x4840d6, '2028-02-28T22:00:00Z', '2028-02-29T09:00:00Z', { callsign: 'NIGHT' }),
      handFlight(0x4840d6, '2028-02-29T10:00:00Z', '2028-02-29T12:00:00Z', { callsign: 'FIRST', recordOffset: 1 }),
      handFlight(0x4840d6, '2028-02-29T11:00:00Z', '2028-02-29T11:40:00Z', { callsign: 'SECOND', recordOffset: 2 }),
    ];
    await write(handSource(rows, flights));
    // The position before a state is of the second that the state ends.
    expect((await read(`SELECT callsign FROM ${positionsFile()}`)).map(({ callsign }) => callsign)).toEqual([
      'NIGHT',
      'FIRST',
      'FIRST',
      'SECOND',
      null,
    ]);
  });

  it('never change in silence: a difference is an error that names its cause', async () => {
    const first = await write(handSource(scrambled(100)));
    await expect(write(handSource(scrambled(101)))).rejects.toMatchObject({
      code: 'export.day_differs',
      message: expect.stringContaining('101 rows, published 100'),
    });
    await expect(write(handSource(scrambled(100)), { facts: () => ({ registration: 'X' }) })).rejects.toThrow('other reference data');
    expect(JSON.parse(readFileSync(join(dir, 'out/manifest-2028-02-29.json'), 'utf8'))).toEqual(first.manifest);
    const replaced = await write(handSource(scrambled(101)), { replaces: true });
    expect([replaced.outcome, replaced.manifest!.files[0]!.rows]).toEqual(['published', 101]);
  });

  it('leave nothing when the source fails', async () => {
    const fill: DaySource['fill'] = async (...given) => {
      await handSource(scrambled(5000)).fill(...given);
      throw new Error('the store is down');
    };
    const failed = { code: 'export.failed', message: expect.stringContaining('the store is down') };
    await expect(write({ name: 'the test', fill })).rejects.toMatchObject(failed);
    expect(published()).toEqual([]);
  });

  it('are written by one exporter at a time, and not for a day without rows', async () => {
    const held: DaySource = {
      name: 'the test',
      async fill() {
        await expect(write(handSource([]))).rejects.toMatchObject({
          code: 'export.in_use',
          details: expect.objectContaining({ pid: thisProcess().pid }),
        });
      },
    };
    expect(await write(held)).toEqual({ outcome: 'empty', manifest: null });
    expect(published()).toEqual([]);
  });
});
