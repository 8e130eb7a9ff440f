// `npm run cluster` from the command line: it ends by itself with the verdict of an audit as its exit status.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { historyEngine } from '../support/history-store.ts';
import { describeWithKafka } from '../support/kafka.ts';
import { freePort, squitter, temporaryFolder } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';

const engine = historyEngine();

describeWithKafka(
  'squitter cluster',
  () => {
    const folder = temporaryFolder();
    afterAll(folder.remove);

    it('runs everything for a while, under simulated traffic, and proves it', { timeout: 240_000 }, async () => {
      const http = `127.0.0.1:${await freePort()}`;
      // Variables meant for services must not affect them.
      const env = { SQUITTER_KAFKA_TLS: 'true', SQUITTER_NO_HISTORY: engine.met ? '' : '1' };
      const running = squitter(['cluster', '--data', folder.path, '--http', http, '--simulate', '100', '--for', '12'], { env });
      // Streams at the public address, until the push services stop.
      const subscriber = new StreamClient({ addresses: [http], path: '/ws/', follow: true });
      let shown: { aircraft_count?: number; simulated?: boolean } = {};
      let stored: { positions?: number } = {};
      let index: { days?: unknown[] } = {};
      const look = async (): Promise<void> => {
        const ask = async <T>(path: string, before: T): Promise<T> => {
          const response = await fetch(`http://${http}${path}`).catch(() => null);
          return response?.ok === true ? ((await response.json()) as T) : before;
        };
        shown = await ask('/v2/stats', shown);
        if (!engine.met) return;
        stored = await ask('/v2/area/density?min_lat=-90&max_lat=90&min_lon=-180&max_lon=180&cell=5', stored);
        index = await ask('/bulk/index.json', index);
      };
      const looking = setInterval(look, 500);
      const { code, stdout, stderr } = await running;
      clearInterval(looking);
      subscriber.close();
      const lines = stdout.trim().split('\n');
      expect(lines.at(-1), `${stdout}\n${stderr}`).toMatch(/^audit: equal: [1-9]\d+ frames, [1-9]\d* positions, 12 partitions$/);
      expect(code).toBe(0);
      for (const what of ['starting Kafka', 'starting Redis', 'starting the schema registry', 'waiting until every process is ready'])
        expect(lines).toContain(what);
      expect(stderr).not.toContain('MaxListenersExceededWarning');
      for (const name of [
        'kafka',
        'registry',
        'redis',
        'ingest-1',
        'ingest-2',
        'fold-1',
        'fold-2',
        'flights-1',
        'query-api-1',
        'query-api-2',
        'push-1',
        'push-2',
        ...(engine.met ? ['history', 'project-1', 'export-1'] : []),
      ])
        expect(stdout).toMatch(new RegExp(`^  ${name} +process \\d+ `, 'm'));
      if (engine.met) {
        // Positions are in the store, and the folder of the daily files is served.
        expect(stored.positions).toBeGreaterThan(0);
        expect(index.days).toEqual([]);
      } else expect(stdout).toContain('no history (--no-history)');
      expect(lines.filter((line) => /^\d\d:\d\d:\d\d {2}in [\d,]+\/s {2}folded [\d,]+\/s {2}lag /.test(line)).length).toBeGreaterThan(5);
      expect(shown).toMatchObject({ simulated: true });
      expect(shown.aircraft_count).toBeGreaterThan(50);
      expect(subscriber.of('full')).not.toEqual([]);
      expect(subscriber.ends).toContain(1001);
      expect(subscriber.state!.aircraft.size).toBeGreaterThan(50);
      expect(stdout).toMatch(/ subscribers 1 /);
      expect(readdirSync(join(folder.path, 'logs'))).toContain('fold-2.log');
    });

    it('reports in one line what is missing', async () => {
      const { code, stdout, stderr } = await squitter(['cluster', '--data', join(folder.path, 'other')], { env: { PATH: '/nowhere' } });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^squitter: .*java.*mvn.*redis-server.* \[local\.missing_program\]\n$/);
      expect(stdout).not.toContain('audit');
    });
  },
  'redis-server',
);
