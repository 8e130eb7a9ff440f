// The examples of docs/use/daily-files.md run on a real file, in DuckDB, pandas and the library traffic.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { handFlight, handPosition, handSource } from '../support/hand-day.ts';
import { projectDir, pythonPackages } from '../support/requirements.ts';

const python = pythonPackages();
const page = readFileSync(join(projectDir, 'docs/use/daily-files.md'), 'utf8');
const example = (heading: string): string => new RegExp(`## ${heading}\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;

const DAY = '2026-01-31';
let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'squitter-examples-'));
  const startMs = Date.parse(`${DAY}T12:00:00Z`);
  const positions = Array.from({ length: 600 }, (_, i) => {
    const flown = { latitudeMicrodeg: 52_000_000 + i * 1000, altitudeBaroFt: 30_000 + i, frameOffset: i };
    return handPosition(new Date(startMs + i * 1000).toISOString(), i % 2 === 0 ? 0x4840d6 : 0x400001, flown);
  });
  await writeDay({
    ...{ day: DAY, outDir: dir, licence: 'ODbL-1.0', attribution: 'Squitter', replaces: false, signal: new AbortController().signal },
    source: handSource(positions, [handFlight(0x4840d6, `${DAY}T11:00:00Z`, `${DAY}T13:00:00Z`)]),
    facts: () => ({ registration: 'PH-BXA', typeDesignator: 'B738' }),
  });
  for (const kind of ['positions', 'flights']) renameSync(join(dir, `${kind}-${DAY}.parquet`), join(dir, `${kind}-latest.parquet`));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe('the examples of the daily files', () => {
  it('run in DuckDB', async () => {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const statements = example('DuckDB')
      .split(';')
      .map((text) => text.trim())
      .filter((text) => text !== '');
    const results = [];
    for (const sql of statements)
      results.push((await connection.runAndReadAll(sql.replaceAll("'positions-latest", `'${dir}/positions-latest`))).getRowObjectsJson());
    connection.closeSync();
    instance.closeSync();
    expect(results[0]![0]).toEqual({ minute: '2026-01-31 12:00:00', aircraft: '2' });
    expect(results[1]).toHaveLength(300);
  });

  // traffic writes its configuration into the home folder.
  const run = (heading: string, more = '') =>
    spawnSync(python.path, ['-c', example(heading) + more], { cwd: dir, encoding: 'utf8', env: { ...process.env, HOME: dir } });

  it.skipIf(!python.met)(`run in pandas ${python.reason}`, () => {
    const { stdout, stderr, status } = run('pandas');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('300');
    expect(stdout).toMatch(/KLM12A\s+EHAM\s+KJFK/);
  });

  it.skipIf(!python.met)(
    `run in the library traffic ${python.reason}`,
    () => {
      // The library computes this itself, from our names and units: 598 thousandths of a degree of latitude in 598 s.
      const computed = `
computed = flight.cumulative_distance()
print(round(computed.data.cumdist.max(), 1), round(computed.data.compute_gs.median()), flight.callsign, flight.data.registration.iloc[0], flight.data.typecode.iloc[0])
print(flight.start, flight.stop)
`;
      const { stdout, stderr, status } = run('traffic', computed);
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
      const [given, found, times] = stdout.split('\n');
      expect(given).toMatch(/^(0 days 0)?0:09:58 30598(\.0)?$/);
      expect(found).toMatch(/^35\.9 21\d KLM12A PH-BXA B738$/);
      expect(times).toBe('2026-01-31 12:00:00+00:00 2026-01-31 12:09:58+00:00');
    },
    240_000,
  );
});
