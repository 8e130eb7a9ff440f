// A feeder's UUID proves that it is its owner's, and its address where he lives: a service that a feeder fed has written neither anywhere, and no id of a
// receiver that it passes on. What it has written is their keyed hashes, and the counts under them.
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import { openFeeders } from '../../pipeline/feeders/open-feeders.ts';
import { BeastWriter, beastUuidMessage } from '../../pipeline/ingest/beast-writer.ts';
import type { EventLog, StoredRecord } from '../../pipeline/log/event-log.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { dataSecretPath, readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import { type TopicId, topicIds } from '../../schemas/topics.ts';
import { simulatedSlices } from '../support/feeder.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const UUID = '7c0ffee7-1dea-4bad-8ace-5eed0fadedab';
const RECEIVER = 'b0a710adfacade42';
/** An address that occurs nowhere else; other systems have no more than one loopback address. */
const ADDRESS = process.platform === 'linux' ? '127.0.0.77' : null;
const digits = UUID.replaceAll('-', '');
/** Each as text in its forms and as bytes. */
const SECRETS: readonly (readonly [what: string, bytes: Buffer])[] = [
  ...[UUID, digits, digits.slice(0, 16), UUID.slice(0, 18)].map((text) => [`the UUID as ${text}`, Buffer.from(text)] as const),
  ['the UUID as bytes', Buffer.from(digits.slice(0, 16), 'hex')],
  ...[RECEIVER, 'b0a710ad-face', 'b0a710ad-facade42', 'b0a710ad-faca-de42'].map(
    (text) => [`the receiver as ${text}`, Buffer.from(text)] as const,
  ),
  ['the receiver as bytes', Buffer.from(RECEIVER, 'hex')],
  ...(ADDRESS === null ? [] : [['the address', Buffer.from(ADDRESS)] as const]),
];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function expectNone(where: string, bytes: Buffer): void {
  for (const [what, secret] of SECRETS) {
    const lower = Buffer.from(bytes.toString('latin1').toLowerCase(), 'latin1');
    expect([where, what, bytes.includes(secret) || lower.includes(secret)]).toEqual([where, what, false]);
  }
}

async function* allRecords(log: EventLog): AsyncGenerator<StoredRecord & { readonly topic: TopicId }> {
  for (const topic of topicIds)
    for (let partition = 0; partition < log.partitions(topic); partition += 1)
      for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
        for (const record of records) yield { ...record, topic };
}

it('writes neither the UUID nor the address of a feeder, nor the ids of its receivers', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const service = await startService(folder.path, ['--no-simulation', '--listen', '127.0.0.1:0', '--no-history']);
  cleanups.push(() => service.kill());
  const socket = connect({ port: service.listenPort, host: '127.0.0.1', ...(ADDRESS === null ? {} : { localAddress: ADDRESS }) });
  cleanups.push(() => socket.destroy());
  socket.write(beastUuidMessage(UUID));
  const passedOn = new BeastWriter();
  passedOn.addReceiver(RECEIVER);
  const own = new BeastWriter();
  own.addReceiver(digits.slice(0, 16));
  const [named, itself] = [passedOn.take(), own.take()];
  let i = 0;
  for (const { bytes } of simulatedSlices(60, 6, 1)) {
    socket.write(Buffer.concat([i % 3 === 0 ? named : itself, bytes]));
    i += 1;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  // A connection that is no feeder: it is logged, too.
  const other = connect({ port: service.listenPort, host: '127.0.0.1', ...(ADDRESS === null ? {} : { localAddress: ADDRESS }) });
  other.on('error', () => {});
  cleanups.push(() => other.destroy());
  other.write(Buffer.concat([Buffer.alloc(70_000, 'noise'), beastUuidMessage(UUID)]));
  await until(() => service.output().includes('it sends no frames'), 'the line about the noise');
  // Its owner claims it; then somebody tries another UUID, and somebody a part of it.
  const open = async (proof: string): Promise<[status: number, text: string]> => {
    const headers = { origin: service.url, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/feeders/open`, { method: 'POST', headers, body: JSON.stringify({ proof }) });
    return [response.status, `${JSON.stringify([...response.headers])}${await response.text()}`];
  };
  const answers = [await open(UUID), await open(`${UUID.slice(0, -1)}0`), await open(digits.slice(0, 16))];
  expect(answers.map(([status]) => status)).toEqual([200, 403, 403]);
  for (const [, text] of answers) expectNone('the dashboard', Buffer.from(text));
  const metrics = await (await service.get('/metrics')).text();
  expect(metrics).toMatch(/^squitter_fold_messages_total [1-9]/m);
  expectNone('metrics', Buffer.from(metrics));
  socket.end();
  await until(() => service.output().includes('feeder gone'), 'the end of the connection');
  expect(await service.stop(), service.output()).toBe(0);
  expectNone('log lines', Buffer.from(service.output()));

  const { log, codecs } = await openData(folder.path, 'write');
  cleanups.push(() => log.close());
  const receivers = new Set<string>();
  for await (const { topic, key, value } of allRecords(log)) {
    expectNone(topic, Buffer.concat([Buffer.from(key ?? ''), Buffer.from('\n'), value ?? Buffer.alloc(0)]));
    if (topic === 'frames' && value !== null) for (const id of codecs.FrameBatch.decode(value).receivers) receivers.add(id);
  }
  const secret = readSecretFile(dataSecretPath(folder.path));
  const ids = new FeederIds(secret);
  const id = ids.ofUuid(UUID);
  expect(receivers).toEqual(new Set([id, ids.passedOn(id, RECEIVER)]));
  const known = await openFeeders({ log, codecs, secret, nowMs: Date.now });
  cleanups.push(known.stop);
  const feeder = known.table.byId(id)!;
  expect(feeder.status).toMatchObject({ state: 'gone', format: 'beast', addressHash: null });
  expect([feeder.claim?.name, feeder.keys?.generation]).toEqual(['', 1]);
  expect(feeder.counts.cleanDf17).toBeGreaterThanOrEqual(100);
  expect(feeder.contributorUntilMs).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect(known.table.size).toBe(1);
});
