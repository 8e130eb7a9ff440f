// `npm run cluster` from the command line: every service runs, with the metrics of METRICS.md, and the run ends with the verdict of an audit.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ServiceName, serviceNames } from '../../infra/cluster/configuration.ts';
import { historyEngine } from '../support/history-store.ts';
import { describeWithKafka } from '../support/kafka.ts';
import { expectDocumented } from '../support/metrics.ts';
import { clusterBin, freePort, squitter, temporaryFolder } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';

const engine = historyEngine();
const isServedBy = (name: ServiceName, services: string): boolean =>
  services.startsWith('every service') || services.replace(' of the cluster', '').split(', ').includes(name);

const needsStore: ReadonlySet<ServiceName> = new Set(['project', 'export']);

/** Status lines with traffic: one a second, and fewer on a busy machine. */
const STATUS_LINES = 2;

/** Push ticks every 10 s. After this time the last tick has every aircraft. */
const RUN_S = 14;

const LOG_CHARACTERS = 1500;

describeWithKafka(
  'npm run cluster',
  () => {
    const folder = temporaryFolder();
    afterAll(folder.remove);

    /** The end of each process's log. */
    const logs = (): string => {
      const dir = join(folder.path, 'logs');
      return readdirSync(dir)
        .map((name) => `${name}\n${readFileSync(join(dir, name), 'utf8').slice(-LOG_CHARACTERS)}`)
        .join('\n');
    };

    it('runs everything for a while, under simulated traffic, and proves it', { timeout: 480_000 }, async () => {
      const http = `127.0.0.1:${await freePort()}`;
      // Variables meant for services must not affect them.
      const env = { SQUITTER_KAFKA_TLS: 'true', SQUITTER_NO_HISTORY: engine.met ? '' : '1' };
      /** Responses of `/metrics`, by service, after a few seconds of traffic. */
      const metrics = new Map<ServiceName, string>();
      let isAsked = false;
      const onOutput = (printedSoFar: string): void => {
        if (isAsked || printedSoFar.split('subscribers').length <= STATUS_LINES) return;
        isAsked = true;
        for (const [, name, url] of printedSoFar.matchAll(/^ {2}(\S+)-1 +process \d+ +(http:[^\s,]+)/gm))
          void fetch(`${url}/metrics`).then(async (response) => metrics.set(name as ServiceName, await response.text()));
      };
      // Other suites run several of each. Two folds stay, because they divide the partitions.
      const few = ['--ingests', '1', '--query-apis', '1', '--pushes', '1'];
      const args = ['--data', folder.path, '--http', http, '--simulate', '100', '--for', String(RUN_S), ...few];
      const running = squitter(args, { program: clusterBin, env, onOutput });
      // Streams at the public address, until the push services stop.
      const subscriber = new StreamClient('plain', () => [http]);
      /** Newest responses, by path, until the command ends. */
      const bodies = new Map<string, unknown>();
      let isOver = false;
      const poll = async (path: string): Promise<void> => {
        while (!isOver) {
          const response = await fetch(`http://${http}${path}`).catch(() => null);
          if (response?.ok) bodies.set(path, await response.json().catch(() => null));
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      };
      const density = '/v2/area/density?min_lat=-90&max_lat=90&min_lon=-180&max_lon=180&cell=5';
      for (const path of ['/v2/stats', ...(engine.met ? [density, '/bulk/index.json'] : [])]) void poll(path);
      const { code, stdout, stderr } = await running;
      isOver = true;
      subscriber.close();
      const lines = stdout.trim().split('\n');
      const printed = `${stdout}\n${stderr}\n${logs()}`;
      expect(lines.at(-1), printed).toMatch(/^audit: equal: [1-9]\d+ frames, [1-9]\d* positions, 12 partitions$/);
      expect(code, printed).toBe(0);
      expect(stderr).not.toContain('MaxListenersExceededWarning');
      const services = ['ingest-1', 'fold-1', 'fold-2', 'flights-1', 'query-api-1', 'push-1'];
      for (const name of ['kafka', 'registry', 'redis', ...services, ...(engine.met ? ['history', 'project-1', 'export-1'] : [])])
        expect(stdout).toMatch(new RegExp(`^  ${name} +process \\d+ `, 'm'));
      // The store responds, and the folder of the daily files is served. What the store has: cluster-history.test.ts.
      if (engine.met) {
        expect(bodies.get(density)).toMatchObject({ positions: expect.any(Number) });
        expect(bodies.get('/bulk/index.json')).toMatchObject({ days: [] });
      } else expect(stdout).toContain('no history (--no-history)');
      expect(lines.filter((line) => /^\d\d:\d\d:\d\d {2}in [\d,]+\/s {2}folded [\d,]+\/s {2}lag /.test(line)).length).toBeGreaterThan(
        STATUS_LINES,
      );
      const shown = bodies.get('/v2/stats') as { aircraft_count: number };
      expect([shown.aircraft_count > 50, shown]).toMatchObject([true, { simulated: true }]);
      expect([...metrics.keys()].sort()).toEqual(serviceNames.filter((name) => engine.met || !needsStore.has(name)).sort());
      for (const [service, text] of metrics) expectDocumented(service, text, (services) => isServedBy(service, services));
      expect(subscriber.framesOf('full')).not.toEqual([]);
      expect(subscriber.ends).toContain(1001);
      expect(subscriber.state!.aircraft.size).toBeGreaterThan(50);
      expect(stdout).toMatch(/ subscribers 1 /);
      expect(readdirSync(join(folder.path, 'logs'))).toContain('fold-2.log');
    });
  },
  'redis-server',
);
