// The gRPC port of the real service with a client of others: grpcio (Python) calls every operation, learns the service by reflection and reads errors
// with their details.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonPackages } from '../support/python.ts';
import { freePort, type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const AIRCRAFT = 40;
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
