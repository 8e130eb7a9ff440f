// Clients of the record service: the examples in Node, Python and Go.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { recordProtocol } from '../../query-api/rpc/http-protocol.ts';
import { AircraftWatch } from '../../query-api/rpc/watch/aircraft-watch.ts';
import { fullState } from '../support/full-state.ts';
import { goAtLeast } from '../support/go.ts';
import { type GrpcStand, grpcStand } from '../support/grpc.ts';
import { createApiOver, type TestApi, testModel } from '../support/live-view.ts';
import { pythonPackages } from '../support/python.ts';
import { projectDir } from '../support/requirements.ts';

const run = promisify(execFile);
const AIRCRAFT = 20;
const work = join(projectDir, '.cache/records');
const state = fullState(3);
const [lat, lon] = [state.latitudeMicrodeg! / 1e6, state.longitudeMicrodeg! / 1e6].map(String) as [string, string];

const python = pythonPackages();
const go = goAtLeast(1, 24);

let stand: GrpcStand;
let api: TestApi;
let watch: AircraftWatch;
let url: string;

beforeAll(async () => {
  stand = await grpcStand(AIRCRAFT);
  const model = testModel(stand.view);
  watch = new AircraftWatch(model, 1000);
  api = await createApiOver(stand.view, {
    protocols: [recordProtocol({ model, watch, access: unlimitedAccess, onFault: (error) => expect.fail(String(error)) })],
  });
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
});
afterAll(async () => {
  await api.app.close();
  watch.close();
  await stand.close();
});

/** The folder of an example with the files that its first lines ask for. */
function example(name: string): string {
  const folder = join(work, name);
  cpSync(join(projectDir, 'examples', name), folder, { recursive: true });
  cpSync(join(projectDir, 'schemas/proto/v1/aircraft.proto'), join(folder, 'aircraft.proto'));
  return folder;
}

/** Each example prints these lines. */
function expectLines(stdout: string, refusal: string, hasStream: boolean): void {
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toBe(`${AIRCRAFT} aircraft`);
  expect(lines[1]).toBe(`${state.hex} is 0.0 nm away`);
  expect(lines.find((line) => line.endsWith(' ft'))).toMatch(new RegExp(`^${state.hex} at (-?\\d+|unknown) ft$`));
  expect(lines).toContain(`${refusal}: hex cannot be "nonsense": expected 6 hex digits, with ~ before them for a non-ICAO address`);
  if (hasStream) expect(lines.at(-1)).toBe(`${AIRCRAFT} aircraft in the box, complete: true`);
}

test('the example in Node', async () => {
  const folder = example('records-node');
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  expectLines((await run(process.execPath, ['client.mjs', stand.address, lat, lon], { cwd: folder })).stdout, 'INVALID_ARGUMENT', true);
});

test.skipIf(!python.met)(`the example in Python ${python.reason}`, async () => {
  const { stdout } = await run(python.path, ['client.py', stand.address, lat, lon], { cwd: example('records-python') });
  expectLines(stdout, 'INVALID_ARGUMENT', true);
});

test.skipIf(!go.met)(`the example in Go ${go.reason}`, async () => {
  const { stdout } = await run('go', ['run', '.', url, lat, lon], { cwd: example('records-go') });
  expectLines(stdout, 'invalid_argument', false);
});
