// `squitter verify` as operators run it, with recorded responses, our own service and an independent decoder; and the outputs of the real service, read by
// programs of others and by ours: SBS-1 by `squitter verify`, Beast by dump1090 and by a second service.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../pipeline/tools/verify/report.ts';
import { simulatedSlices } from '../support/feeder.ts';
import { debianProgram, documentationAddress, dump1090, goldenData, projectDir } from '../support/requirements.ts';
import { freePort, type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const home = documentationAddress(29);
const decoder = dump1090();
const python = debianProgram('python3');
const frames = goldenData('frames/rs1090_short_flights.csv');
const programs: Pick<ChildProcess, 'kill'>[] = [];
const traffic = join(folder.path, 'traffic.beast');
beforeAll(async () => {
  // The frames of one receiver: other programs do not distinguish receivers, and Beast does not say which receiver a frame is from.
  const run = await squitter(['simulate', '--aircraft', '120', '--minutes', '0.25', '--seed', '5', '--receiver', '0', '--out', traffic]);
  expect(run.code, run.stderr).toBe(0);
});
afterAll(() => {
  for (const child of programs) child.kill();
  home.remove();
  folder.remove();
});

/** Other tests run at the same time: frames and responses may be later than on a quiet machine. */
const SLACK = ['--slack', '8000'];
const AT_SCHIPHOL = ['--receiver', '52.3,4.76'];
/** A source that is quiet long before the first comparison: no difference comes from the moment of a response. */
const [SOURCE_S, SETTLE_S, WATCHED_S] = [8, 14, 20];

/** The report, in which each difference has a documented reason. */
async function equalReport(args: readonly string[]): Promise<Report> {
  const run = await squitter(['verify', ...args, '--json']);
  expect(run.stdout, run.stderr).toMatch(/^\{/);
  const report = JSON.parse(run.stdout) as Report;
  expect(report.cases.filter(({ reason }) => reason === null)).toEqual([]);
  expect(report.values.compared).toBeGreaterThan(500);
  return report;
}

/** A receiver of simulated aircraft, which begins when it has two clients: both get the same frames in real time. */
async function startSource(): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const slices = simulatedSlices(25, SOURCE_S, 9);
  const timer = setInterval(() => {
    const bytes = sockets.length < 2 ? undefined : slices.next().value?.bytes;
    if (bytes !== undefined) for (const socket of sockets) socket.write(bytes);
  }, 100);
  programs.push({
    kill() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      return true;
    },
  });
  return (server.address() as AddressInfo).port;
}

type Aircraft = Readonly<Record<string, unknown>>;

async function aircraftOf(service: RunningService): Promise<Map<string, Aircraft>> {
  const { aircraft } = (await (await service.get('/data/aircraft.json')).json()) as { aircraft: Aircraft[] };
  return new Map(aircraft.map((each) => [String(each['hex']), each]));
}

interface Decoder {
  readonly beastPort: number;
  /** Where it offers what it hears. */
  readonly beastOutPort: number;
  /** The folder of its aircraft.json. */
  readonly folder: string;
  aircraft(): Aircraft[];
}

async function startDump1090(): Promise<Decoder> {
  const [beastPort, beastOutPort] = [await freePort(), await freePort()];
  const json = temporaryFolder();
  const ports = ['ri', 'ro', 'sbs'].flatMap((port) => [`--net-${port}-port`, '0']);
  const beast = ['--net-bi-port', String(beastPort), '--net-bo-port', String(beastOutPort)];
  const words = ['--net-only', '--quiet', '--net-bind-address', '127.0.0.1', ...ports, ...beast, '--write-json', json.path];
  const child = spawn(decoder.path, words, { env: { ...process.env, TZ: 'UTC' } });
  programs.push(child);
  child.once('exit', json.remove);
  const file = join(json.path, 'aircraft.json');
  await until(() => existsSync(file), 'dump1090 writes its first list');
  const aircraft = (): Aircraft[] => (JSON.parse(readFileSync(file, 'utf8')) as { aircraft: Aircraft[] }).aircraft;
  return { beastPort, beastOutPort, folder: json.path, aircraft };
}

/** Lines that the Python example of the documentation prints about this many positions, which come while it runs. */
async function documentedExample(sbsPort: number, lines: number): Promise<string[]> {
  const page = readFileSync(join(projectDir, 'docs/use/outputs.md'), 'utf8');
  const [, code = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  const child = spawn(python.path, ['-u', '-c', code.replace(/^ {2}/gm, '').replace('30003', String(sbsPort))]);
  programs.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.split('\n').length > lines, 'the example prints lines');
  return text.split('\n').slice(0, lines);
}

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
  it('our own service and we have the same of a live feed', async () => {
    const feed = ['--feed', `127.0.0.1:${await startSource()}`, ...AT_SCHIPHOL];
    const service = await startService(join(folder.path, 'live'), feed);
    const where = [...feed, '--aircraft-json', `${service.url}/data/aircraft.json`];
    await equalReport([...where, '--seconds', `${WATCHED_S}`, '--settle', `${SETTLE_S}`, '--slack', '20000']);
    expect(await service.stop()).toBe(0);
  });

  it.skipIf(!decoder.met)(`dump1090-mutability: every difference has a documented reason ${decoder.reason}`, async () => {
    const { beastPort, folder: json } = await startDump1090();
    const report = await equalReport([traffic, '--to', `127.0.0.1:${beastPort}`, '--aircraft-json', json, '--quiet-end', ...SLACK]);
    expect(report.fields.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['alt_baro', 'gs', 'track', 'vert_rate', 'squawk', 'flight']),
    );
    expect(report.positions).toMatchObject({ far: 0 });
    expect(report.positions.matched).toBeGreaterThan(5);
    expect(report.aircraft).toMatchObject({ onlyTheirs: { count: 0 }, onlyOurs: { count: 0 } });
  });

  it(`SBS-1 and Beast have what the API has ${decoder.met ? '' : decoder.reason}`, async () => {
    const [sbsPort, beastPort] = [await freePort(), await freePort()];
    const service = await startService(join(folder.path, 'data'), ['--no-simulation', ...AT_SCHIPHOL, '--sbs', `127.0.0.1:${sbsPort}`], {
      SQUITTER_BEAST_OUT: `127.0.0.1:${beastPort}`,
    });
    expect(service.output()).toContain(`SBS-1 text              127.0.0.1:${sbsPort}`);
    const second = await startService(join(folder.path, 'second'), ['--feed', `127.0.0.1:${beastPort}`, ...AT_SCHIPHOL]);
    const theirs = decoder.met ? await startDump1090() : null;
    // dump1090 does not connect by itself.
    if (theirs !== null) {
      const [source, target] = [beastPort, theirs.beastPort].map((port) =>
        connect(port, '127.0.0.1')
          .on('error', () => {})
          .resume(),
      );
      source!.pipe(target!);
    }
    const clients = decoder.met ? 2 : 1;
    await until(async () => (await service.metric('squitter_output_clients', { output: 'beast' })) === clients, 'the readers of Beast');

    const example = python.met ? documentedExample(sbsPort, 10) : Promise.resolve([]);
    const where = ['--to', `127.0.0.1:${service.listenPort}`, '--positions', `127.0.0.1:${sbsPort}`];
    const report = await equalReport([traffic, ...where, ...AT_SCHIPHOL, ...SLACK]);
    expect(report.fields.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['flight', 'alt_baro', 'gs', 'track', 'vert_rate', 'squawk', 'alert', 'spi']),
    );
    expect(report.positions).toMatchObject({ far: 0, onlyTheirs: 0 });
    expect(report.positions.matched).toBeGreaterThan(50);
    expect(report.aircraft).toMatchObject({ onlyTheirs: { count: 0 }, onlyOurs: { count: 0 } });

    const [first, copied] = [await aircraftOf(service), await aircraftOf(second)];
    expect(first.size).toBeGreaterThan(15);
    expect([...copied.keys()].sort()).toEqual([...first.keys()].sort());
    for (const [hex, { flight, squawk, alt_baro, gs, track, lat, lon, category, baro_rate, version }] of first)
      expect(copied.get(hex)).toMatchObject(
        JSON.parse(JSON.stringify({ flight, squawk, alt_baro, gs, track, lat, lon, category, baro_rate, version })),
      );
    const listed = theirs?.aircraft().filter(({ messages }) => Number(messages) > 1);
    if (listed !== undefined)
      expect(listed.map(({ hex }) => hex).sort()).toEqual([...first.keys()].filter((hex) => !hex.startsWith('~')).sort());
    for (const { hex, altitude } of listed ?? [])
      if (typeof altitude === 'number') expect(first.get(String(hex))).toMatchObject({ alt_baro: altitude });
    for (const line of await example) {
      expect(line).toMatch(/^[0-9A-F]{6} \d+ -?\d+\.\d{6} -?\d+\.\d{6}$/);
      expect(first.has(line.slice(0, 6).toLowerCase())).toBe(true);
    }
    expect(await service.metric('squitter_output_dropped_bytes_total', { output: 'sbs', reason: 'behind' })).toBe(0);
    // With clients connected.
    expect(await service.stop()).toBe(0);
    expect(await second.stop()).toBe(0);
  });

  const isMet = decoder.met && home.met;
  it.skipIf(!isMet)(
    `dump1090 feeds by the line of /contribute, and its owner claims it ${isMet ? '' : decoder.reason + home.reason}`,
    async () => {
      const anyPort = `${home.address}:0`;
      const args = ['--access', 'tiers', '--no-simulation', '--http', anyPort, '--listen', anyPort];
      const service = await startService(join(folder.path, 'fed'), args);
      const theirs = await startDump1090();
      const page = await (await service.get('/contribute')).text();
      const line = /<pre id="dump1090">(.*)<\/pre>/.exec(page)![1]!.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
      const ours = line.replace('/30005', `/${theirs.beastOutPort}`).replace('HOST/30004', `${home.address}/${service.listenPort}`);
      expect(ours.split('/')).toHaveLength(line.split('/').length);
      // Those who read the page wait for five seconds, not for less.
      const child = spawn('bash', ['-c', ours.replace('sleep 5', 'sleep 0.1')], { detached: true, stdio: 'ignore' });
      const pass = { kill: () => process.kill(-child.pid!) };
      programs.push(pass);
      const sent = await squitter(['replay', traffic, '--to', `127.0.0.1:${theirs.beastPort}`]);
      expect(sent.code, sent.stderr).toBe(0);
      const headers = { host: new URL(service.url).host, origin: service.url, 'content-type': 'application/json' };
      const opened = await until(async () => {
        const response = await fetch(`${service.url}/feeders/open`, { method: 'POST', headers, body: '{}' });
        return response.ok ? ((await response.json()) as { key: string; health: { text: string } }) : null;
      }, 'the feeder can be claimed');
      expect(opened).toMatchObject({ key: expect.stringMatching(/^sqt_/), format: 'beast', connected: true });
      const { aircraft } = (await (await service.get('/data/aircraft.json')).json()) as { aircraft: Aircraft[] };
      expect(aircraft.length).toBeGreaterThan(15);
      expect(await service.stop()).toBe(0);
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
