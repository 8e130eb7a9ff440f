// Clients of the gRPC port: calls are counted and limited. Those that stall, flood or break rules, over raw HTTP/2, get the right code, and others are
// served meanwhile.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Code, type ConnectError } from '@connectrpc/connect';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { fullState } from '../../../test/support/full-state.ts';
import { type GrpcStand, grpcStand, type RecordClient } from '../../../test/support/grpc.ts';
import { until } from '../../../test/support/until.ts';

const GET = '/v1.AircraftService/GetAircraft';
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

async function stand(options: Parameters<typeof grpcStand>[1] = {}): Promise<GrpcStand> {
  const stood = await grpcStand(5, options);
  onTestFinished(() => stood.close());
  return stood;
}

function session({ address }: GrpcStand, options = {}): ClientHttp2Session {
  const opened = connect(`http://${address}`, options);
  opened.on('error', () => {});
  onTestFinished(() => opened.destroy());
  return opened;
}

function open(opened: ClientHttp2Session, path: string, more: OutgoingHttpHeaders = {}): ClientHttp2Stream {
  const stream = opened.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more });
  stream.on('error', () => {});
  return stream;
}

/** A message in its frame. */
const frame = (message: Uint8Array, flag = 0): Buffer => Buffer.from(encodeEnvelope(flag, message));

/** GetAircraftRequest, or anything else with a short text in field 1. */
function textMessage(text: string, field = 1): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, text.length]), Buffer.from(text)]);
}

/** `grpc-status` of the response, in its headers or trailers; null if it ends without one. */
function statusOfStream(stream: ClientHttp2Stream): Promise<number | null> {
  return new Promise((resolve) => {
    let found: number | null = null;
    const noteStatus = (headers: OutgoingHttpHeaders): void => {
      if (headers['grpc-status'] !== undefined) found = Number(headers['grpc-status']);
    };
    stream.on('response', noteStatus).on('trailers', noteStatus);
    stream.on('close', () => resolve(found));
    stream.resume();
  });
}

async function expectServed(client: RecordClient): Promise<void> {
  expect((await client.networkStats({})).aircraftTotal).toBe(5);
}

describe('a connection', () => {
  it('with resets in quick succession is ended, and others are served', async () => {
    const stood = await stand();
    const opened = session(stood);
    for (let n = 0; n < 5000 && !opened.destroyed; n += 1) {
      const stream = open(opened, GET);
      stream.write(frame(textMessage(fullState(0).hex)));
      stream.close(constants.NGHTTP2_CANCEL);
      if (n % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => opened.destroyed, 'the connection is ended');
    await expectServed(stood.client);
    await until(() => stood.server.connections.calls === 0 && stood.server.connections.open === 1);
    expect(stood.server.connections.ended.resets).toBe(1);
  });

  it('that is idle longest gives way when there are too many', async () => {
    let passedMs = 0;
    const stood = await stand({ connectionsMax: 2, nowMs: () => passedMs });
    const idle = session(stood);
    await until(() => stood.server.connections.open === 1);
    passedMs += 1;
    const other = session(stood);
    await until(() => stood.server.connections.open === 2);
    passedMs += limits.idleGivesWayMs;
    await expectServed(stood.client);
    await until(() => idle.destroyed);
    expect([other.destroyed, stood.server.connections.open]).toEqual([false, 2]);
  });

  it('with oversized headers loses the call, and one that speaks no HTTP/2 is ended', async () => {
    const stood = await stand();
    const stream = open(session(stood), GET, { 'x-large': 'x'.repeat(64 * 1024) });
    expect(await statusOfStream(stream)).toBeNull();
    expect(stream.rstCode).not.toBe(constants.NGHTTP2_NO_ERROR);
    const socket = connectSocket(stood.server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.on('error', () => {}).resume();
    await until(() => socket.destroyed);
    await expectServed(stood.client);
  });
});

describe('a call', () => {
  /** A server whose clock the test moves. */
  async function clocked(options: Parameters<typeof grpcStand>[1] = {}) {
    let passedMs = 0;
    const stood = await stand({ ...options, nowMs: () => passedMs });
    const pass = (ms: number): void => {
      passedMs += ms;
      stood.server.connections.sweep();
    };
    return { stood, pass };
  }

  it('whose request does not arrive ends with DEADLINE_EXCEEDED', async () => {
    const { stood, pass } = await clocked();
    const stream = open(session(stood), GET);
    stream.write(frame(textMessage(fullState(0).hex)).subarray(0, 3));
    const ended = statusOfStream(stream);
    await until(() => stood.server.connections.calls === 1);
    pass(limits.httpRequestMsMax - 1);
    expect(stood.server.connections.calls).toBe(1);
    pass(1);
    expect(await ended).toBe(Code.DeadlineExceeded);
    await until(() => stood.server.connections.calls === 0);
    expect(stood.server.connections.ended.request_timeout).toBe(1);
  });

  it('whose client keeps its half open after an error is closed soon', async () => {
    const { stood, pass } = await clocked();
    const stream = open(session(stood), GET);
    // Two requests for one response.
    stream.write(Buffer.concat([frame(textMessage('a')), frame(textMessage('b'))]));
    const ended = statusOfStream(stream);
    await until(() => stream.rstCode !== undefined && stood.server.connections.calls === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    pass(1);
    pass(limits.halfClosedMsMax);
    expect(await ended).toBe(Code.Unimplemented);
    await until(() => stood.server.connections.calls === 0);
  });

  it.each([
    ['whose client takes nothing is ended', 4096, limits.responseStallMsMax],
    ['is ended sooner when many calls are in use', 4, limits.responseStallMsPressed],
  ])('%s', async (_name, callsMax, stallMsMax) => {
    const { stood, pass } = await clocked({ callsMax });
    // The client grants one byte of each response.
    const opened = session(stood, { settings: { initialWindowSize: 1 } });
    const streams = [1, 2, 3].map(() => open(opened, GET));
    for (const stream of streams) {
      stream.pause();
      stream.end(frame(textMessage(fullState(0).hex)));
    }
    await until(() => stood.server.connections.queuedBytes() > 0 && stood.server.connections.calls === 3);
    expect(stood.server.connections.queuedBytes()).toBeLessThan(3 * 1024);
    pass(1);
    await expectServed(stood.client);
    pass(stallMsMax - 1);
    expect(stood.server.connections.ended.no_progress).toBe(0);
    pass(1);
    await until(() => stood.server.connections.calls === 0);
    expect(stood.server.connections.ended.no_progress).toBe(3);
  });

  it('of reflection is read only as fast as its responses are taken', async () => {
    const stood = await stand();
    const opened = session(stood, { settings: { initialWindowSize: 1 } });
    const stream = open(opened, REFLECTION);
    stream.pause();
    const request = frame(textMessage('v1.AircraftService', 4));
    for (let n = 0; n < 2000; n += 1) stream.write(request);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Each response has 2 KB: 16 of them wait, not 2,000.
    expect(stood.server.connections.queuedBytes()).toBeLessThan(100 * 1024);
    await expectServed(stood.client);
  });

  it('with wrong frames, encodings, paths or timeouts gets a code, and the service goes on', async () => {
    const stood = await stand();
    const opened = session(stood);
    const end = async (headers: OutgoingHttpHeaders, body: Buffer, path = GET): Promise<number | null> => {
      const stream = open(opened, path, headers);
      const ended = statusOfStream(stream);
      stream.end(body);
      return await ended;
    };
    const message = frame(textMessage(fullState(0).hex));
    const gzip = { 'grpc-encoding': 'gzip' };
    for (const [code, headers, body, path] of [
      [0, {}, message],
      [Code.Unimplemented, {}, Buffer.alloc(0)],
      [Code.Unimplemented, { 'grpc-encoding': 'snappy' }, frame(textMessage('a'), 1)],
      [Code.InvalidArgument, gzip, frame(Buffer.from('no gzip'), 1)],
      [Code.InvalidArgument, {}, frame(Buffer.from('0aff', 'hex'))],
      [Code.ResourceExhausted, {}, frame(Buffer.alloc(20_000))],
      [Code.ResourceExhausted, gzip, frame(gzipSync(Buffer.alloc(1024 ** 2)), 1)],
      [Code.Unimplemented, {}, message, '/v1.AircraftService/%00é'],
      [Code.InvalidArgument, { 'x-bin': '*not base64*', 'grpc-timeout': '1x' }, message],
      // Longer than a timer: no deadline.
      ...['99999999H', '9999999S', '99999999n'].map((timeout) => [0, { 'grpc-timeout': timeout }, message] as const),
      // Another content type: 415.
      [null, { 'content-type': 'application/json' }, message],
    ] as const)
      expect([headers, await end(headers, body, path)]).toEqual([headers, code]);
    await expectServed(stood.client);
  });
});

describe('calls', () => {
  it('counts calls by method and code', async () => {
    const stood = await stand();
    const { client, server } = stood;
    await client.networkStats({});
    await expect(client.getAircraft({ hex: 'abcdef' })).rejects.toMatchObject({ code: Code.NotFound });
    expect(await statusOfStream(open(session(stood), '/a/b').end())).toBe(Code.Unimplemented);
    await until(() => server.connections.calls === 0);
    const counts = server.calls.callRows().filter(([, , calls]) => calls > 0);
    expect(counts.map(([code, method, calls]) => [method, code, calls])).toEqual([
      ['/v1.AircraftService/GetAircraft', 'NOT_FOUND', 1],
      ['/v1.AircraftService/NetworkStats', 'OK', 1],
      ['unknown', 'UNIMPLEMENTED', 1],
    ]);
  });

  it('refuses calls beyond its limit and serves again afterwards', async () => {
    const { client, server } = await stand({ callsMax: 2 });
    const ending = new AbortController();
    for (const { signal } of [ending, new AbortController()])
      await client
        .watchAircraft({ target: { case: 'hex', value: fullState(0).hex } }, { signal })
        [Symbol.asyncIterator]()
        .next();
    const refused = await client.networkStats({}).catch((error: ConnectError) => error);
    expect(refused).toMatchObject({ code: Code.Unavailable, rawMessage: 'all 2 calls at a time are in use' });
    expect((refused as ConnectError).metadata.get('retry-after')).toBe('1');
    expect(server.connections.callsRefused).toBe(1);
    ending.abort();
    await until(() => server.connections.calls === 1);
    expect((await client.networkStats({})).aircraftTotal).toBe(5);
  });
});
