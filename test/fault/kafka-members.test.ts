// Exactly once on a real Kafka, where kafkajs leaves a hole: members that are frozen past their session and wake up, members that are killed.
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
const ROUNDS = 5;
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
    `a member that is frozen past its session and wakes up writes nothing twice, ${ROUNDS} of ${ROUNDS} times`,
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
        // It ends because it is fenced, or learns from the group that it was replaced, and joins again with nothing.
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
    'kill -9 of a member, again and again: nothing is lost, nothing twice',
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
    'members come and go: partitions move with their last commit, and those that stay are not touched',
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
      // The partition that stayed was given back when the member left, not when the second came.
      expect(count(first, 'assigned')).toBe(PARTITIONS.length);
      expect(count(first, 'revoked')).toBe(PARTITIONS.length);
      // Where one ended the other began.
      for (const partition of PARTITIONS) {
        const ended = first.lines.findLast((line) => line.startsWith(`committed ${partition} `))!.split(' ')[2];
        expect(second.lines).toContain(`assigned ${partition} ${ended}`);
      }
    },
    6 * PATIENCE_MS,
  );

  test(
    'a partition that stays is committed in one generation of the group after the other',
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
        // The next guest would else get it at once.
        await until(() => assigned() > PARTITIONS.length + round, 'the partition that the guest had is back', PATIENCE_MS);
      }
      stopFeeding.abort();
      await expectCopies(log, await feeding);
      expect(staying.lines.filter((line) => line.startsWith('failed'))).toEqual([]);
      // Both at the beginning, and one of them again after each guest: the other one stayed throughout.
      expect(assigned()).toBe(PARTITIONS.length + ROUNDS);
    },
    6 * PATIENCE_MS,
  );
});
