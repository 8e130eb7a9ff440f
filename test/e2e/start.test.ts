// The service as a new user meets it: start, live aircraft, clean stop, resume; and one clear line for every wrong start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { IngestThreadData } from '../../infra/embedded/ingest-thread.ts';
import { endedSimulation } from '../../infra/embedded/simulation.ts';
import { listenFlag } from '../../infra/embedded/start-options.ts';
import { startThread } from '../../infra/embedded/thread-host.ts';
import type { IngestStats } from '../../infra/services/ingest-service.ts';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { goldenData, projectDir } from '../support/requirements.ts';
import { freePort, squitter, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const ingestThreadFile = pathToFileURL(join(projectDir, 'dist/infra/embedded/ingest-thread.js'));

interface Aircraft extends Readonly<Record<string, unknown>> {
  readonly hex: string;
  readonly lat?: number;
  readonly messages: number;
}

const RECORDING_S = 8;

describe('squitter start', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);

  it('shows simulated traffic, says so, stops cleanly and resumes; it is killed when something keeps it; its folder is its own, and is refused once damaged', async () => {
    const first = await startService(folder.path, ['--simulate', '40'], { SQUITTER_LISTEM: '127.0.0.1:30005' });
    expect(first.output()).toMatch(/simulated/i);
    // A misspelt variable is reported, as by the services of the cluster.
    expect(first.output()).toMatch(/"name":"SQUITTER_LISTEM","msg":"unknown environment variable"/);
    expect(first.output()).not.toMatch(/"name":"SQUITTER_(DATA|HTTP|LISTEN)"/);
    const all = async (service: typeof first): Promise<Aircraft[]> =>
      ((await (await service.get('/v2/all')).json()) as { ac?: Aircraft[] }).ac ?? [];
    const listed = await until(async () => {
      const aircraft = await all(first);
      return aircraft.filter(({ lat }) => lat !== undefined).length >= 20 ? aircraft : undefined;
    }, 'aircraft with positions');
    // Nobody else gets its folder.
    const other = await squitter(['start', '--data', folder.path, ...freePortFlags]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^squitter: .*\[log\.in_use\]\n$/)]);
    expect(await first.stop(), first.output()).toBe(0);

    // This one is closed, but something keeps its process: it is killed, and says so.
    const timer = "import { isMainThread } from 'node:worker_threads'; if (isMainThread) setInterval(() => {}, 1000);";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(timer)}` };
    const second = await startService(folder.path, ['--no-simulation'], env);
    const resumed = await all(second);
    const hexes = new Set(resumed.map(({ hex }) => hex));
    expect(listed.filter(({ hex }) => hexes.has(hex)).length).toBeGreaterThan(listed.length / 2);
    expect(await second.stop()).toBe('SIGKILL');
    expect(second.output()).toMatch(/"msg":"stopped"[\s\S]*^squitter: .*\[service\.stop_timeout\]$/m);

    const audit = await squitter(['audit', '--data', folder.path]);
    expect(audit.stdout).toMatch(/^audit: equal/m);
    expect(audit.code).toBe(0);

    const store = join(folder.path, 'log/index/data.mdb');
    expect(statSync(store).size).toBeGreaterThan(65_536);
    writeFileSync(store, Buffer.alloc(65_536, 0x5a));
    const damaged = await squitter(['start', '--data', folder.path, ...freePortFlags]);
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringMatching(/^squitter: .*\[log\.damaged\]\n$/)]);
  });

  it('refuses an unknown variable where the environment is strict', async () => {
    const env = { SQUITTER_STRICT_ENVIRONMENT: 'true', SQUITTER_LISTEM: '127.0.0.1:30005' };
    const { code, stderr } = await squitter(['start', '--data', folder.path], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no variable SQUITTER_')]);
  });

  it('reports live when it is; a second signal ends it at once, without a crash of the thread of the streams', async () => {
    const data = temporaryFolder();
    const http = `127.0.0.1:${await freePort()}`;
    const args = ['start', '--data', data.path, ...freePortFlags, '--http', http, '--simulate', '5'];
    const child = spawn(process.execPath, [squitterBin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      let text = '';
      await new Promise<void>((resolve, reject) => {
        child.once('exit', reject);
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('Squitter is live')) resolve();
        });
      });
      expect((await fetch(`http://${http}/v2/all`)).status).toBe(200);
      // The addresses were printed before.
      expect(text).toMatch(
        new RegExp(`^\\nSquitter starts at +http://${http}/\n[^]*SIMULATED[^]*\nSquitter is live at +http://${http}/\n\n$`),
      );
      const reader = (await fetch(`http://${http}/v2/stream`)).body!.getReader();
      expect((await reader.read()).done).toBe(false);
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('stopping:')) child.kill('SIGTERM');
      });
      child.removeAllListeners('exit').kill('SIGTERM');
      const [code, signal] = await once(child, 'exit');
      // The stop takes a tenth of a second: on a slow machine it is over before the second signal.
      expect(['SIGTERM', 0], said).toContain(signal ?? code);
      await reader.cancel().catch(() => {});
    } finally {
      child.kill('SIGKILL');
      data.remove();
    }
  });

  it('prints the flags for another feeder port that keep the simulation unchanged', () => {
    expect(listenFlag(null, 500)).toBe('--listen HOST:PORT --simulate 500');
    expect(listenFlag(null, 0)).toBe('--listen');
    expect(listenFlag(endpoint('127.0.0.1', 1), 500)).toBe('--listen');
  });

  // In a thread: the simulation that nobody requested goes with the default port of feeders, which a test cannot count on.
  it('ends the simulation for good at the first feeder, and then says what to do', async () => {
    const data = temporaryFolder();
    const workerData: IngestThreadData = {
      ...{ dataDir: data.path, log: {}, listen: { host: '127.0.0.1', port: 0 }, listenFlag: '--listen' },
      ...{ connectionsMax: 10, connectionsPerAddressMax: 10, feeds: [], replayFile: null },
      ...{ simulatedAircraft: 5, simulationYields: true },
    };
    let stats: IngestStats | null = null;
    const lines: string[] = [];
    const thread = await startThread<IngestStats>('ingest', ingestThreadFile, workerData, {
      onStats: (now) => (stats = now),
      onLog: (_level, _fields, message) => lines.push(message),
    });
    const advice = () => endedSimulation(workerData.simulatedAircraft, stats);
    await until(() => stats?.simulatedAircraft === 5, 'the simulation');
    expect(advice()).toBeNull();
    const feeder = connect(Number(thread.info['listen']!.split(':')[1]), '127.0.0.1');
    feeder.write('*8D4840D6202CC371C32CE0576098;\n*8D4840D6202CC371C32CE0576098;\n');
    await until(() => stats?.simulatedAircraft === 0, 'its end');
    expect(advice()).toBeNull();
    feeder.destroy();
    await until(() => advice() !== null, 'advice');
    expect(advice()).toMatch(/the simulation ended when a feeder connected.*--simulate 5 .*--feed HOST:PORT/);
    expect(lines).toContain('a feeder connected: the simulation ends, and does not begin again');
    await thread.stop();
    data.remove();
  });

  it('serves the same aircraft for a real recording over TCP as a fold of the file', async () => {
    const data = temporaryFolder();
    const file = beginning(goldenData('frames', 'rs1090_short_flights.csv').path, data.path);
    const service = await startService(join(data.path, 'data'), ['--no-simulation']);
    // The replay waits most of its time.
    const [replay, fold] = await Promise.all([
      squitter(['replay', file, '--to', `127.0.0.1:${service.listenPort}`, '--speed', '1']),
      squitter(['fold', file, '--emit', 'end']),
    ]);
    expect(replay.code, replay.stderr).toBe(0);
    const expected = fold.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Aircraft);
    const total = expected.reduce((sum, { messages }) => sum + messages, 0);
    const served = await until(async () => {
      const { messages } = (await (await service.get('/v2/stats')).json()) as { messages: number };
      if (messages < total) return undefined;
      return ((await (await service.get('/data/aircraft.json')).json()) as { aircraft: Aircraft[] }).aircraft;
    }, 'all messages');
    const same = [
      'hex',
      'type',
      'messages',
      'flight',
      'category',
      'squawk',
      'version',
      'lat',
      'lon',
      'nic',
      'rc',
      'alt_baro',
      'gs',
      'track',
    ] as const;
    const pick = (aircraft: Aircraft): unknown => Object.fromEntries(same.map((name) => [name, aircraft[name]]));
    const byHex = (aircraft: readonly Aircraft[]): unknown[] => [...aircraft].sort((x, y) => (x.hex < y.hex ? -1 : 1)).map(pick);
    // Listed: with a position, or with two messages, one of them within 60 s.
    const listed = expected.filter(({ lat, messages, seen }) => lat !== undefined || (messages >= 2 && Number(seen) < 55));
    expect(listed.length).toBeGreaterThan(5);
    expect(byHex(served)).toEqual(byHex(listed));
    expect(await service.stop()).toBe(0);
    data.remove();
  });
});

/** The first seconds of a recording, whose frames come at their own pace. */
function beginning(recording: string, folder: string): string {
  const rows = readFileSync(recording, 'utf8').trim().split('\n');
  const timeOf = (row: string): number => Number(row.split(',')[0]);
  const isFrame = (row: string): boolean => !Number.isNaN(timeOf(row));
  const first = timeOf(rows.find(isFrame)!);
  const file = join(folder, 'beginning.csv');
  writeFileSync(file, `${rows.filter((row) => !isFrame(row) || timeOf(row) < first + RECORDING_S).join('\n')}\n`);
  return file;
}

describe('wrong starts', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  const oneLine = (stderr: string): void => {
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stderr).toMatch(/^squitter: /m);
  };

  it('names the flag when a port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const refused = async (flag: string): Promise<void> => {
      const args = [...freePortFlags, flag, `127.0.0.1:${port}`];
      const run = await squitter(['start', '--data', join(folder.path, `port${flag}`), ...args]);
      expect(run.code, run.stderr).toBe(1);
      oneLine(run.stderr);
      expect(run.stderr).toContain(`127.0.0.1:${port} is in use by another program: choose another with ${flag} [listen.port_in_use]`);
    };
    await Promise.all(['--http', '--listen', '--push', '--sbs'].map(refused));
    server.close();
  });

  it('refuses a data folder that cannot be written', async () => {
    const file = join(folder.path, 'a-file');
    writeFileSync(file, 'not a folder');
    const run = await squitter(['start', '--data', join(file, 'data'), ...freePortFlags]);
    expect(run.code, run.stderr).toBe(1);
    oneLine(run.stderr);
    expect(run.stderr).toContain('log.not_writable');
  });

  it.each([
    [['start', '--htpp', '127.0.0.1:1'], '--htpp'],
    [['start', '--http', 'nowhere'], '--http'],
    [['start', '--simulate', 'many'], '--simulate'],
    [['decode'], 'FILE'],
    [['fly'], 'fly'],
    [['tail', 'nothing'], 'nothing'],
  ])('reports wrong usage in one line without a stack: %j', async (args, named) => {
    const run = await squitter(args as string[]);
    expect(run.code, run.stderr).toBe((args as string[])[0] === 'tail' ? 1 : 2);
    oneLine(run.stderr);
    expect(run.stderr).toContain(named);
  });
});
