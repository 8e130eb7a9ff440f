// The table of feeders from records: newest of each kind, sums, addresses, bans, bounds; and over a log, with the secret of the installation.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FeederStatus, feederKey, feederRecord, type ReceiverRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { emptyLog } from '../../test/support/folded-log.ts';
import { testSecret } from '../../test/support/secret.ts';
import { until } from '../../test/support/until.ts';
import { InstallationSecret } from '../runtime/installation-secret.ts';
import { FeederTable } from './feeder-table.ts';
import { appendPart, forgetFeeder } from './feeder-writer.ts';
import { openFeeders } from './open-feeders.ts';

const A = 'a'.repeat(16);
const B = 'b'.repeat(16);
const HOME = '1'.repeat(16);

const status = (timeMs: number, state: FeederStatus['state'] = 'connected', addressHash: string | null = HOME) =>
  feederRecord({
    status: { timeMs, connectedMs: 0, state, format: 'beast', frames: 1, bytes: 2, garbageBytes: 0, addressHash },
  });
const receiver = (partition: number, own: Partial<ReceiverRecord> = {}) =>
  feederRecord({
    receiver: {
      ...{ partition, timeMs: 60_000, frames: 10, messages: 8, duplicates: 1, positions: 2, disagreements: 0, cleanDf17: 5, aircraft: 3 },
      ...{ rangeNm: new Array<number>(16).fill(partition), signalDecidb: -100 - 20 * partition, lateMs: 0, heardMs: 50_000 },
      ...{ contributorUntilMs: 0, ...own },
    },
  });

describe('the table', () => {
  it('has the newest record of each kind, the sum of the partitions and the greatest Contributor', () => {
    const table = new FeederTable();
    const changed: string[] = [];
    const end = table.onChange((id) => changed.push(id));
    table.apply(feederKey('status', A), status(1000));
    table.apply(feederKey('status', A), status(2000));
    table.apply(receiverKey(A, 0), receiver(0, { contributorUntilMs: 7 }));
    table.apply(receiverKey(A, 11), receiver(11, { contributorUntilMs: 9 }));
    table.apply(receiverKey(A, 0), receiver(0, { contributorUntilMs: 8, frames: 20 }));
    table.apply(feederKey('claim', A), feederRecord({ claim: { name: 'Hill', showRange: true, claimedAtMs: 5 } }));
    table.apply(feederKey('keys', A), feederRecord({ keys: { generation: 2, previousEndsMs: 6, revokedBelow: 1 } }));
    expect(table.byId(A)).toMatchObject({
      ...{ connectedUntilMs: 2000 + limits.feederConnectedMs, lastSeenMs: 50_000, contributorUntilMs: 9 },
      counts: { frames: 30, aircraft: 6, rangeNm: new Array(16).fill(11), signalDecidb: -210 },
      ...{ claim: { name: 'Hill' }, keys: { generation: 2 }, ban: null },
    });
    expect(changed).toEqual(new Array(7).fill(A));
    end();
    table.apply(feederKey('status', A), status(3000, 'gone'));
    expect(changed).toHaveLength(7);
    expect(table.byId(A)).toMatchObject({ connectedUntilMs: 0, addressUntilMs: 3000 + limits.feederAddressMs });
    expect(table.byId(B)).toBeNull();
  });

  it('knows what each partition counted between its two newest records', () => {
    const table = new FeederTable();
    table.apply(receiverKey(A, 0), receiver(0));
    expect(table.byId(A)?.recent).toBeNull();
    table.apply(receiverKey(A, 0), receiver(0, { timeMs: 120_000, frames: 610, positions: 42, disagreements: 3 }));
    table.apply(receiverKey(A, 1), receiver(1, { timeMs: 120_000, frames: 100 }));
    table.apply(receiverKey(A, 1), receiver(1, { timeMs: 130_000, frames: 200 }));
    // Read again.
    table.apply(receiverKey(A, 1), receiver(1, { timeMs: 130_000, frames: 200 }));
    expect(table.byId(A)?.recent).toEqual({ framesPerS: 20, positions: 40, disagreements: 3 });
    table.apply(receiverKey(A, 0), null);
    expect(table.byId(A)?.recent?.framesPerS).toBe(10);
  });

  it('finds the feeders that share an address, for 24 h after their last connection', () => {
    const table = new FeederTable();
    table.apply(feederKey('status', A), status(1000));
    table.apply(feederKey('status', B), status(5000, 'gone'));
    const at = (nowMs: number): string[] => table.byAddressHash(HOME, nowMs).map(({ id }) => id);
    expect(at(6000)).toEqual([A, B]);
    expect(at(1000 + limits.feederAddressMs)).toEqual([B]);
    table.apply(feederKey('status', B), status(7000, 'connected', null));
    expect(at(7000)).toEqual([A]);
    expect(table.byId(B)).toMatchObject({ addressHash: null, addressUntilMs: 0 });
  });

  it('bans an id, and its address where the ban says so', () => {
    const table = new FeederTable();
    table.apply(feederKey('ban', A), feederRecord({ ban: { reason: 'noise', sinceMs: 1, addressHash: HOME } }));
    expect([table.isBanned(A, null), table.isBanned(B, null), table.isBanned(B, HOME)]).toEqual([true, false, true]);
    expect([table.banOf(B, HOME)?.reason, table.idsAt(HOME), table.ids()]).toEqual(['noise', [A], [A]]);
    table.apply(feederKey('ban', A), null);
    expect([table.isBanned(A, HOME), table.idsAt(HOME), table.size]).toEqual([false, [], 0]);
  });

  it('makes room by forgetting the feeder heard of longest ago, those with a claim or ban last', () => {
    const table = new FeederTable(2);
    table.apply(feederKey('claim', A), feederRecord({ claim: { name: 'Hill', showRange: false, claimedAtMs: 1 } }));
    table.apply(feederKey('status', B), status(1));
    table.apply(feederKey('status', 'c'.repeat(16)), status(2));
    expect([table.size, table.evicted, table.byId(B), table.byId(A)?.claim?.name]).toEqual([2, 1, null, 'Hill']);
    expect(table.byAddressHash(HOME, 3)).toHaveLength(1);
  });

  it('leaves out keys that it does not know', () => {
    const table = new FeederTable();
    for (const key of ['x', `status/${A}/1`, `receiver/${A}`, `receiver/${A}/x`, 'status/short', 'ingest/a', `toString/${A}`])
      table.apply(key, status(1));
    expect(table.size).toBe(0);
  });
});

describe('over a log', () => {
  const nowMs = () => 1000;

  it('follows what is decided, and forgets a feeder as a whole', async () => {
    const data = await emptyLog();
    await data.log.append('feeders', 0, [{ key: 'junk', value: Buffer.from('junk'), timestampMs: 1 }]);
    const { table, stop } = await openFeeders({ ...data, secret: testSecret, nowMs });
    onTestFinished(stop);
    await appendPart(data, 'ban', { id: A, part: { reason: 'noise', sinceMs: 1, addressHash: null }, timeMs: 1 });
    await until(() => table.isBanned(A, null), 'the ban');
    await data.log.append('feeders', 0, [
      { key: receiverKey(A, 1), value: data.codecs.FeederRecord.encode(receiver(1)), timestampMs: 1 },
      { key: feederKey('status', A), value: data.codecs.FeederRecord.encode(status(1)), timestampMs: 1 },
    ]);
    await until(() => table.byId(A)?.status != null, 'the status');
    const keys = { generation: 3, previousEndsMs: 0, revokedBelow: 3 };
    await forgetFeeder(data, { id: A, keys, timeMs: 2 });
    await until(() => table.byId(A)?.status === null, 'nothing left');
    expect(table.byId(A)).toMatchObject({ ban: null, keys, counts: { frames: 0 } });
    await forgetFeeder(data, { id: A, keys: null, timeMs: 3 });
    await until(() => table.size === 0, 'nothing at all left');
    expect(table.malformed).toBe(1);
  });

  it('ends a process that has another secret, at its start and later', async () => {
    const data = await emptyLog();
    const other = new InstallationSecret(Buffer.alloc(32, 9));
    const first = await openFeeders({ ...data, secret: testSecret, nowMs });
    onTestFinished(first.stop);
    await until(() => first.table.installation === testSecret.fingerprint, 'its fingerprint');
    await expect(openFeeders({ ...data, secret: other, nowMs })).rejects.toMatchObject({
      code: 'secret.differs',
      message: expect.stringContaining(other.fingerprint),
    });
    const second = await openFeeders({ ...data, secret: testSecret, nowMs });
    onTestFinished(second.stop);
    const record = feederRecord({ installation: { fingerprint: other.fingerprint } });
    await data.log.append('feeders', 0, [{ key: 'installation', value: data.codecs.FeederRecord.encode(record), timestampMs: 1 }]);
    await expect(second.failed).rejects.toMatchObject({ code: 'secret.differs' });
  });
});
