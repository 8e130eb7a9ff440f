// The service as a new user meets it: start, live aircraft, clean stop, resume; and one clear line for every wrong start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listenFlag } from '../../infra/embedded/start-command.ts';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { goldenData } from '../support/requirements.ts';
import { freePort, squitter, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Aircraft extends Readonly<Record<string, unknown>> {
  readonly hex: string;
  readonly lat?: number;
  readonly messages: number;
}

describe('squitter start', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);

  it('shows simulated traffic within 20 s, says so, stops cleanly and resumes', { timeout: 90_000 }, async () => {
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
    expect(await first.stop(), first.output()).toBe(0);

    const second = await startService(folder.path, ['--no-simulation']);
    const resumed = await all(second);
    const hexes = new Set(resumed.map(({ hex }) => hex));
    expect(listed.filter(({ hex }) => hexes.has(hex)).length).toBeGreaterThan(listed.length / 2);
    expect(await second.stop()).toBe(0);

    const audit = await squitter(['audit', '--data', folder.path]);
    expect(audit.stdout).toMatch(/^audit: equal/m);
    expect(audit.code).toBe(0);
  });

  it('refuses an unknown variable where the environment is strict', async () => {
    const env = { SQUITTER_STRICT_ENVIRONMENT: 'true', SQUITTER_LISTEM: '127.0.0.1:30005' };
    const { code, stderr } = await squitter(['start', '--data', folder.path], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no variable SQUITTER_')]);
  });

  it('reports live when it is: the list responds at that moment, and the addresses were printed before', {
    timeout: 60_000,
  }, async () => {
    const data = temporaryFolder();
    const http = `127.0.0.1:${await freePort()}`;
    const args = ['start', '--data', data.path, ...freePortFlags, '--http', http, '--simulate', '5'];
    const child = spawn(process.execPath, [squitterBin, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
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
      expect(text).toMatch(
        new RegExp(`^\\nSquitter starts at +http://${http}/\n[^]*SIMULATED[^]*\nSquitter is live at +http://${http}/\n\n$`),
      );
    } finally {
      child.removeAllListeners('exit').kill('SIGTERM');
      await once(child, 'exit');
      data.remove();
    }
  });

  it('is ended by a second signal at once, without a crash of the thread of the streams', { timeout: 60_000 }, async () => {
    const data = temporaryFolder();
    const { child, get, output } = await startService(data.path, ['--simulate', '5']);
    const { body } = await get('/v2/stream');
    const reader = body!.getReader();
    expect((await reader.read()).done).toBe(false);
    const ended = once(child, 'exit');
    child.stderr!.on('data', () => {
      if (output().includes('stopping:')) child.kill('SIGTERM');
    });
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    // The stop takes a tenth of a second: on a slow machine it is over before the second signal.
    expect(['SIGTERM', 0], output()).toContain(signal ?? code);
    await reader.cancel().catch(() => {});
    data.remove();
  });

  it('prints the flags for another feeder port that keep the simulation unchanged', () => {
    expect(listenFlag(null, 500)).toBe('--listen HOST:PORT --simulate 500');
    expect(listenFlag(null, 0)).toBe('--listen');
    expect(listenFlag(endpoint('127.0.0.1', 1), 500)).toBe('--listen');
  });

  const shared = goldenData('frames', 'rs1090_short_flights.csv');
  it.skipIf(!shared.met)(
    `serves the same aircraft for a real recording over TCP as a fold of the file ${shared.met ? '' : shared.reason}`,
    { timeout: 150_000 },
    async () => {
      const data = temporaryFolder();
      const service = await startService(data.path, ['--no-simulation']);
      const replay = await squitter(['replay', shared.path, '--to', `127.0.0.1:${service.listenPort}`, '--speed', '1']);
      expect(replay.code, replay.stderr).toBe(0);
      const fold = await squitter(['fold', shared.path, '--emit', 'end']);
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
    },
  );
});

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
    for (const flag of ['--http', '--listen', '--push', '--grpc']) {
      const ports = {
        '--http': await freePort(),
        '--listen': await freePort(),
        '--push': await freePort(),
        '--grpc': await freePort(),
        [flag]: port,
      };
      const args = Object.entries(ports).flatMap(([name, value]) => [name, `127.0.0.1:${value}`]);
      const run = await squitter(['start', '--data', join(folder.path, `port${flag}`), ...args]);
      expect(run.code, run.stderr).toBe(1);
      oneLine(run.stderr);
      expect(run.stderr).toContain(flag);
      expect(run.stderr).toContain('listen.port_in_use');
    }
    server.close();
  });

  it('refuses a data folder that another service uses', async () => {
    const service = await startService(join(folder.path, 'used'), ['--no-simulation']);
    const run = await squitter(['start', '--data', join(folder.path, 'used'), ...freePortFlags]);
    expect(run.code, run.stderr).toBe(1);
    oneLine(run.stderr);
    expect(run.stderr).toContain('log.in_use');
    expect(await service.stop()).toBe(0);
  });

  it('refuses a data folder that cannot be written', async () => {
    const file = join(folder.path, 'a-file');
    writeFileSync(file, 'not a folder');
    const run = await squitter(['start', '--data', join(file, 'data'), ...freePortFlags]);
    expect(run.code, run.stderr).toBe(1);
    oneLine(run.stderr);
    expect(run.stderr).toContain('log.not_writable');
  });

  it('refuses a damaged log', async () => {
    const path = join(folder.path, 'damaged');
    const service = await startService(path, ['--no-simulation']);
    await service.stop();
    const { readdirSync, statSync } = await import('node:fs');
    const store = readdirSync(path, { recursive: true, encoding: 'utf8' })
      .map((name) => join(path, name))
      .filter((name) => statSync(name).isFile() && name.endsWith('.mdb'))
      .sort((a, b) => statSync(b).size - statSync(a).size)[0]!;
    mkdirSync(path, { recursive: true });
    writeFileSync(store, Buffer.alloc(65_536, 0x5a));
    const run = await squitter(['start', '--data', path, ...freePortFlags]);
    expect(run.code, run.stderr).toBe(1);
    oneLine(run.stderr);
    expect(run.stderr).toContain('log.damaged');
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

  it('shows help with examples for every command', async () => {
    const { commandLoaders } = await import('../../infra/cli/commands.ts');
    for (const name of Object.keys(commandLoaders)) {
      const run = await squitter([name, '--help']);
      expect(run.code).toBe(0);
      expect(run.stdout).toMatch(/Examples:\n {2}squitter /);
    }
  });
});
