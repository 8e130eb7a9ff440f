// The gRPC port of the real service with a client of others: grpcio (Python) calls every operation, learns the service by reflection and reads errors
// with their details. And 1,000 idle connections, with few descriptors.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordClient } from '../support/grpc.ts';
import { pythonPackages } from '../support/python.ts';
import { freePort, type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const AIRCRAFT = 40;
const CONNECTIONS = 1200;
const python = pythonPackages();

const folder = temporaryFolder();
let service: RunningService;
let address: string;
let hex: string;

beforeAll(async () => {
  address = `127.0.0.1:${await freePort()}`;
  service = await startService(folder.path, ['--simulate', String(AIRCRAFT), '--push-tick', '1', '--grpc', address]);
  hex = await until(async () => {
    const { ac } = (await (await service.get('/v2/all')).json()) as { ac: { hex: string; lat?: number }[] };
    return ac.find(({ lat }) => lat !== undefined)?.hex;
  });
});
afterAll(async () => {
  await service?.kill();
  folder.remove();
});

test.skipIf(!python.met)(`grpcio calls every operation by reflection alone, and reads details ${python.reason}`, async () => {
  const { stdout } = await run(python.path, [join(import.meta.dirname, '../support/grpc-client.py'), address, hex]);
  expect(JSON.parse(stdout)).toMatchObject({
    services: ['grpc.health.v1.Health', 'v1.AircraftService'],
    found: hex,
    nearest: [expect.any(String)],
    compressed: [expect.any(String)],
    total: expect.any(Number),
    complete: [true, false],
    health: 'SERVING',
    wrong: {
      code: 'INVALID_ARGUMENT',
      details: [
        { ErrorInfo: { reason: 'BAD_VALUE', domain: 'squitter' } },
        { BadRequest: { fieldViolations: [{ field: 'hex', description: expect.stringContaining('6 hex digits') }] } },
      ],
    },
    unknown: { code: 'NOT_FOUND', details: [{ ErrorInfo: { reason: 'UNKNOWN_AIRCRAFT', domain: 'squitter' } }] },
  });
});

test.skipIf(process.platform !== 'linux')('more idle connections than there may be: bounded memory, and others are served', async () => {
  const residentBytes = (): number => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]);
  const before = residentBytes();
  const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]);
  const [host, port] = address.split(':') as [string, string];
  const sockets: Socket[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const socket = connect(Number(port), host, () => socket.write(preface));
    sockets.push(socket.on('error', () => {}).resume());
    if (n % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^squitter_grpc_${name} (\\d+)$`, 'm').exec(await (await service.get('/metrics')).text())?.[1]);
  await until(async () => (await metric('connections')) >= 1000);
  expect(await metric('connections')).toBeLessThanOrEqual(1000);
  expect(residentBytes() - before).toBeLessThan(100 * 1024 ** 2);
  // The longest idle one gives way.
  const client = new RecordClient(address);
  await until(async () => (await client.stats().catch(() => null)) !== null);
  client.close();
  expect((await service.get('/v2/stats')).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toContain('service.stop_timeout');
  for (const socket of sockets) socket.destroy();
});
