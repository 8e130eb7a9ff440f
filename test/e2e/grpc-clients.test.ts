// The gRPC port of the real service with clients of others: grpcurl (Go) and grpcio (Python) call every operation, learn the service by
// reflection and read errors with their details. And 1,000 idle connections, with few descriptors.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goProgram } from '../support/go.ts';
import { RecordClient } from '../support/grpc.ts';
import { pythonWith } from '../support/python.ts';
import { freePort, type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const AIRCRAFT = 40;
const CONNECTIONS = 1200;
const grpcurl = goProgram([1, 24], 'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3');
const python = pythonWith('grpcio==1.76.0', 'grpcio-reflection==1.76.0', 'grpcio-health-checking==1.76.0', 'grpcio-status==1.76.0');

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
}, 60_000);
afterAll(async () => {
  if (service.child.exitCode === null) await service.kill();
  folder.remove();
});

describe.skipIf(!grpcurl.met)(`grpcurl ${grpcurl.reason}`, () => {
  const call = async (...args: readonly string[]): Promise<string> =>
    (await run(grpcurl.path, ['-plaintext', '-max-time', '10', ...args])).stdout;
  const failed = (...args: readonly string[]): Promise<{ code: number; stderr: string }> =>
    call(...args).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );
  const json = async (method: string, request = '{}'): Promise<Record<string, unknown>> =>
    JSON.parse(await call('-d', request, address, `v1.AircraftService/${method}`)) as Record<string, unknown>;

  test('learns the services by reflection, with optional fields', async () => {
    expect(await call(address, 'list')).toBe('grpc.health.v1.Health\nv1.AircraftService\n');
    expect(await call(address, 'describe', 'v1.Aircraft')).toContain('optional int32 alt_baro = 7;');
    expect(JSON.parse(await call(address, 'grpc.health.v1.Health/Check'))).toEqual({ status: 'SERVING' });
  });

  test('calls every operation', async () => {
    const found = await json('GetAircraft', JSON.stringify({ hex }));
    expect(found).toMatchObject({ hex, lat: expect.any(Number) });
    const nearby = (await json('NearbyAircraft', JSON.stringify({ lat: found['lat'], lon: found['lon'], limit: 2 }))) as {
      aircraft: { hex: string; distanceNm: number }[];
    };
    expect(nearby.aircraft[0]!.distanceNm).toBeLessThan(5);
    expect((await json('NetworkStats'))['aircraftTotal']).toBeGreaterThan(0);
    // It ends at its deadline.
    const watched = await failed('-max-time', '4', '-d', JSON.stringify({ hex }), address, 'v1.AircraftService/WatchAircraft');
    expect((watched as unknown as { stdout: string }).stdout.match(/"sourceTime"/g)!.length).toBeGreaterThan(1);
  });

  test('shows errors', async () => {
    const wrong = await failed('-d', '{"hex":"nonsense"}', address, 'v1.AircraftService/GetAircraft');
    expect(wrong.stderr).toMatch(
      /Code: InvalidArgument\s+Message: hex cannot be "nonsense"[\s\S]*google.rpc.ErrorInfo[\s\S]*google.rpc.BadRequest/,
    );
    expect((await failed('-d', '{"hex":"~ffffff"}', address, 'v1.AircraftService/GetAircraft')).stderr).toContain('Code: NotFound');
  });
});

test.skipIf(!python.met)(
  `grpcio calls every operation by reflection alone, and reads details ${python.reason}`,
  { timeout: 60_000 },
  async () => {
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
  },
);

test.skipIf(process.platform !== 'linux')(
  'more idle connections than there may be: bounded memory, and others are served',
  { timeout: 60_000 },
  async () => {
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
  },
);
