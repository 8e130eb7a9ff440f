// Clients of the record service: the examples in Node, Python and Go, and connect-web in a real browser, on a page of another origin.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { fullState } from '../support/full-state.ts';
import { recordStand } from '../support/grpc.ts';
import { createTestView } from '../support/live-view.ts';
import { chromium, goAtLeast, projectDir, pythonPackages } from '../support/requirements.ts';

const run = promisify(execFile);
const AIRCRAFT = 20;
const work = join(projectDir, '.cache/records');
const state = fullState(3);
const [lat, lon] = [state.latitudeMicrodeg! / 1e6, state.longitudeMicrodeg! / 1e6].map(String) as [string, string];

const python = pythonPackages();
const go = goAtLeast(1, 24);
const browser = chromium();

const stand = await recordStand(await createTestView(AIRCRAFT));
const { url } = stand;
const address = new URL(stand.grpcUrl).host;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
afterAll(async () => {
  await stand.close();
  expect(stand.faults).toEqual([]);
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
  expectLines((await run(process.execPath, ['client.mjs', address, lat, lon], { cwd: folder })).stdout, 'INVALID_ARGUMENT', true);
});

test.skipIf(!python.met)(`the example in Python ${python.reason}`, async () => {
  const { stdout } = await run(python.path, ['client.py', address, lat, lon], { cwd: example('records-python') });
  expectLines(stdout, 'INVALID_ARGUMENT', true);
});

test.skipIf(!go.met)(`the example in Go ${go.reason}`, async () => {
  const { stdout } = await run('go', ['run', '.', url, lat, lon], { cwd: example('records-go') });
  expectLines(stdout, 'invalid_argument', false);
});

describe.skipIf(!browser.met)(`connect-web in a browser ${browser.reason}`, () => {
  // A page of another origin.
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Records</title>'),
  );
  beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
  afterAll(() => {
    server.close();
  });

  test('calls every operation over Connect and gRPC-Web, with errors, GET and a stream', async () => {
    const opened = await openPage(browser.path, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    try {
      await opened.evaluate(await pageScript());
      const results = await opened.evaluate<Record<string, unknown>>(
        `callAll(${JSON.stringify({ url, hex: state.hex, lat: Number(lat), lon: Number(lon) })})`,
      );
      const expected = {
        hex: state.hex,
        nearest: state.hex,
        total: AIRCRAFT,
        unknown: { code: 5, message: 'no aircraft with the address ffffff was heard lately', details: ['google.rpc.ErrorInfo'] },
        wrong: { code: 3, details: ['google.rpc.ErrorInfo', 'google.rpc.BadRequest'] },
        stream: { complete: true, aircraft: AIRCRAFT },
      };
      for (const way of ['connect', 'connectBinary', 'connectGet', 'grpcWeb']) expect([way, results[way]]).toMatchObject([way, expected]);
    } finally {
      await opened.close();
    }
  });
});

/** The page's script, with the client library and the generated messages in it. */
async function pageScript(): Promise<string> {
  const source = `
    import { createClient, ConnectError } from '@connectrpc/connect';
    import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-web';
    import { AircraftService } from '${join(projectDir, 'schemas/proto/v1/aircraft_pb.ts')}';
    const errorOf = (call) => call.then(() => null, (error) => {
      const { code, rawMessage, details } = ConnectError.from(error);
      return { code, message: rawMessage, details: details.map(({ type }) => type) };
    });
    const calls = async (transport, { hex, lat, lon }) => {
      const client = createClient(AircraftService, transport);
      const result = {
        hex: (await client.getAircraft({ hex })).hex,
        nearest: (await client.nearbyAircraft({ lat, lon, limit: 1 })).aircraft[0].hex,
        total: (await client.networkStats({})).aircraftTotal,
        unknown: await errorOf(client.getAircraft({ hex: 'ffffff' })),
        wrong: await errorOf(client.getAircraft({ hex: 'x' })),
      };
      const box = { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 };
      for await (const { complete, aircraft } of client.watchAircraft({ target: { case: 'box', value: box } })) {
        result.stream = { complete, aircraft: aircraft.length };
        break;
      }
      return result;
    };
    globalThis.callAll = async ({ url: baseUrl, ...query }) => ({
      connect: await calls(createConnectTransport({ baseUrl }), query),
      connectBinary: await calls(createConnectTransport({ baseUrl, useBinaryFormat: true }), query),
      connectGet: await calls(createConnectTransport({ baseUrl, useHttpGet: true }), query),
      grpcWeb: await calls(createGrpcWebTransport({ baseUrl }), query),
    });
  `;
  const input = join(work, 'page.ts');
  writeFileSync(input, source);
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}
