// Clients of HTTP, feeders and the tool server that do not read, do not close, send half a body, or are too many, against the real service with few
// descriptors: it keeps running, ingests, responds to others and stops in time. The tests assert bytes and counts, not times.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { pipelined, silentClient } from '../support/raw-web-socket.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 1200;
const DESCRIPTORS = 300;
/** Connections that HTTP may have of these descriptors. */
const HTTP_SHARE = 160;
/** Streams that fit: each takes two. */
const PUSH_SHARE = 26;
const MIB = 1024 ** 2;

let service: RunningService;
let httpPort = 0;
const folder = temporaryFolder();
const clients: Socket[] = [];

beforeAll(async () => {
  service = await startService(folder.path, ['--simulate', String(AIRCRAFT)], {}, DESCRIPTORS);
  httpPort = service.httpPort;
  await until(async () => (await count('squitter_view_aircraft_with_position')) > 0.8 * AIRCRAFT, 'aircraft with positions');
  // The SDK of the tool server is loaded.
  await callTool();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  if (service.child.exitCode === null) await until(async () => (await count('squitter_http_queued_bytes')) < MIB, 'the memory is free');
});
afterAll(async () => {
  await service?.kill();
  folder.remove();
});

const count = (name: string, labels: Record<string, string> = {}): Promise<number> => service.metric(name, labels);

/** Connects clients that never read a response. */
async function connectSilent(number: number, options: Parameters<typeof silentClient>[1] = {}, port = httpPort): Promise<void> {
  for (let i = 0; i < number; i += 1) clients.push(await silentClient(port, options));
}

/** Growth of the service's memory while another client makes these requests. */
async function growthDuring(requests: number, request: () => Promise<unknown>, before: number): Promise<number> {
  let peak = before;
  for (let i = 0; i < requests; i += 1) {
    await request();
    peak = Math.max(peak, service.residentBytes());
    await sleep(20);
  }
  return peak - before;
}

const listPaths = (from: number, length: number) => Array.from({ length }, (_, i) => `/v2/all?min_altitude=${from + i}`);

const nearby = (id: number, limit: number) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name: 'nearby_aircraft', arguments: { lat: 52, lon: 5, limit } },
});

async function callTool(): Promise<void> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(nearby(1, 3)) };
  const response = await fetch(`${service.url}/mcp`, request);
  const { result } = (await response.json()) as { result: { structuredContent: { aircraft: unknown[] } } };
  expect(result.structuredContent.aircraft).toHaveLength(3);
}

function toolRequest(body: string, length = body.length): string {
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Some 400 KB of response. */
const toolBatch = (): string =>
  toolRequest(JSON.stringify(Array.from({ length: limits.toolBatchMax }, (_, i) => nearby(i, limits.nearbyRecordsMax))));

describe.skipIf(process.platform !== 'linux')('hostile clients', () => {
  it('a pipeline of large lists that is not read costs the memory of a few lists, and no other client waits', async () => {
    const before = service.residentBytes();
    await connectSilent(1, { bytes: pipelined(listPaths(0, 800)) });
    for (let i = 0; i < 12; i += 1) await connectSilent(1, { bytes: pipelined(listPaths(1000 + 8 * i, 8)) });
    const request = async () => expect((await service.get('/v2/stats')).status).toBe(200);
    expect(await growthDuring(60, request, before)).toBeLessThan(100 * MIB);
    // Only what the sockets did not accept, not 800 lists.
    expect(await count('squitter_http_queued_bytes')).toBeLessThan(64 * MIB);
  });

  it('a pipeline that is read is complete and in order', async () => {
    await connectSilent(1, { bytes: pipelined([...listPaths(0, 60), ...Array(300).fill('/v2/stats'), '/v2/signal']) });
    let text = '';
    clients[0]!.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    clients[0]!.resume();
    await until(async () => text.includes('"percentiles"') || text.match(/HTTP\/1\.1 200/g)?.length === 361);
    const kinds = [...text.matchAll(/HTTP\/1\.1 (\d+) .*?\r\n\r\n\{(?:"now":[\d.]+,)?"(\w+)"/gs)].map(
      ([, status, member]) => `${status} ${member}`,
    );
    expect(kinds.slice(0, 360)).toEqual([...Array(60).fill('200 messages'), ...Array(300).fill('200 aircraft_count')]);
  });

  it('a client that never closes its half is disconnected soon after its error', async () => {
    const before = await count('squitter_http_connections');
    await connectSilent(20, { bytes: 'nonsense\r\n\r\n' });
    await until(async () => (await count('squitter_http_ended_total', { reason: 'half_closed' })) >= 20);
    await until(async () => (await count('squitter_http_connections')) <= before + 1, 'they are gone');
  });

  it('tool calls whose responses are not read, and bodies that never end, cost bounded memory, and no other client waits', async () => {
    const before = service.residentBytes();
    await connectSilent(60, { bytes: toolBatch().repeat(4) });
    expect(await growthDuring(20, callTool, before)).toBeLessThan(200 * MIB);
    expect(await count('squitter_http_queued_bytes')).toBeLessThan(limits.responseBytesMax + 8 * MIB);
    for (const client of clients.splice(0)) client.destroy();
    await until(async () => (await count('squitter_http_connections')) < HTTP_SHARE / 4, 'they are gone');
    const half = toolRequest(' '.repeat(limits.toolBodyBytesMax - 1000), limits.toolBodyBytesMax);
    await connectSilent(HTTP_SHARE / 2, { bytes: half });
    expect(await growthDuring(10, callTool, service.residentBytes())).toBeLessThan(80 * MIB);
  });

  it('500 idle HTTP connections, 500 silent feeders and 60 streams leave descriptors for the log, the ingest and other clients', async () => {
    await connectSilent(60, { bytes: 'GET /v2/stream HTTP/1.1\r\nHost: x\r\n\r\n' }, Number(service.push.split(':')[1]));
    await until(async () => (await count('squitter_push_refused_total', { code: '503' })) >= 60 - PUSH_SHARE, 'streams are refused');
    expect(await count('squitter_push_sockets')).toBe(PUSH_SHARE);
    await connectSilent(500);
    await connectSilent(500, {}, service.listenPort);
    // One address has a share of the places.
    await until(async () => (await count('squitter_ingest_rejected_total', { reason: 'address_limit' })) > 400, 'feeders are refused');
    const frames = await count('squitter_ingest_frames_total');
    await until(async () => (await count('squitter_http_connections')) <= HTTP_SHARE, 'HTTP connections are refused');
    expect(await count('process_open_fds')).toBeLessThan(DESCRIPTORS);
    expect((await service.get('/v2/stats')).status).toBe(200);
    await until(async () => (await count('squitter_ingest_frames_total')) > frames + 100);
    expect((await service.get('/readyz')).status).toBe(200);
  });

  it('stops in time despite clients that neither read nor close', async () => {
    await connectSilent(1, { bytes: 'nonsense\r\n\r\n' });
    await connectSilent(1, { bytes: 'GET /v2/all HTTP/1.1\r\nHost:' });
    await connectSilent(1, { bytes: pipelined(listPaths(5000, 100)) });
    await connectSilent(10, { bytes: toolBatch().repeat(2) });
    await sleep(300);
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('service.stop_timeout');
    expect(service.output()).toContain('"msg":"stopped"');
  });
});
