// `squitter verify` as operators run it: with recorded responses, our own service, a port of position lines and an independent decoder.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../pipeline/tools/verify/report.ts';
import { simulatedSlices, startBeastSource } from '../support/feeder.ts';
import { startLineProgram } from '../support/line-program.ts';
import { dump1090, goldenData } from '../support/requirements.ts';
import { freePort, type Run, squitter, startService, temporaryFolder } from '../support/service.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

const traffic = join(folder.path, 'traffic.beast');
beforeAll(async () => {
  // The frames of one receiver: other programs do not distinguish receivers.
  const run = await squitter(['simulate', '--aircraft', '120', '--minutes', '0.25', '--seed', '5', '--receiver', '0', '--out', traffic]);
  expect(run.code, run.stderr).toBe(0);
});

/** Other tests run at the same time: frames and responses may be later than on a quiet machine. */
const SLACK = ['--slack', '8000'];
/** A longer stall of the machine may still delay a value. */
const SHARE_MIN = 0.999;

function reportOf(run: Run): Report {
  expect(run.stderr).not.toMatch(/\n\s+at /);
  expect(run.stdout, run.stderr).toMatch(/^\{/);
  return JSON.parse(run.stdout) as Report;
}

function expectEqual({ values, cases }: Report): void {
  const open = cases.filter(({ reason }) => reason === null);
  expect(values.share, JSON.stringify(open, null, 1)).toBeGreaterThanOrEqual(SHARE_MIN);
}

const frames = goldenData('frames/rs1090_short_flights.csv');
describe.skipIf(!frames.met)(`recorded responses of readsb ${frames.met ? '' : frames.reason}`, () => {
  const recorded = goldenData('truth/rs1090_short_flights.readsb-aircraft.jsonl').path;

  it('are all ours', async () => {
    const run = await squitter(['verify', frames.path, '--recorded', recorded]);
    expect(run.stdout).toMatch(/^verify: equal: 100.000 % of \d,\d{3} values and positions, 0 differences/m);
    expect(run.stdout).toMatch(/^positions 146 matched, 0 over 25 m apart, 0 only theirs, 0 only ours/m);
    expect(run.code, run.stderr).toBe(0);
  });

  it('differ when one value is wrong, with the frame of our value', async () => {
    const spoiled = join(folder.path, 'spoiled.jsonl');
    const lines = readFileSync(recorded, 'utf8').trim().split('\n');
    const spoil = JSON.parse(lines[70]!) as Record<string, unknown>;
    lines[70] = JSON.stringify({ ...spoil, alt_geom: 12_345 });
    writeFileSync(spoiled, lines.join('\n'));
    const run = await squitter(['verify', frames.path, '--recorded', spoiled]);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      new RegExp(`${String(spoil['hex'])} {2}alt_geom: theirs 12345, ours ${String(spoil['alt_geom'])}\n.*by frame \\d+, 8d`),
    );
    expect((await squitter(['verify', frames.path, '--recorded', spoiled, '--min', '0.999'])).code).toBe(0);
    expect((await squitter(['verify', frames.path, '--recorded', spoiled, '--ignore', 'alt_geom'])).code).toBe(0);
  });
});

// They wait for real time, not for the CPU.
describe.concurrent('a running program', () => {
  it('our own service and we on the same live feed', async () => {
    const source = await startBeastSource(simulatedSlices(25, 600, 9));
    const service = await startService(join(folder.path, 'live'), ['--feed', `127.0.0.1:${source.port}`, '--receiver', '52.3,4.76']);
    const where = ['--feed', `127.0.0.1:${source.port}`, '--aircraft-json', `${service.url}/data/aircraft.json`, '--receiver', '52.3,4.76'];
    // Values heard before the start have expired after 15 s.
    const run = await squitter(['verify', ...where, '--seconds', '24', '--settle', '15', ...SLACK, '--json']);
    source.close();
    const report = reportOf(run);
    expectEqual(report);
    expect(report.values.compared).toBeGreaterThan(500);
    expect(await service.stop()).toBe(0);
  });

  it('a port of position lines: every position', async () => {
    const program = await startLineProgram();
    const where = ['--to', `127.0.0.1:${program.beastPort}`, '--positions', `127.0.0.1:${program.linesPort}`];
    const report = reportOf(await squitter(['verify', traffic, ...where, ...SLACK, '--json']));
    program.close();
    expectEqual(report);
    expect(report.positions).toMatchObject({ far: 0, onlyTheirs: 0, onlyOurs: 0 });
    expect(report.positions.matched).toBe(report.frames.positions);
  });

  it('a faulty one: only its errors are found', async () => {
    let lines = 0;
    const program = await startLineProgram((line) => {
      lines += 1;
      if (lines === 30) return null;
      return lines === 60
        ? { ...line, lat: Number(line['lat']) + 0.001 }
        : line['gs'] === undefined
          ? line
          : { ...line, gs: Number(line['gs']) + 2 };
    });
    const where = ['--to', `127.0.0.1:${program.beastPort}`, '--positions', `127.0.0.1:${program.linesPort}`];
    const run = await squitter(['verify', traffic, ...where, ...SLACK, '--json']);
    program.close();
    const report = reportOf(run);
    expect(run.code).toBe(1);
    expect(report.positions).toMatchObject({ far: 1, onlyTheirs: 0, onlyOurs: 1 });
    expect(
      report.fields.filter(({ different, onlyTheirs, onlyOurs }) => different + onlyTheirs + onlyOurs > 0).map(({ field }) => field),
    ).toEqual(['gs']);
  });

  const decoder = dump1090();
  it.skipIf(!decoder.met).each([
    ['in motion', SLACK],
    ['after a quiet end', ['--quiet-end']],
  ])(`dump1090-mutability %s: every difference has a documented reason ${decoder.met ? '' : decoder.reason}`, async (_, flags) => {
    const beastPort = await freePort();
    const json = temporaryFolder();
    const ports = [
      '--net-bi-port',
      String(beastPort),
      '--net-ri-port',
      '0',
      '--net-ro-port',
      '0',
      '--net-sbs-port',
      '0',
      '--net-bo-port',
      '0',
    ];
    const child = spawn(decoder.path, ['--net-only', '--quiet', '--net-bind-address', '127.0.0.1', ...ports, '--write-json', json.path]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
      const where = ['--to', `127.0.0.1:${beastPort}`, '--aircraft-json', json.path];
      let run = await squitter(['verify', traffic, ...where, ...flags, '--json']);
      // It needs a moment to listen and to write its first response.
      for (let i = 0; i < 20 && run.code === 1 && run.stdout === ''; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        run = await squitter(['verify', traffic, ...where, ...flags, '--json']);
      }
      const report = reportOf(run);
      if (flags === SLACK) expectEqual(report);
      else expect(report.cases.filter(({ reason }) => reason === null)).toEqual([]);
      expect(report.fields.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['alt_baro', 'gs', 'track', 'vert_rate', 'squawk', 'flight']),
      );
      // A quiet end compares the last ones.
      expect(report.positions.matched).toBeGreaterThan(flags === SLACK ? 20 : 5);
      expect(report.aircraft).toMatchObject({ onlyTheirs: { count: 0 }, onlyOurs: { count: 0 } });
    } finally {
      child.kill();
      await ended;
      json.remove();
    }
  });
});

describe('wrong usage and failed connections', () => {
  const nowhere = ['--aircraft-json', 'http://127.0.0.1:9/aircraft.json'];
  it.each([
    [['x.beast', '--to', '127.0.0.1:1'], 2, 'usage.missing_argument'],
    [['x.beast', ...nowhere], 2, 'usage.missing_argument'],
    [['x.beast', '--feed', '127.0.0.1:1', ...nowhere], 2, 'usage.bad_value'],
    [['x.beast', '--recorded', 'y', '--ignore', 'speed'], 2, 'usage.bad_value'],
    [['x.beast', '--recorded', 'y', '--quiet-end'], 2, 'usage.missing_argument'],
    [['README.md', '--recorded', 'README.md'], 1, 'input.unknown_format'],
    [[traffic, '--recorded', 'no-such-file'], 1, 'input.unreadable'],
    [[traffic, '--recorded', 'README.md'], 1, 'verify.not_aircraft'],
    [[traffic, '--to', '127.0.0.1:1', ...nowhere], 1, 'connect.failed'],
    [['--feed', '127.0.0.1:1', '--seconds', '1', ...nowhere], 1, 'verify.no_answer'],
  ] as const)('%j: %i, %s', async (args, code, error) => {
    const run = await squitter(['verify', ...args]);
    expect(run.code, run.stderr).toBe(code);
    expect(run.stderr).toContain(`[${error}]`);
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });
});
