// Clients of the tool server that read nothing, send half a body, or send bodies that are refused, against the real service: its memory stays bounded,
// and other clients get their responses. The tests assert bytes and counts, not times.
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { silentClient } from '../support/hostile-client.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 600;
const MIB = 1024 ** 2;

let service: RunningService;
let httpPort = 0;
const folder = temporaryFolder();
const clients: Socket[] = [];

beforeAll(async () => {
  service = await startService(folder.path, ['--simulate', String(AIRCRAFT)]);
  httpPort = Number(new URL(service.url).port);
  await until(async () => (await count('squitter_view_aircraft_with_position')) > 0.8 * AIRCRAFT);
  // The SDK is loaded.
  await callOf(1);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});
afterAll(async () => {
  await service?.kill();
  folder.remove();
});

const near = (id: number) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name: 'nearby_aircraft', arguments: { lat: 52, lon: 5, limit: limits.nearbyRecordsMax } },
});

/** A whole request: some 400 KB of response. */
function batchRequest(): string {
  return requestOf(JSON.stringify(Array.from({ length: limits.toolBatchMax }, (_, i) => near(i))));
}

function requestOf(body: string, length = body.length): string {
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

async function callOf(aircraft: number): Promise<void> {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...near(1), params: { name: 'nearby_aircraft', arguments: { lat: 52, lon: 5, limit: aircraft } } }),
  });
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as { result: { structuredContent: { aircraft: unknown[] } } };
  expect(result.structuredContent.aircraft).toHaveLength(aircraft);
}

async function count(name: string): Promise<number> {
  const text = await (await service.get('/metrics')).text();
  const samples = text.split('\n').filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)));
  return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function residentBytes(): number {
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]);
}

/** Calls of another client during an attack, and the growth of memory meanwhile. */
async function growthDuring(calls: number, before: number): Promise<number> {
  let peak = before;
  for (let i = 0; i < calls; i += 1) {
    await callOf(3);
    peak = Math.max(peak, residentBytes());
  }
  return peak - before;
}

describe.skipIf(process.platform !== 'linux')('attacks on the tool server', () => {
  it('clients that read nothing cost bounded memory: beyond it others are asked to wait, and the silent ones are ended', async () => {
    const before = residentBytes();
    const request = batchRequest();
    for (let i = 0; i < 60; i += 1) clients.push(await silentClient(httpPort, { bytes: request.repeat(4) }));
    expect(await growthDuring(20, before)).toBeLessThan(200 * MIB);
    expect(await count('squitter_http_queued_bytes')).toBeLessThan(limits.responseBytesMax + 8 * MIB);
    for (const client of clients.splice(0)) client.destroy();
    await until(async () => (await count('squitter_http_queued_bytes')) < MIB);
  });

  it('bodies that never end cost their bytes, and no other client waits', async () => {
    const before = residentBytes();
    const half = requestOf(' '.repeat(limits.toolBodyBytesMax - 1000), limits.toolBodyBytesMax);
    for (let i = 0; i < 300; i += 1) clients.push(await silentClient(httpPort, { bytes: half }));
    expect(await growthDuring(10, before)).toBeLessThan(80 * MIB);
  });

  it('callers that are not admitted do not get as far as their body', async () => {
    const before = await count('squitter_http_requests_total{route="/mcp",status="401"}');
    const body = requestOf(' '.repeat(1000), limits.toolBodyBytesMax).replace('Host:', 'X-Forwarded-For: 192.0.2.1\r\nHost:');
    for (let i = 0; i < 100; i += 1) clients.push(await silentClient(httpPort, { bytes: body }));
    await until(
      async () => (await count('squitter_http_requests_total{route="/mcp",status="401"}')) >= before + 100,
      'a 401 for each',
      45_000,
    );
    await callOf(3);
  });

  it('the service still stops in time, with clients that read nothing', async () => {
    const request = batchRequest();
    for (let i = 0; i < 10; i += 1) clients.push(await silentClient(httpPort, { bytes: request.repeat(2) }));
    expect(await service.stop()).toBe(0);
  });
});
