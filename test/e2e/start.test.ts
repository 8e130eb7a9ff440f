// The service as a new user meets it: start, live aircraft, clean stop, resume; and one clear line for every wrong start.
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { IngestThreadData } from '../../infra/embedded/ingest-thread.ts';
import { startThread } from '../../infra/embedded/thread-host.ts';
import { endedSimulation } from '../../infra/services/simulation-start.ts';
import type { IngestStats } from '../../infra/services/stages/ingest-service.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { projectDir } from '../support/requirements.ts';
import { type RunningService, ServiceProgram, squitter, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const ingestThreadFile = pathToFileURL(join(projectDir, 'dist/infra/embedded/ingest-thread.js'));

describe('squitter start', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);

  it('shows simulated traffic, says so, stops cleanly and resumes; it is killed when something keeps it; its folder is its own, and is refused once damaged', async () => {
    const first = await startService(folder.path, ['--simulate', '40'], { SQUITTER_LISTEM: '127.0.0.1:30005' });
    expect(first.output()).toMatch(/simulated/i);
    // A misspelt variable is reported, as by the services of the cluster.
    expect(first.output()).toMatch(/"name":"SQUITTER_LISTEM","msg":"unknown environment variable"/);
    expect(first.output()).not.toMatch(/"name":"SQUITTER_(DATA|HTTP|LISTEN)"/);
    const all = async (service: RunningService) => (await service.json<{ ac?: { hex: string; lat?: number }[] }>('/v2/all')).ac ?? [];
    const listed = await until(async () => {
      const aircraft = await all(first);
      return aircraft.filter(({ lat }) => lat !== undefined).length >= 20 ? aircraft : undefined;
    }, 'aircraft with positions');
    // A second service does not get its folder.
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

  it('reports live when it is; a second signal ends it at once, without a crash of the thread of the streams', async () => {
    const data = temporaryFolder();
    const command = [process.execPath, squitterBin, 'start', '--data', data.path, ...freePortFlags, '--simulate', '5'];
    const service = new ServiceProgram(command);
    await service.match(/Squitter is live/);
    expect((await service.get('/v2/all')).status).toBe(200);
    // The addresses were printed before.
    expect(service.output()).toMatch(
      new RegExp(`^Squitter starts at +${service.url}/\n[^]*SIMULATED[^]*\nSquitter is live at +${service.url}/\n`, 'm'),
    );
    const reader = (await service.get('/v2/stream')).body!.getReader();
    expect((await reader.read()).done).toBe(false);
    void service.stop();
    await until(() => !service.running || service.output().includes('stopping:'), 'the first signal');
    // The stop takes a tenth of a second: on a slow machine it is over before the second signal.
    expect(['SIGTERM', 0], service.output()).toContain(await service.stop());
    await reader.cancel().catch(() => {});
    data.remove();
  });

  // It runs in a thread: the default simulation goes with the default port of feeders, which may be in use here.
  it('ends the simulation for good at the first feeder, and then says what to do', async () => {
    const data = temporaryFolder();
    const workerData: IngestThreadData = {
      ...{ dataDir: data.path, log: {}, listen: { host: '127.0.0.1', port: 0 }, listenFlag: '--listen' },
      ...{ connectionsMax: 10, connectionsPerAddressMax: 10, feeds: [], replayFile: null },
      ...{ simulatedAircraft: 5, simulationYields: true },
    };
    let stats: IngestStats | null = null;
    const lines: string[] = [];
    const line = (_: object, message: string) => void lines.push(message);
    const logger = { info: line, warn: line };
    const thread = await startThread<IngestStats>('ingest', ingestThreadFile, workerData, logger, (now) => (stats = now));
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

  it('names the flag when a port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const refused = async (flag: string): Promise<void> => {
      const args = [...freePortFlags, flag, `127.0.0.1:${port}`];
      const run = await squitter(['start', '--data', join(folder.path, `port${flag}`), ...args]);
      const line = `127.0.0.1:${port} is in use by another program: choose another with ${flag} [listen.port_in_use]\n`;
      expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^squitter: /m)]);
      expect(run.stderr.endsWith(line)).toBe(true);
    };
    await Promise.all(['--http', '--listen', '--push', '--sbs'].map(refused));
    server.close();
  });
});
