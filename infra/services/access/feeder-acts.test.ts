// Operators' acts over a log: how feeders are named, what each act leaves, and what people and scripts read of it.
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { FeederTable } from '../../../pipeline/feeders/feeder-table.ts';
import { appendPart, type FeederTarget } from '../../../pipeline/feeders/feeder-writer.ts';
import type { OutgoingRecord } from '../../../pipeline/log/record-block.ts';
import { type FeederRecord, feederKey, feederRecord, type ReceiverRecord, receiverKey } from '../../../schemas/avro/feeder-record.ts';
import { testIds } from '../../../test/support/secret.ts';
import { FeederActs, feederRequest } from './feeder-acts.ts';
import { type FeederReport, listText, reportText } from './feeder-report.ts';

const NOW_MS = Date.UTC(2026, 0, 5, 12);
const HOME = '198.51.100.7';
const UUID = '01234567-89ab-cdef-0123-456789abcdef';
const A = testIds.ofUuid(UUID);
const B = 'b'.repeat(16);
let table: FeederTable;
let target: FeederTarget;
let acts: FeederActs;

/** The table follows the log a little later. */
beforeEach(() => {
  table = new FeederTable();
  const append = async (_topic: string, _partition: number, records: readonly OutgoingRecord[]): Promise<void> => {
    void turn().then(() => {
      for (const { key, value } of records) table.apply(key!, value === null ? null : (JSON.parse(String(value)) as FeederRecord));
    });
  };
  const codecs = { FeederRecord: { encode: (value: FeederRecord) => Buffer.from(JSON.stringify(value)) } };
  target = { log: { append, partitions: () => 2 } as never, codecs };
  acts = new FeederActs({ ...target, table, ids: testIds, nowMs: () => NOW_MS });
});

async function rows(act: string, feeder = '', reason = ''): Promise<FeederReport[]> {
  const reports: FeederReport[] = [];
  for await (const report of acts.run(feederRequest({ act, feeder, reason }))) reports.push(report);
  return reports;
}

/** A feeder that is connected from an address. */
function feed(id: string, address: string, receiver: Partial<ReceiverRecord> = {}): void {
  const status = { timeMs: NOW_MS - 1000, connectedMs: NOW_MS - 60_000, state: 'connected', format: 'beast' } as const;
  const traffic = { frames: 10, bytes: 220, garbageBytes: 2, addressHash: testIds.addressHash(address) };
  const counts = { frames: 9, messages: 8, duplicates: 1, positions: 3, disagreements: 2, cleanDf17: 7, aircraft: 4 };
  const minute = { rangeNm: [0, 31, ...new Array<number>(14).fill(0)], signalDecidb: -203, lateMs: 5, heardMs: NOW_MS - 500 };
  const record = { partition: 0, timeMs: NOW_MS, ...counts, ...minute, contributorUntilMs: 0, ...receiver };
  table.apply(feederKey('status', id), feederRecord({ status: { ...status, ...traffic } }));
  table.apply(receiverKey(id, 0), feederRecord({ receiver: record }));
}

test('a feeder is named by its id, its UUID or its address', async () => {
  feed(A, HOME);
  for (const name of [A, A.toUpperCase(), UUID, UUID.replaceAll('-', ''), HOME, `::ffff:${HOME}`])
    expect((await rows('show', name)).map(({ id }) => id)).toEqual([A]);
  for (const name of ['', 'Hill', '198.51.100', UUID.slice(1), '0123456789abcde'])
    await expect(rows('show', name)).rejects.toThrow(/ID cannot be/);
  for (const name of [B, '192.168.0.7', '2001:db8::1']) await expect(rows('show', name)).rejects.toMatchObject({ code: 'feeders.unknown' });
  feed(B, HOME);
  await expect(rows('show', HOME)).rejects.toMatchObject({ code: 'feeders.several', message: expect.stringContaining(`${A}, ${B}`) });
  // On a private network, without a UUID.
  feed(testIds.ofAddress('10.0.0.9'), '10.0.0.9');
  expect(await rows('ban', '10.0.0.9', 'noise')).toMatchObject([{ address_hash: null, ban: { reason: 'noise', with_address: false } }]);
});

test('a ban holds for the address as long as one of its feeders has one; a feeder that was never here is banned by UUID or address only', async () => {
  feed(A, HOME);
  feed(B, HOME);
  expect(await rows('ban', A, 'noise')).toMatchObject([{ id: A, ban: { reason: 'noise', with_address: true }, banned_with: [] }]);
  expect(await rows('show', B)).toMatchObject([{ ban: null, banned_with: [A] }]);
  await rows('ban', B, 'more noise');
  expect(await rows('unban', A)).toMatchObject([{ ban: null, banned_with: [B] }]);
  expect(listText(await rows('list')).match(/banned/g)).toHaveLength(2);
  expect(await rows('unban', B)).toMatchObject([{ ban: null, banned_with: [] }]);
  const other = '203.0.113.9';
  expect(await rows('ban', other, 'x')).toMatchObject([{ id: testIds.ofAddress(other), last_seen: null, ban: { with_address: true } }]);
  await expect(rows('ban', 'c'.repeat(16), 'x')).rejects.toMatchObject({ code: 'feeders.unknown' });
});

test('people read everything that is known', async () => {
  feed(A, HOME, { contributorUntilMs: NOW_MS + 1000 });
  await appendPart(target, 'claim', { id: A, part: { name: 'Hill', showRange: true, claimedAtMs: NOW_MS }, timeMs: NOW_MS });
  await appendPart(target, 'keys', { id: A, part: { generation: 3, previousEndsMs: NOW_MS, revokedBelow: 2 }, timeMs: NOW_MS });
  await turn();
  const [report] = await rows('show', A);
  const text = reportText(report!);
  for (const line of [
    'name         Hill, claimed 2026-01-05T12:00:00Z, range shown',
    'tier         contributor until 2026-01-05T12:00:01Z',
    'key          generation 3, the one before until 2026-01-05T12:00:00Z, those below 2 are revoked',
    'connection   since 2026-01-05T11:59:00Z: 10 frames, 220 bytes, 2 of them garbage, beast',
    'positions    3 accepted, 2 contradicted by others, 5 ms late',
    'last minute  4 aircraft, signal -20.3 dBFS\nrange, nm    NNE 31\n',
  ])
    expect(text).toContain(line);
  const [head, row] = listText([report!]).split('\n');
  expect(row).toBe(`${A}  connected  contributor  8         4         31 nm     2026-01-05T11:59:59Z  Hill`);
  expect(head!.indexOf('NAME')).toBe(row!.indexOf('Hill'));
});

test.each([null, 1, [], {}, { act: 'list' }, { act: 'toString', feeder: '', reason: '' }, { act: 'ban', feeder: 1, reason: '' }])(
  'what is no request is refused: %j',
  (value) => expect(() => feederRequest(value)).toThrow(expect.objectContaining({ code: 'operator.bad_request' })),
);
