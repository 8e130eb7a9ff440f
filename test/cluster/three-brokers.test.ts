// Three brokers: appends, followers and members tolerate the loss of one, members come and go, closing never hangs. How services live through the loss of
// all brokers: services-under-load.test.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type KafkaLog, type KafkaLogOptions, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { range, readAll, record, valuesOf, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, ownKafka } from '../support/kafka.ts';
import { builtProgram, TestProgram } from '../support/service.ts';
import { until } from '../support/until.ts';

const FAULT_SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? Date.now() % 1_000_000);
/** Other load on the machine can make everything ten times slower. */
const WAIT_MS = 60_000;

const FEED_PAUSE_MS = 10;

/** Starts a member of the group of copiers, which prints a line for each event. */
function startCopier(options: KafkaLogOptions): TestProgram {
  return new TestProgram([process.execPath, builtProgram('modules/test/support/kafka-member'), JSON.stringify(options)]);
}

const linesOf = (copier: TestProgram, event: string): string[] =>
  copier
    .output()
    .split('\n')
    .filter((line) => line.startsWith(event));

/** Appends numbers to each partition until stopped; returns their count per partition. Rejects when an append does. */
async function feedNumbers(log: EventLog, signal: AbortSignal): Promise<number> {
  const partitions = range(log.partitions('frames'));
  for (let count = 0; ; count += 1) {
    if (signal.aborted) return count;
    await Promise.all(partitions.map((partition) => log.append('frames', partition, [record(null, `${partition}/${count}`, Date.now())])));
    await sleep(FEED_PAUSE_MS);
  }
}

/** Waits for the copies and expects none lost, duplicated or out of order. */
async function expectCopies(log: EventLog, count: number): Promise<void> {
  const partitions = range(log.partitions('frames'));
  const copies = async (partition: number) => valuesOf(await readAll(log, whole('positions', partition)));
  const isWhole = async (): Promise<boolean> =>
    (await Promise.all(partitions.map(copies))).every((values, partition) => values.at(-1) === `${partition}/${count - 1}`);
  await until(isWhole, 'all records are copied', WAIT_MS);
  for (const partition of partitions) {
    const expected = range(count).map((i) => `${partition}/${i}`);
    expect(valuesOf(await readAll(log, whole('frames', partition)))).toEqual(expected);
    expect(await copies(partition)).toEqual(expected);
  }
}

const FRAME_PARTITIONS = 3;
const GUESTS = 2;

describeWithKafka(`killed brokers (seed ${FAULT_SEED})`, () => {
  const kafka = ownKafka({ nodes: 3 });
  const random = new Random(FAULT_SEED);
  let options: KafkaLogOptions;
  let log: KafkaLog;

  beforeEach(async () => {
    const connection = { brokers: kafka().brokers, clientId: 'brokers' };
    const namePrefix = `brokers-${Date.now()}.`;
    options = { connection, namePrefix, sessionMs: 6000 };
    await ensureTopics(connection, { create: true, replicationFactor: 3, framePartitions: FRAME_PARTITIONS, namePrefix });
    log = await openKafkaLog(options);
  });
  afterEach(() => log.close());

  test(
    'one of three is killed, and another: no append fails, nothing is lost or duplicated',
    async () => {
      const stop = new AbortController();
      const feeding = feedNumbers(log, stop.signal);
      const followed: string[] = [];
      const following = (async () => {
        for await (const { records } of log.read({ topic: 'frames', partition: 0, from: 'earliest', to: 'follow', signal: stop.signal }))
          followed.push(...(valuesOf(records) as string[]));
      })();
      let starts = 0;
      let copier: TestProgram;
      let isOver = false;
      // Starts a failed member again, as a supervisor does.
      const supervising = (async () => {
        while (!isOver) {
          copier = startCopier(options);
          starts += 1;
          await copier.ended;
        }
      })();
      for (const i of range(2)) {
        const before = followed.length;
        await until(() => followed.length > before + 20 && linesOf(copier, 'committed').length > 5, 'all work', WAIT_MS);
        await sleep(random.between(0, 500));
        await kafka().node(i).kill();
        const during = followed.length;
        await until(() => followed.length > during + 20, 'appends and reads go on with two of three', WAIT_MS);
        await kafka().node(i).restart();
      }
      await until(() => linesOf(copier, 'committed').length > 5, 'the member works', WAIT_MS);
      stop.abort();
      const count = await feeding;
      await following;
      await expectCopies(log, count);
      expect(followed).toEqual(range(followed.length).map((i) => `0/${i}`));
      isOver = true;
      void copier!.stop();
      await supervising;
      expect(starts).toBeLessThan(8);
    },
    8 * WAIT_MS,
  );

  test(
    'members come and go: a partition that stays is not revoked, and is committed in successive generations of the group',
    async () => {
      const stop = new AbortController();
      const feeding = feedNumbers(log, stop.signal);
      const works = (member: TestProgram): Promise<true> =>
        until(() => linesOf(member, 'committed').length > 10, 'the member works', WAIT_MS);
      const staying = startCopier(options);
      await works(staying);
      const assigned = (): number => linesOf(staying, 'assigned').length;
      for (const round of range(GUESTS)) {
        const guest = startCopier(options);
        await works(guest);
        expect(await guest.stop()).toBe(0);
        // Otherwise the next guest would get it at once.
        await until(() => assigned() > FRAME_PARTITIONS + round, 'the partition that the guest had is back', WAIT_MS);
      }
      stop.abort();
      await expectCopies(log, await feeding);
      expect(linesOf(staying, 'failed')).toEqual([]);
      // All at the beginning, and one again after each guest: the others stayed throughout.
      expect(assigned()).toBe(FRAME_PARTITIONS + GUESTS);
      await staying.stop();
    },
    6 * WAIT_MS,
  );

  test(
    'closing does not wait for brokers that do not respond, and waiting calls fail with log.closed',
    async () => {
      const reader = await openKafkaLog(options);
      const following = (async () => {
        for await (const _ of reader.read({ topic: 'frames', partition: 0, from: 'earliest', to: 'follow' }));
      })();
      const read = expect(following).rejects.toMatchObject({ code: 'log.closed' });
      await log.append('frames', 0, [record(null, 'x', Date.now())]);
      await reader.join('group', 'frames', { assigned: async () => 0, batch: async () => undefined, revoked: async () => undefined });
      await sleep(500);
      for (const i of range(3)) kafka().node(i).pause();
      try {
        const appended = expect(log.append('frames', 0, [record(null, 'y', Date.now())])).rejects.toMatchObject({ code: 'log.closed' });
        await sleep(200);
        await Promise.all([log.close(), reader.close()]);
        await Promise.all([appended, read]);
        expect([log.connections, reader.connections]).toEqual([0, 0]);
      } finally {
        for (const i of range(3)) kafka().node(i).resume();
      }
    },
    4 * WAIT_MS,
  );
});
