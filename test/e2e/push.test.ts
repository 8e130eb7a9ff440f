// Streams of the real service, with either transport and on both ports: pages of other origins, and tokens that reach no log. What streams show:
// push-clients.test.ts, and push/hub. Their share of few descriptors: test/fault/connections.test.ts.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { transports } from '../support/transports.ts';

const SECRET = 'sqt-very-secret-token';

describe.each(transports)('streams through %s', (prefer) => {
  const folder = temporaryFolder();
  let service: RunningService;
  let ports: string[];
  beforeAll(async () => {
    service = await startService(folder.path, ['--simulate', '60', '--push-tick', '1', '--push-transport', prefer]);
    ports = [new URL(service.url).host, service.push];
    expect(service.output()).toContain(`push port               ${service.push}, ${prefer === 'uws' ? 'uWebSockets.js' : 'ws'}`);
  });
  afterAll(async () => {
    await service.kill();
    folder.remove();
  });

  it('pages of other origins may read streams and refusals', async () => {
    for (const port of ports) {
      const refused = await fetch(`http://${port}/v2/stream?nonsense=1`);
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, '*']);
      const wanted = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization,x-squitter-page' };
      const { ok, headers } = await fetch(`http://${port}/v2/stream`, {
        method: 'OPTIONS',
        headers: { origin: 'https://example.org', ...wanted },
      });
      const allowed = ['origin', 'headers'].map((name) => headers.get(`access-control-allow-${name}`));
      expect([ok, ...allowed]).toEqual([true, '*', 'authorization']);
    }
  });

  it('tokens reach no response, log line and metric, whatever happens to the request', async () => {
    const authorization = `Bearer ${SECRET}`;
    /** Status and body of a refusal. */
    const refusal = async (url: string, protocols: string[] = [], headers = {}): Promise<readonly [number, string]> => {
      const socket = new WebSocket(url, protocols, { headers }).on('error', () => {});
      const [, response] = await once(socket, 'unexpected-response');
      return [response.statusCode, String(Buffer.concat(await response.toArray()))];
    };
    for (const port of ports) {
      const seen = [await refusal(`ws://${port}/ws/?token=${SECRET}&nonsense=1`), await refusal(`ws://${port}/v2/nowhere?token=${SECRET}`)];
      const named = await refusal(`ws://${port}/v2/ws`, ['aircraft.v2.json', `token.${SECRET}`], { authorization });
      // After ten wrong keys in a minute, 429.
      expect([401, 429]).toContain(named[0]);
      expect(JSON.stringify([...seen, named])).not.toContain(SECRET);
      for (const path of [`/v2/stream?token=${SECRET}&nonsense=1`, `/v2/all?token=${SECRET}`, `/v2/stream/snapshot?token=${SECRET}&lat=x`])
        await (await fetch(`http://${port}${path}`, { headers: { authorization } })).arrayBuffer();
    }
    expect(await service.textOf('/metrics')).not.toContain(SECRET);
    expect(service.output()).not.toContain(SECRET);
  });
});
