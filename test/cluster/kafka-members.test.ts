// Exactly once on a real Kafka, where kafkajs alone has a gap: members that are frozen beyond their session and woken, and killed members.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KafkaLog, type KafkaLogOptions, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { range } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import {
  type Copier,
  commitsOf,
  expectCopies,
  FAULT_SEED,
  feedNumbers,
  PATIENCE_MS,
  randoms,
  startCopier,
} from '../support/kafka-copies.ts';
import { TestTopics } from '../support/kafka-topics.ts';
import { until } from '../support/until.ts';

const SESSION_MS = 2000;
const ROUNDS = 2;
const PARTITIONS = [0, 1] as const;

describeWithKafka(`members of a group on Kafka (seed ${FAULT_SEED})`, () => {
  const brokers = sharedKafka();
  const random = randoms(FAULT_SEED);
  let log: KafkaLog;
  let options: KafkaLogOptions;
  let members: Copier[] = [];
  let stopFeeding = new AbortController();

  beforeEach(async () => {
    const { namePrefix } = await TestTopics.create(brokers(), PARTITIONS.length);
    options = { connection: { brokers: brokers(), clientId: 'members' }, namePrefix, sessionMs: SESSION_MS };
    log = await openKafkaLog(options);
    members = [];
    stopFeeding = new AbortController();
  });

  afterEach(async () => {
    stopFeeding.abort();
    for (const { process } of members) process.kill('SIGKILL');
    await Promise.all(members.map(({ exited }) => exited));
    await log.close();
  });

  function start(): Copier {
    const member = startCopier(options);
    members.push(member);
    return member;
  }

  const works = (member: Copier): Promise<true> => until(() => commitsOf(member) > 10, 'the member works', PATIENCE_MS);

  test(
    `a member that is frozen beyond its session and woken writes nothing twice, ${ROUNDS} of ${ROUNDS} times`,
    async () => {
      const feeding = feedNumbers(log, stopFeeding.signal);
      let worker = start();
      let zombies = 0;
      for (const _ of range(ROUNDS)) {
        await works(worker);
        await sleep(300 * random());
        worker.process.kill('SIGSTOP');
        const successor = start();
        await works(successor);
        const zombie = worker;
        const said = zombie.lines.length;
        zombie.process.kill('SIGCONT');
        // It ends because it is fenced, or the group reports that it was replaced and it joins again without partitions.
        const noticed = (): boolean => zombie.lines.slice(said).some((line) => /^(failed|assigned|revoked)/.test(line));
        await until(noticed, 'the zombie learns that it is one', PATIENCE_MS);
        zombies += 1;
        await sleep(500 * random());
        zombie.process.kill('SIGKILL');
        worker = successor;
      }
      stopFeeding.abort();
      await expectCopies(log, await feeding);
      expect(zombies).toBe(ROUNDS);
    },
    6 * PATIENCE_MS,
  );

  test(
    'repeated kill -9 of a member: nothing is lost or duplicated',
    async () => {
      const feeding = feedNumbers(log, stopFeeding.signal);
      let worker = start();
      for (const _ of range(ROUNDS)) {
        await works(worker);
        await sleep(300 * random());
        worker.process.kill('SIGKILL');
        await worker.exited;
        worker = start();
      }
      stopFeeding.abort();
      await expectCopies(log, await feeding);
    },
    6 * PATIENCE_MS,
  );

  test(
    'members join and leave: partitions move with their last commit, and those that stay are not revoked',
    async () => {
      const feeding = feedNumbers(log, stopFeeding.signal);
      const first = start();
      await works(first);
      const second = start();
      await works(second);
      first.process.kill('SIGTERM');
      expect(await first.exited).toBe(0);
      const count = ({ lines }: Copier, mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
      await until(() => count(second, 'assigned') === PARTITIONS.length, 'the second has both', PATIENCE_MS);
      stopFeeding.abort();
      await expectCopies(log, await feeding);
      // The partition that stayed was revoked when the member left, not when the second joined.
      expect(count(first, 'assigned')).toBe(PARTITIONS.length);
      expect(count(first, 'revoked')).toBe(PARTITIONS.length);
      // One began at the offset where the other ended.
      for (const partition of PARTITIONS) {
        const ended = first.lines.findLast((line) => line.startsWith(`committed ${partition} `))!.split(' ')[2];
        expect(second.lines).toContain(`assigned ${partition} ${ended}`);
      }
    },
    6 * PATIENCE_MS,
  );

  test(
    'a partition that stays is committed in successive generations of the group',
    async () => {
      const feeding = feedNumbers(log, stopFeeding.signal);
      const staying = start();
      await works(staying);
      const assigned = (): number => staying.lines.filter((line) => line.startsWith('assigned')).length;
      for (const round of range(ROUNDS)) {
        const guest = start();
        await works(guest);
        await sleep(300 * random());
        guest.process.kill('SIGTERM');
        expect(await guest.exited).toBe(0);
        // Otherwise the next guest would get it at once.
        await until(() => assigned() > PARTITIONS.length + round, 'the partition that the guest had is back', PATIENCE_MS);
      }
      stopFeeding.abort();
      await expectCopies(log, await feeding);
      expect(staying.lines.filter((line) => line.startsWith('failed'))).toEqual([]);
      // Both at the beginning, and one again after each guest: the other stayed throughout.
      expect(assigned()).toBe(PARTITIONS.length + ROUNDS);
    },
    6 * PATIENCE_MS,
  );
});
