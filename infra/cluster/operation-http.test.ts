// The endpoints that supervisors and Prometheus request.
import { Counter, Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { type OperationHttp, startOperationHttp } from './operation-http.ts';

const logger = { info: () => undefined };
let http: OperationHttp;
afterEach(() => http.close());

it('is healthy from the start, ready when no check fails, and exports its metrics', async () => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
  let isConnected = false;
  let warning: string | null = null;
  const readiness = new Readiness().require('log', () => (isConnected ? null : 'connecting')).warn('clock', () => warning);
  http = await startOperationHttp({ http: endpoint('127.0.0.1', 0), registry, readiness, logger });
  const get = (path: string, init: RequestInit = {}) => fetch(`http://${http.address}${path}`, init);

  expect((await get('/healthz')).status).toBe(200);
  const early = await get('/readyz');
  expect([early.status, await early.json()]).toEqual([503, { status: 'not ready', reasons: ['connecting'] }]);
  isConnected = true;
  expect((await get('/readyz?verbose=1')).status).toBe(200);
  warning = 'the clock is wrong';
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready', warnings: ['the clock is wrong'] });
  expect(await (await get('/metrics')).text()).toContain('things_total 3');
  expect((await get('/elsewhere')).status).toBe(404);
  expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  const taken = endpoint('127.0.0.1', Number(http.address.split(':')[1]));
  const second = startOperationHttp({ registry, readiness, logger, http: taken });
  await expect(second).rejects.toMatchObject({ code: 'listen.port_in_use', details: { flag: '--http' } });
});
