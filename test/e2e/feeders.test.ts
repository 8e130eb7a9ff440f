// One service and one feeder of a public address: what operators see of it, its keys, its ban over kill -9, and what is forgotten. And a search: its UUID
// proves that it is its owner's, and its address where they live, so neither is written or shown anywhere, and no id of a receiver that it passes on, nor
// the exact position of the site. What is written are keyed hashes.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { askOperatorSocket } from '../../infra/embedded/operator-socket.ts';
import type { FeederAct } from '../../infra/services/access/feeder-acts.ts';
import type { FeederReport } from '../../infra/services/access/feeder-report.ts';
import { AvroWriter } from '../../pipeline/avro/writer.ts';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import { appendPart } from '../../pipeline/feeders/feeder-writer.ts';
import { BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import { keyOf } from '../../query-api/access/key.ts';
import { topicIds } from '../../schemas/topics.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { beastUuidMessage, simulatedSlices } from '../support/feeder.ts';
import { documentationAddress } from '../support/requirements.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const UUID = '7c0ffee7-1dea-4bad-8ace-5eed0fadedab';
const RECEIVER = 'b0a710adfacade42';
/** Degrees; numbers in metrics do not have these digits by chance. */
const SITE = [51.987654, 14.345678] as const;
const home = documentationAddress(77);
const digits = UUID.replaceAll('-', '');
/** Each as text in its forms and as bytes. */
const SECRETS: readonly (readonly [what: string, bytes: Buffer])[] = [
  ...[UUID, digits, digits.slice(0, 16), UUID.slice(0, 18)].map((text) => [`the UUID as ${text}`, Buffer.from(text)] as const),
  ['the UUID as bytes', Buffer.from(digits.slice(0, 16), 'hex')],
  ...[RECEIVER, 'b0a710ad-face', 'b0a710ad-facade42', 'b0a710ad-faca-de42'].map(
    (text) => [`the receiver as ${text}`, Buffer.from(text)] as const,
  ),
  ['the receiver as bytes', Buffer.from(RECEIVER, 'hex')],
  ['the address', Buffer.from(home.address)],
  ...SITE.flatMap((degrees) => formsOf(degrees)),
];

/** An exact coordinate: as text, to a metre, and as the numbers of a record. */
function formsOf(degrees: number): (readonly [string, Buffer])[] {
  const microdeg = Math.round(degrees * 1e6);
  const [double, int, big, avro] = [Buffer.alloc(8), Buffer.alloc(4), Buffer.alloc(4), new AvroWriter()];
  double.writeDoubleLE(degrees);
  int.writeInt32LE(microdeg);
  big.writeInt32BE(microdeg);
  avro.int(microdeg);
  const forms = [Buffer.from(String(degrees).slice(0, -1)), double, int, big, Buffer.from(avro.bytes.subarray(0, avro.length))];
  return forms.map((bytes, i) => [`${degrees} ${['as text', 'as a double', 'in µ°', 'in µ°, big-endian', 'in Avro'][i]}`, bytes] as const);
}

function expectNone(where: string, bytes: Buffer): void {
  const lower = Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1');
  for (const [what, secret] of SECRETS)
    expect([where, what, bytes.includes(secret) || lower.includes(secret)]).toEqual([where, what, false]);
}

describe.skipIf(!home.met)(home.met ? 'a feeder' : `a feeder (${home.reason})`, () => {
  const folder = temporaryFolder();
  const secret = openDataSecret(folder.path);
  const ids = new FeederIds(secret);
  const id = ids.ofUuid(UUID);
  const key = (generation: number) => ({ authorization: `Bearer ${keyOf({ feeder: id, generation }, secret)}` });
  const sockets: { destroy(): void }[] = [];
  let service: RunningService;
  let feeder: Socket;
  /** Output of services before the one that runs. */
  let outputBefore = '';

  const start = async (): Promise<void> => {
    const site = SITE.join(',');
    const access = ['--access', 'tiers', '--unlimited', '127.0.0.1'];
    service = await startService(folder.path, ['--no-simulation', '--listen', '127.0.0.1:0', '--receiver', site, ...access]);
  };
  const ask = async (act: FeederAct, named = '', reason = ''): Promise<FeederReport[]> => {
    const rows: FeederReport[] = [];
    for await (const row of askOperatorSocket(folder.path, { act, feeder: named, reason })) rows.push(row as FeederReport);
    return rows;
  };
  const command = (...args: string[]) => squitter([...args, '--data', folder.path]);

  /** A connection from an address, with a UUID or without any. */
  const connected = (from: string, uuid: string | null): Socket => {
    const socket = connect({ port: service.listenPort, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => {});
    sockets.push(socket);
    if (uuid !== null) socket.write(beastUuidMessage(uuid));
    return socket;
  };
  /** Traffic of `seconds`, in a third of the time. */
  const send = async (socket: Socket, seconds: number): Promise<void> => {
    const [named, itself] = [RECEIVER, digits.slice(0, 16)].map((receiver) => {
      const writer = new BeastWriter();
      writer.addReceiver(receiver);
      return writer.takeBytes();
    });
    let i = 0;
    for (const { bytes } of simulatedSlices(60, seconds, 1)) {
      if (socket.destroyed) return;
      socket.write(Buffer.concat([i % 3 === 0 ? named! : itself!, bytes]));
      i += 1;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  /** Options of a caller: with a key, it comes from another address than the feeder's. */
  const callerWith = (headers: Record<string, string>) => ({
    headers,
    localAddress: 'authorization' in headers ? '127.0.0.1' : home.address,
  });
  const request = async (headers: Record<string, string> = {}) => {
    const sent = get(`${service.url}/v2/stats`, { ...callerWith(headers), agent: false });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode!, tier: response.headers['x-service-tier'], text: await text(response) };
  };
  /** An open socket; `end` is its close code and reason. */
  const opened = async (headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v2/ws`, ['aircraft.v2.json'], callerWith(headers));
    sockets.push({ destroy: () => socket.terminate() });
    const found: { end: string | null; texts: string } = { end: null, texts: '' };
    socket.on('message', (data) => {
      found.texts += String(data);
    });
    socket.on('error', () => {});
    socket.on('close', (code, reason) => {
      found.end = `${code} ${String(reason)}`;
    });
    await until(() => socket.readyState === WebSocket.OPEN, 'an open socket');
    socket.send('{"type":"subscribe"}');
    return found;
  };

  beforeAll(async () => {
    const data = await openData(folder.path, 'write');
    const timeMs = Date.now();
    await appendPart(data, 'claim', { id, part: { name: 'Hill', showRange: false, claimedAtMs: timeMs }, timeMs });
    await appendPart(data, 'keys', { id, part: { generation: 1, previousEndsMs: 0, revokedBelow: 0 }, timeMs });
    await data.log.close();
    await start();
    feeder = connected(home.address, UUID);
    await send(feeder, 4);
    await until(async () => (await ask('show', id))[0]!.tier === 'contributor', 'its tier');
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.kill();
    home.remove();
    folder.remove();
  });

  it('has neither UUID nor address nor the site in any response, metric and page of its owner', async () => {
    const document = await service.json<{ paths: Record<string, { get?: object }> }>('/openapi.json');
    const paths = Object.keys(document.paths).filter((path) => document.paths[path]!.get !== undefined && !/[{]|stream/.test(path));
    expect(paths.length).toBeGreaterThan(30);
    for (const path of [...paths, '/metrics', '/v2/point/52/4.5/250', '/v2/area/countries?lat=52&lon=4.5&radius=250']) {
      const response = await service.get(path);
      expectNone(path, Buffer.from(JSON.stringify([...response.headers]) + (await response.text())));
    }
    // Its owner opens the dashboard; then somebody tries another UUID, and somebody a part of it.
    const proofs = [UUID, `${UUID.slice(0, -1)}0`, digits.slice(0, 16)];
    const statuses: number[] = [];
    for (const proof of proofs) {
      const headers = { origin: service.url, 'content-type': 'application/json' };
      const response = await fetch(`${service.url}/feeders/open`, { method: 'POST', headers, body: JSON.stringify({ proof }) });
      statuses.push(response.status);
      expectNone('the dashboard', Buffer.from(JSON.stringify([...response.headers]) + (await response.text())));
    }
    expect(statuses).toEqual([200, 403, 403]);
  });

  it('is banned with its address, over kill -9, until it is not; its keys that are revoked stay so', async () => {
    const revoked = await command('keys', 'revoke', UUID);
    expect(revoked.stdout).toBe(`the keys of ${id} so far are revoked; its key is now of generation 2\n`);
    expect(await request(key(1))).toMatchObject({ status: 403, text: expect.stringContaining('revoked-key') });
    const open = [await opened(key(2)), await opened()];
    await until(() => open.every(({ texts }) => texts.includes('"full"')), 'streams');
    const banned = await command('feeders', 'ban', home.address, '--reason', 'tries');
    expect(banned.stdout).toBe(`${id} is banned with its address: tries\n`);
    const refused = async (): Promise<void> => {
      for (const headers of [{}, key(2)])
        expect(await request(headers)).toMatchObject({ status: 403, text: expect.stringContaining('banned here (tries)') });
      // From its address without a UUID, and with its UUID from another address.
      for (const socket of [connected(home.address, null), connected('127.0.0.1', UUID)])
        await until(() => socket.destroyed, 'the end of its connection');
    };
    for (const socket of open)
      expect(await until(() => socket.end, 'the end of its socket')).toMatch(/^4403 this feeder and its address are banned here \(tries\)/);
    expectNone('its streams', Buffer.from(open.map(({ texts }) => texts).join('')));
    await until(() => feeder.destroyed, 'the end of its connection');
    await refused();

    await service.kill();
    outputBefore = service.output();
    expect(existsSync(join(folder.path, 'operator/socket'))).toBe(true);
    const none = await command('feeders', 'list');
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/no service runs on .*: start it .*\[operator\.no_service\]/)]);
    await start();
    await refused();
    expect(await ask('show', UUID)).toMatchObject([{ connected: false, ban: { reason: 'tries', with_address: true } }]);
    expect(await ask('unban', home.address)).toMatchObject([{ id, ban: null }]);
    feeder = connected(home.address, UUID);
    await send(feeder, 1);
    await until(async () => (await ask('show', id))[0]!.connected, 'its connection');
    for (const headers of [{}, key(2)]) expect(await request(headers)).toMatchObject({ status: 200, tier: 'contributor' });
  });

  it('is forgotten, but for what the command says; its keys are not valid again', async () => {
    feeder.destroy();
    await until(async () => !(await ask('show', id))[0]!.connected, 'its end');
    const forgotten = await command('feeders', 'forget', id);
    expect(forgotten.stdout).toMatch(new RegExp(`^${id} is forgotten: .*\nWhat stays, under its id:\n  the generation of its keys`));
    expect(await ask('list')).toEqual([]);
    await until(async () => (await service.metric('squitter_access_callers', { kind: 'feeder' })) === 0, 'no counts of it as a caller');
    expect(await request()).toMatchObject({ status: 200, tier: 'trial' });
    expect(await request(key(2))).toMatchObject({ status: 403, text: expect.stringContaining('revoked-key') });
  });

  it('has left its keyed hashes in the log, and nothing that shows who and where it is', async () => {
    // A connection that is no feeder: it is logged, too.
    const other = connected(home.address, null);
    other.write(Buffer.concat([Buffer.alloc(70_000, 'noise'), beastUuidMessage(UUID)]));
    await until(() => service.output().includes('it sends no frames'), 'the line about the noise');
    expect(await service.stop(), service.output()).toBe(0);
    expect(existsSync(join(folder.path, 'operator/socket'))).toBe(false);
    const output = (outputBefore + service.output()).replaceAll(folder.path, '');
    expect(output).toContain('an operator decided about a feeder');
    expectNone('log lines', Buffer.from(output));
    const { log, codecs } = await openData(folder.path, 'write');
    try {
      const receivers = new Set<string>();
      const partitions = topicIds.flatMap((topic) => Array.from({ length: log.partitions(topic) }, (_, i) => whole(topic, i)));
      const records = await Promise.all(
        partitions.map(async (each) => (await readAll(log, each)).map((record) => ({ ...record, topic: each.topic }))),
      );
      for (const { topic, key, value } of records.flat()) {
        const bytes = Buffer.from(value ?? []);
        // The configured position stands here in the open, because the past is folded with it. Only the operator has these topics.
        if (topic.startsWith('snapshots') && value !== null) {
          expect([bytes.readDoubleLE(28), bytes.readDoubleLE(36)]).toEqual(SITE);
          bytes.fill(0, 28, 44);
        }
        expectNone(topic, Buffer.concat([Buffer.from(`${key}\n`), bytes]));
        if (topic === 'frames' && value !== null) for (const receiver of codecs.FrameBatch.decode(value).receivers) receivers.add(receiver);
      }
      expect(receivers).toEqual(new Set([id, ids.passedOn(id, RECEIVER)]));
    } finally {
      await log.close();
    }
  });
});
