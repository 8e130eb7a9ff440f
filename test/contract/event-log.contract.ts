// The contract of EventLog: one suite that every adapter runs completely.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { until } from '../support/until.ts';
import { groupCases, sharedGroupCases } from './event-log-groups.contract.ts';
import { processCases } from './event-log-processes.contract.ts';
import { type CaseContext, countTurns, type EventLogHarness, range, readAll, record, text, valuesOf, whole } from './event-log-support.ts';

export function eventLogContract(name: string, harness: EventLogHarness): void {
  describe(name, () => {
    let log: EventLog;
    beforeEach(async () => {
      await harness.setUp();
      log = await harness.open();
    });
    afterEach(() => harness.tearDown());
    const context: CaseContext = {
      harness,
      log: () => log,
      check: (title, body) => void test(title, body),
    };
    appendCases(context);
    readCases(context);
    commitCases(context);
    cleanupCases(context);
    groupCases(context);
    if (harness.writers === 'any') sharedGroupCases(context);
    processCases(context);
  });
}

function appendCases({ log, check, harness }: CaseContext): void {
  check('records are read complete, in order, with the offsets that append returned, also of concurrent appends', async () => {
    const records = [
      ...range(500).map((i) => record(i % 3 === 0 ? `k${i}` : null, i % 5 === 0 ? null : `v${i}`.repeat(1 + (i % 200)), 1000 + i)),
      // Empty and absent keys and values stay distinct.
      ...[record('', ''), record('', null), record(null, ''), record(null, null)],
    ];
    const last = await log().append('deadletter', 0, records);
    const read = await readAll(log(), whole('deadletter'));
    expect(read.map(({ key, value, timestampMs }) => ({ key, value, timestampMs }))).toEqual(records);
    expect(read.at(-1)!.offset).toBe(last);
    for (let i = 1; i < read.length; i += 1) expect(read[i]!.offset).toBeGreaterThan(read[i - 1]!.offset);
    const offsets = await Promise.all(range(300).map((i) => log().append('frames', 1, [record(null, `v${i}`)])));
    expect([...offsets].sort((a, b) => a - b)).toEqual(offsets);
    expect(valuesOf(await readAll(log(), whole('frames', 1)))).toEqual(range(300).map((i) => `v${i}`));
  });

  check('the largest record is accepted; one byte more is refused, and nothing of that append is written', async () => {
    const largest = Buffer.alloc(1_000_000, 1);
    await log().append('frames', 0, [{ key: null, value: largest, timestampMs: 1 }]);
    const tooLarge = { key: null, value: Buffer.alloc(1_000_001), timestampMs: 1 };
    await expect(log().append('frames', 0, [record(null, 'before'), tooLarge])).rejects.toMatchObject({ code: 'log.record_too_large' });
    const read = await readAll(log(), whole('frames'));
    expect(read.length).toBe(1);
    expect(largest.equals(read[0]!.value as Buffer)).toBe(true);
  });

  check(
    'unknown topics and partitions are refused; closing waits for running appends; a closed log refuses every call but a second close',
    async () => {
      await expect(log().append('nothing' as TopicId, 0, [])).rejects.toMatchObject({ code: 'log.unknown_topic' });
      await expect(log().append('deadletter', 1, [record(null, 'x')])).rejects.toMatchObject({ code: 'log.unknown_partition' });
      await expect(log().bounds('frames', 99)).rejects.toMatchObject({ code: 'log.unknown_partition' });
      const appended = log().append('frames', 0, [record(null, 'x'.repeat(200_000))]);
      await log().close();
      await log().close();
      await appended;
      for (const call of [log().append('frames', 0, [record(null, 'x')]), log().bounds('frames', 0)])
        await expect(call).rejects.toMatchObject({ code: 'log.closed' });
      const again = await harness.open();
      expect((await readAll(again, whole('frames'))).length).toBe(1);
    },
  );
}

function readCases({ log, check, harness }: CaseContext): void {
  check(
    'a read between any two offsets returns exactly the records between them; one to the end ends where the log ended at its begin',
    async () => {
      const offsets: number[] = [];
      for (const i of range(30)) offsets.push(await log().append('frames', 0, [record(null, `${i}`.repeat(i % 4 === 0 ? 3000 : 1))]));
      const all = await readAll(log(), whole('frames'));
      for (const from of [0, 1, 7, 29])
        for (const to of [0, 5, 8, 29, 30]) {
          const read = await readAll(log(), { topic: 'frames', partition: 0, from: offsets[from]!, to: offsets[to] ?? 'end' });
          expect(valuesOf(read)).toEqual(valuesOf(all.slice(from, to)));
        }
      const reading = log().read(whole('frames'));
      await log().append('frames', 0, [record(null, 'later')]);
      const values: (string | null)[] = [];
      for await (const batch of reading) values.push(...valuesOf(batch.records));
      expect(values).toEqual(valuesOf(all));
    },
  );

  check('a reading connection sees records of a writing connection that was opened later', async () => {
    await log().append('frames', 0, [record(null, 'a')]);
    await log().close();
    const reader = await harness.openReader();
    const writer = await harness.open();
    await writer.append('frames', 0, [record(null, 'b')]);
    expect(valuesOf(await readAll(reader, whole('frames')))).toEqual(['a', 'b']);
    await writer.close();
    expect(valuesOf(await readAll(reader, whole('frames')))).toEqual(['a', 'b']);
  });

  check('many bytes arrive in batches within the limits, and other work runs between them', async () => {
    const value = Buffer.alloc(500_000, 3);
    for (const _ of range(40)) await log().append('frames', 0, [{ key: null, value, timestampMs: 1 }]);
    const sizes: number[] = [];
    let turns = (): number => 0;
    for await (const batch of log().read(whole('frames'))) {
      // A broker's first response takes turns, too.
      if (sizes.push(batch.records.length) === 1) turns = countTurns();
      expect(batch.records.reduce((sum, { value: bytes }) => sum + bytes!.length, 0)).toBeLessThanOrEqual(4 * 1024 * 1024);
    }
    expect(turns()).toBeGreaterThanOrEqual(sizes.length - 1);
    expect([sizes.length > 1, sizes.reduce((sum, size) => sum + size)]).toEqual([true, 40]);
  });

  check('offsetAt finds the first record at or after a time, also when times go back, and committed ones, however old', async () => {
    const times = [100, 200, 150, 300, 300, 250, 400];
    for (const time of times) await log().append('frames', 0, [record(null, 'x', time)]);
    for (const [i, recordTimes] of [[100], [200, 300], [400]].entries()) {
      const outputs = [{ topic: 'positions', partition: 0, records: recordTimes.map((time) => record(null, `v${time}`, time)) }] as const;
      await log().commit({ group: 'g', topic: 'frames', partition: 0, fromOffset: i, nextOffset: i + 1, outputs });
    }
    for (const topic of ['frames', 'positions'] as const) {
      const stored = await readAll(log(), whole(topic));
      const { next } = await log().bounds(topic, 0);
      for (const time of [0, 100, 101, 150, 200, 201, 300, 301, 400, 401]) {
        const first = stored.find(({ timestampMs }) => timestampMs >= time);
        expect(await log().offsetAt(topic, 0, time)).toBe(first?.offset ?? next);
      }
    }
  });

  check('a follower gets later records, and ends on its signal; one that waits ends with log.closed when the log is closed', async () => {
    const stop = new AbortController();
    const values: (string | null)[] = [];
    const follower = (async () => {
      for await (const batch of log().read({ topic: 'frames', partition: 0, from: 'earliest', to: 'follow', signal: stop.signal }))
        values.push(...valuesOf(batch.records));
    })();
    for (const i of range(20)) {
      await log().append('frames', 0, [record(null, `v${i}`)]);
      if (i % 7 === 0) await until(() => values.length === i + 1, 'the follower sees the record');
    }
    await until(() => values.length === 20, 'the follower sees all');
    expect(values).toEqual(range(20).map((i) => `v${i}`));
    stop.abort();
    await follower;
    const waiting = readAll(log(), { topic: 'frames', partition: 1, from: 'earliest', to: 'follow' });
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'log.closed' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await log().close();
    await outcome;
  });
}

function commitCases({ log, check, harness }: CaseContext): void {
  const commit = (fromOffset: number, nextOffset: number, value: string, state = text(value), worker = log()) =>
    worker.commit({
      group: 'fold',
      topic: 'frames',
      partition: 1,
      fromOffset,
      nextOffset,
      outputs: [
        { topic: 'positions', partition: 1, records: [record(null, value)] },
        { topic: 'aircraft', partition: 1, records: [record('a', value), { key: 'b', value: state, timestampMs: 1 }] },
      ],
    });
  const counts = async () => [(await readAll(log(), whole('positions', 1))).length, (await readAll(log(), whole('aircraft', 1))).length];

  check('a group has the offset that it committed, per partition; a commit that is refused writes nothing', async () => {
    expect(await log().committed('fold', 'frames', 1)).toBeNull();
    await expect(commit(0, 1, 'x', Buffer.alloc(16_385))).rejects.toMatchObject({ code: 'log.record_too_large' });
    expect([await log().committed('fold', 'frames', 1), ...(await counts())]).toEqual([null, 0, 0]);
    await commit(0, 5, 'x');
    expect(await log().committed('fold', 'frames', 1)).toBe(5);
    expect(await log().committed('fold', 'frames', 0)).toBeNull();
    expect(await log().committed('other', 'frames', 1)).toBeNull();
    await expect(commit(0, 7, 'again')).rejects.toMatchObject({ code: 'log.commit_conflict', retriable: false });
    await expect(commit(6, 7, 'ahead')).rejects.toMatchObject({ code: 'log.commit_conflict' });
    expect([await log().committed('fold', 'frames', 1), ...(await counts())]).toEqual([5, 1, 2]);
    await commit(5, 9, 'y');
    expect([await log().committed('fold', 'frames', 1), ...(await counts())]).toEqual([9, 2, 4]);
  });

  check('of two workers that commit from the same offset, one succeeds and the other writes nothing', async () => {
    await commit(0, 1, 'x');
    const twice = [log(), await harness.open()].map((worker, i) => commit(1, 2, `worker ${i}`, text('y'), worker));
    const outcomes = await Promise.allSettled(twice);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await counts()).toEqual([2, 4]);
  });
}

function cleanupCases({ log, check, harness }: CaseContext): void {
  const latest = async (log: EventLog, topic: TopicId) => {
    const map = new Map<string, string | null>();
    for (const { key, value } of await readAll(log, whole(topic))) map.set(key!, value === null ? null : Buffer.from(value).toString());
    return map;
  };

  check('compaction keeps the last record of each key, its offset and the order', async () => {
    for (const round of range(40)) {
      await log().append(
        'aircraft',
        0,
        range(25).map((i) => record(`k${i}`, `${round}/${i}`.repeat(1 + (i % 9) * 30), round)),
      );
    }
    const before = await readAll(log(), whole('aircraft'));
    await log().append('aircraft', 0, [record('k3', 'newest')]);
    const expected = await latest(log(), 'aircraft');
    await harness.compactNow(log(), false);
    const after = await readAll(log(), whole('aircraft'));
    expect(await latest(log(), 'aircraft')).toEqual(expected);
    expect(after.length).toBeLessThan(before.length);
    expect(after.length).toBe(25);
    const byOffset = new Map(before.map((stored) => [stored.offset, stored]));
    for (const stored of after.slice(0, -1)) expect(byOffset.get(stored.offset)).toEqual(stored);
    for (let i = 1; i < after.length; i += 1) expect(after[i]!.offset).toBeGreaterThan(after[i - 1]!.offset);
    // A read from an offset that compaction removed begins after it.
    const from = before[10]!.offset;
    expect(valuesOf(await readAll(log(), { topic: 'aircraft', partition: 0, from, to: 'end' }))).toEqual(
      valuesOf(after.filter(({ offset }) => offset >= from)),
    );
  });

  check('tombstones are kept for their retention, then removed', async () => {
    await harness.shortenTombstones();
    await log().append('aircraft', 0, [record('a', '1'), record('b', '1'), record('a', null), record('c', '1')]);
    await harness.compactNow(log(), false);
    expect([...(await latest(log(), 'aircraft'))]).toEqual([
      ['b', '1'],
      ['a', null],
      ['c', '1'],
    ]);
    await log().append('aircraft', 0, [record('d', '1')]);
    await harness.compactNow(log(), true);
    expect([...(await latest(log(), 'aircraft')).keys()]).toEqual(['b', 'c', 'd']);
  });

  check('retention by age removes only old records, and a read of them fails with their bounds', async () => {
    const day = 86_400_000;
    const now = Date.now();
    const first = await log().append('frames', 0, [record(null, 'old'.repeat(20_000), now)]);
    const second = await log().append('frames', 0, [record(null, 'new', now + 5 * day)]);
    await harness.expireAt(log(), now + 8 * day);
    expect((await log().bounds('frames', 0)).earliest).toBe(second);
    expect(valuesOf(await readAll(log(), whole('frames')))).toEqual(['new']);
    await expect(readAll(log(), { topic: 'frames', partition: 0, from: first, to: 'end' })).rejects.toMatchObject({
      code: 'log.offset_out_of_range',
    });
  });

  check('retention by size removes the oldest', async () => {
    // Incompressible bytes: a log may count stored bytes.
    for (const i of range(30)) await log().append('deadletter', 0, [{ key: `${i}`, value: randomBytes(100_000), timestampMs: Date.now() }]);
    await harness.expireAt(log(), Date.now());
    const keys = (await readAll(log(), whole('deadletter'))).map(({ key }) => Number(key));
    expect(keys.length * 100_000).toBeLessThanOrEqual(harness.deadletterBytesMax);
    expect(keys.length).toBeGreaterThan(harness.deadletterBytesMax / 100_000 / 2);
    expect(keys).toEqual(range(30).slice(-keys.length));
  });
}
