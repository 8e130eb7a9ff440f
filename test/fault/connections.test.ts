// Clients that do not read, do not close, or are too many, against the real service with few descriptors: it keeps running, ingests, responds to others
// and stops in time. The tests assert bytes and counts, not times.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipelined, silentClient } from '../support/hostile-client.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 1200;
const DESCRIPTORS = 300;
const MIB = 1024 ** 2;

let service: RunningService;
let httpPort = 0;
const folder = temporaryFolder();
const clients: Socket[] = [];

beforeAll(async () => {
  service = await startService(folder.path, ['--simulate', String(AIRCRAFT)], {}, DESCRIPTORS);
  httpPort = Number(new URL(service.url).port);
  await until(async () => (await count('squitter_view_aircraft')) > 0.8 * AIRCRAFT);
});
afterAll(async () => {
  dropClients();
  await service?.kill();
  folder.remove();
});

function dropClients(): void {
  for (const client of clients.splice(0)) client.destroy();
}

/** Sum of a metric's samples with these labels. */
async function count(name: string, labels = ''): Promise<number> {
  const text = await (await service.get('/metrics')).text();
  const samples = text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)) && line.includes(labels));
  return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function residentBytes(): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]);
}

const listPaths = (from: number, length: number) => Array.from({ length }, (_, i) => `/v2/all?min_altitude=${from + i}`);

describe.skipIf(process.platform !== 'linux')('hostile clients', () => {
  it('a pipeline of large lists that is not read costs the memory of a few lists, and no other client waits', async () => {
    const before = residentBytes();
    let peak = before;
    clients.push(await silentClient(httpPort, { bytes: pipelined(listPaths(0, 800)) }));
    for (let i = 0; i < 12; i += 1) clients.push(await silentClient(httpPort, { bytes: pipelined(listPaths(1000 + 8 * i, 8)) }));
    for (let i = 0; i < 30; i += 1) {
      expect((await service.get('/v2/stats')).status).toBe(200);
      peak = Math.max(peak, residentBytes());
      await sleep(50);
    }
    expect(peak - before).toBeLessThan(100 * MIB);
    // Only what the sockets did not accept, not 800 lists.
    expect(await count('squitter_http_queued_bytes')).toBeLessThan(64 * MIB);
    dropClients();
    await until(async () => (await count('squitter_http_queued_bytes')) < MIB);
  });

  it('a pipeline that is read is complete and in order', async () => {
    const client = await silentClient(httpPort, { bytes: pipelined([...listPaths(0, 60), ...Array(300).fill('/v2/stats'), '/v2/signal']) });
    clients.push(client);
    let text = '';
    client.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    client.resume();
    await until(async () => text.includes('"percentiles"') || text.match(/HTTP\/1\.1 200/g)?.length === 361);
    const kinds = [...text.matchAll(/HTTP\/1\.1 (\d+) .*?\r\n\r\n\{(?:"now":[\d.]+,)?"(\w+)"/gs)].map(
      ([, status, member]) => `${status} ${member}`,
    );
    expect(kinds.slice(0, 360)).toEqual([...Array(60).fill('200 messages'), ...Array(300).fill('200 aircraft_count')]);
    dropClients();
  });

  it('a client that never closes its half is disconnected soon after its error', async () => {
    const before = await count('squitter_http_connections');
    for (let i = 0; i < 20; i += 1) clients.push(await silentClient(httpPort, { bytes: 'nonsense\r\n\r\n' }));
    await until(async () => (await count('squitter_http_ended_total', 'half_closed')) >= 20);
    await until(async () => (await count('squitter_http_connections')) <= before + 1, 'they are gone');
    dropClients();
  });

  it('500 idle HTTP connections and 500 silent feeders leave descriptors for the log, the ingest and other clients', async () => {
    for (let i = 0; i < 500; i += 1) clients.push(await silentClient(httpPort));
    for (let i = 0; i < 500; i += 1) clients.push(await silentClient(service.listenPort));
    // One address has a share of the places.
    await until(async () => (await count('squitter_ingest_rejected_total', 'reason="address_limit"')) > 400, 'feeders are refused');
    const frames = await count('squitter_ingest_frames_total');
    await until(async () => (await count('squitter_http_connections')) <= 160, 'HTTP connections are refused');
    expect(await count('process_open_fds')).toBeLessThan(DESCRIPTORS);
    expect((await service.get('/v2/stats')).status).toBe(200);
    await until(async () => (await count('squitter_ingest_frames_total')) > frames + 100);
    expect((await service.get('/readyz')).status).toBe(200);
    const refusals = service
      .output()
      .split('\n')
      .filter((line) => line.includes('was refused'));
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.length).toBeLessThan(25);
    dropClients();
  });

  it('stops in time despite clients that neither read nor close', async () => {
    clients.push(await silentClient(httpPort, { bytes: 'nonsense\r\n\r\n' }));
    clients.push(await silentClient(httpPort, { bytes: 'GET /v2/all HTTP/1.1\r\nHost:' }));
    clients.push(await silentClient(httpPort, { bytes: pipelined(listPaths(5000, 100)) }));
    await sleep(300);
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('service.stop_timeout');
    expect(service.output()).toContain('"msg":"stopped"');
  });
});
