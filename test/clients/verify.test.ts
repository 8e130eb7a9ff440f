// `squitter verify` as operators run it: with recorded responses, our own service and an independent decoder. test/clients/outputs has it with a port of position lines.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../pipeline/tools/verify/report.ts';
import { simulatedSlices, startBeastSource } from '../support/feeder.ts';
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

/** The report, in which each difference has a documented reason. */
function equalReport(run: Run): Report {
  expect(run.stdout, run.stderr).toMatch(/^\{/);
  const report = JSON.parse(run.stdout) as Report;
  const open = report.cases.filter(({ reason }) => reason === null);
  expect(report.values.share, JSON.stringify(open, null, 1)).toBeGreaterThanOrEqual(SHARE_MIN);
  return report;
}

const frames = goldenData('frames/rs1090_short_flights.csv');
describe.skipIf(!frames.met)(`recorded responses of readsb ${frames.met ? '' : frames.reason}`, () => {
  const recorded = goldenData('truth/rs1090_short_flights.readsb-aircraft.jsonl').path;

  it('are all ours, and differ when one value is wrong, with the frame of our value', async () => {
    const equal = await squitter(['verify', frames.path, '--recorded', recorded]);
    expect(equal.stdout).toMatch(/^verify: equal: 100.000 % of \d,\d{3} values and positions, 0 differences/m);
    expect(equal.code, equal.stderr).toBe(0);
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
    expect(equalReport(run).values.compared).toBeGreaterThan(500);
    expect(await service.stop()).toBe(0);
  });

  const decoder = dump1090();
  it.skipIf(!decoder.met)(
    `dump1090-mutability: every difference has a documented reason ${decoder.met ? '' : decoder.reason}`,
    async () => {
      const beastPort = await freePort();
      const json = temporaryFolder();
      const ports = ['--net-bi-port', String(beastPort), ...['ri', 'ro', 'sbs', 'bo'].flatMap((port) => [`--net-${port}-port`, '0'])];
      const child = spawn(decoder.path, ['--net-only', '--quiet', '--net-bind-address', '127.0.0.1', ...ports, '--write-json', json.path]);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      try {
        const where = ['--to', `127.0.0.1:${beastPort}`, '--aircraft-json', json.path];
        let run = await squitter(['verify', traffic, ...where, ...SLACK, '--json']);
        // It needs a moment to listen and to write its first response.
        for (let i = 0; i < 20 && run.code === 1 && run.stdout === ''; i += 1) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          run = await squitter(['verify', traffic, ...where, ...SLACK, '--json']);
        }
        const report = equalReport(run);
        expect(report.fields.map(({ field }) => field)).toEqual(
          expect.arrayContaining(['alt_baro', 'gs', 'track', 'vert_rate', 'squawk', 'flight']),
        );
        expect(report.positions.matched).toBeGreaterThan(20);
        expect(report.aircraft).toMatchObject({ onlyTheirs: { count: 0 }, onlyOurs: { count: 0 } });
      } finally {
        child.kill();
        await ended;
        json.remove();
      }
    },
  );
});

describe('wrong usage and failed connections', () => {
  const nowhere = ['--aircraft-json', 'http://127.0.0.1:9/aircraft.json'];
  it.each([
    [['x.beast', ...nowhere], 2, 'usage.missing_argument'],
    [['x.beast', '--recorded', 'y', '--ignore', 'speed'], 2, 'usage.bad_value'],
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
