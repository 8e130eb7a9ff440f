// The outputs of the real service, read by programs of others and by ours: SBS-1 by `squitter verify`, Beast by dump1090 and by a second service.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../pipeline/tools/verify/report.ts';
import { documentationAddress } from '../support/documentation-address.ts';
import { debianProgram, dump1090, projectDir } from '../support/requirements.ts';
import { freePort, type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

const traffic = join(folder.path, 'traffic.beast');
beforeAll(async () => {
  // The frames of one receiver: Beast does not say which receiver a frame is from.
  const run = await squitter(['simulate', '--aircraft', '120', '--minutes', '0.25', '--seed', '5', '--receiver', '0', '--out', traffic]);
  expect(run.code, run.stderr).toBe(0);
});

const SLACK = ['--slack', '8000'];
const AT_SCHIPHOL = ['--receiver', '52.3,4.76'];

async function reportOf(args: readonly string[]): Promise<Report> {
  const run = await squitter(['verify', ...args, ...SLACK, '--json']);
  expect(run.stdout, run.stderr).toMatch(/^\{/);
  return JSON.parse(run.stdout) as Report;
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
  readonly sbsPort: number;
  aircraft(): Aircraft[];
}

const decoder = dump1090();
const home = documentationAddress(29);
afterAll(home.remove);
const programs: Pick<ChildProcess, 'kill'>[] = [];
afterAll(() => {
  for (const child of programs) child.kill();
});

async function startDump1090(): Promise<Decoder> {
  const [beastPort, beastOutPort, sbsPort] = [await freePort(), await freePort(), await freePort()];
  const json = temporaryFolder();
  const others = ['--net-ri-port', '0', '--net-ro-port', '0', '--net-bo-port', String(beastOutPort)];
  const ports = ['--net-bi-port', String(beastPort), '--net-sbs-port', String(sbsPort), ...others];
  const words = ['--net-only', '--quiet', '--net-bind-address', '127.0.0.1', ...ports, '--write-json', json.path];
  const child = spawn(decoder.path, words, { env: { ...process.env, TZ: 'UTC' } });
  programs.push(child);
  child.once('exit', json.remove);
  const aircraft = (): Aircraft[] =>
    (JSON.parse(readFileSync(join(json.path, 'aircraft.json'), 'utf8')) as { aircraft: Aircraft[] }).aircraft;
  const isListening = (): boolean => {
    try {
      return aircraft().length >= 0;
    } catch {
      return false;
    }
  };
  await until(isListening, 'dump1090 writes its first list');
  return { beastPort, beastOutPort, sbsPort, aircraft };
}

/** dump1090 does not connect by itself: passes on what one port sends to another, as `nc` does. */
function bridge(from: number, to: number): void {
  const [source, target] = [connect(from, '127.0.0.1'), connect(to, '127.0.0.1')];
  for (const socket of [source, target]) socket.on('error', () => {});
  source.pipe(target);
  target.resume();
}

// They wait for real time, not for the CPU.
const python = debianProgram('python3');

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

describe.concurrent('the outputs', () => {
  it(`SBS-1 and Beast have what the API has ${decoder.met ? '' : decoder.reason}`, async () => {
    const [sbsPort, beastPort] = [await freePort(), await freePort()];
    const service = await startService(join(folder.path, 'data'), ['--no-simulation', ...AT_SCHIPHOL, '--sbs', `127.0.0.1:${sbsPort}`], {
      SQUITTER_BEAST_OUT: `127.0.0.1:${beastPort}`,
    });
    expect(service.output()).toContain(`SBS-1 text              127.0.0.1:${sbsPort}`);
    const second = await startService(join(folder.path, 'second'), ['--feed', `127.0.0.1:${beastPort}`, ...AT_SCHIPHOL]);
    const theirs = decoder.met ? await startDump1090() : null;
    if (theirs !== null) bridge(beastPort, theirs.beastPort);
    const clients = decoder.met ? 2 : 1;
    const connected = new RegExp(`squitter_output_clients\\{output="beast"\\} ${clients}`);
    await until(async () => connected.test(await (await service.get('/metrics')).text()), 'the readers of Beast are connected');

    const example = python.met ? documentedExample(sbsPort, 10) : Promise.resolve([]);
    const where = ['--to', `127.0.0.1:${service.listenPort}`, '--positions', `127.0.0.1:${sbsPort}`];
    const report = await reportOf([traffic, ...where, ...AT_SCHIPHOL]);
    expect(report.cases.filter(({ reason }) => reason === null)).toEqual([]);
    expect(report.values.compared).toBeGreaterThan(500);
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
    if (theirs !== null) {
      const listed = theirs.aircraft().filter(({ messages }) => Number(messages) > 1);
      expect(listed.map(({ hex }) => hex).sort()).toEqual([...first.keys()].filter((hex) => !hex.startsWith('~')).sort());
      const altitudes = listed.filter((each) => typeof each['altitude'] === 'number');
      expect(altitudes.length).toBeGreaterThan(10);
      for (const each of altitudes) expect(first.get(String(each['hex']))).toMatchObject({ alt_baro: each['altitude'] });
      for (const each of listed.filter(({ flight }) => flight !== undefined))
        expect(String(first.get(String(each['hex']))!['flight']).trim()).toBe(String(each['flight']).trim());
    }
    for (const line of await example) {
      expect(line).toMatch(/^[0-9A-F]{6} \d+ -?\d+\.\d{6} -?\d+\.\d{6}$/);
      expect(first.has(line.slice(0, 6).toLowerCase())).toBe(true);
    }
    const metrics = await (await service.get('/metrics')).text();
    expect(metrics).toMatch(/squitter_output_dropped_bytes_total\{output="sbs",reason="behind"\} 0/);
    expect(metrics).toMatch(/squitter_output_bytes_total\{output="beast"\} \d{5}/);
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
