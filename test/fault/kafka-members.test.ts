// Exactly once on a real Kafka, where kafkajs leaves a hole: members that are frozen past their session and wake up, members that are killed.
// What a group writes must be what it read: each record once, in order.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type KafkaLog, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { range, readAll, record, until, valuesOf, whole } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { TestTopics } from '../support/kafka-topics.ts';

const SESSION_MS = 2000;
const ROUNDS = 5;
const FEED_PAUSE_MS = 10;
/** Other work on the machine can make everything ten times slower. */
const PATIENCE_MS = 60_000;
const PARTITIONS = [0, 1] as const;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? Date.now() % 1_000_000);

interface Member {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Exit status; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Small generator for the moments of the faults; the seed is printed, so that a failure can be repeated. */
function randoms(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

describeWithKafka(`members of a group on Kafka (seed ${SEED})`, () => {
  const brokers = sharedKafka();
  const random = randoms(SEED);
  let log: KafkaLog;
  let options: Parameters<typeof openKafkaLog>[0];
  let members: Member[] = [];
  let stopFeeding = new AbortController();

  beforeEach(async () => {
    const { namePrefix } = await TestTopics.create(brokers(), PARTITIONS.length);
    options = { connection: { brokers: brokers(), clientId: 'members' }, namePrefix, sessionMs: SESSION_MS, retention: 'forever' };
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

  function start(): Member {
    const program = join(import.meta.dirname, '../../dist/test/fault/kafka-member.js');
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const member = { process: child, lines, exited };
    members.push(member);
    return member;
  }

  /** Appends numbers to both partitions until it is told to stop; gives how many each has. */
  async function feed(): Promise<number> {
    for (let count = 0; ; count += 1) {
      if (stopFeeding.signal.aborted) return count;
      await Promise.all(PARTITIONS.map((partition) => log.append('frames', partition, [record(null, `${partition}/${count}`)])));
      await sleep(FEED_PAUSE_MS);
    }
  }

  const commitsOf = ({ lines }: Member): number => lines.filter((line) => line.startsWith('committed')).length;

  /** Nothing is lost, nothing is there twice, nothing is out of order. */
  async function checkCopies(count: number): Promise<void> {
    const copies = async (partition: number) => valuesOf(await readAll(log, whole('positions', partition)));
    const isWhole = async (): Promise<boolean> =>
      (await Promise.all(PARTITIONS.map(copies))).every((values, partition) => values.at(-1) === `${partition}/${count - 1}`);
    await until(isWhole, 'all records are copied', PATIENCE_MS);
    for (const partition of PARTITIONS) expect(await copies(partition)).toEqual(range(count).map((i) => `${partition}/${i}`));
  }

  test(`a member that is frozen past its session and wakes up writes nothing twice, ${ROUNDS} of ${ROUNDS} times`, async () => {
    const feeding = feed();
    let worker = start();
    let sawZombie = 0;
    for (const _ of range(ROUNDS)) {
      await until(() => commitsOf(worker) > 10, 'the member works', PATIENCE_MS);
      await sleep(300 * random());
      worker.process.kill('SIGSTOP');
      const successor = start();
      await until(() => commitsOf(successor) > 10, 'another one took over', PATIENCE_MS);
      const said = worker.lines.length;
      worker.process.kill('SIGCONT');
      // It ends because it was fenced, or learns from the group that it was replaced, and joins again with nothing.
      const awake = worker;
      const noticed = (): boolean => awake.lines.slice(said).some((line) => /^(failed|assigned|revoked)/.test(line));
      await until(noticed, 'the zombie learns that it is one', PATIENCE_MS);
      sawZombie += 1;
      await sleep(500 * random());
      worker.process.kill('SIGKILL');
      worker = successor;
    }
    stopFeeding.abort();
    await checkCopies(await feeding);
    expect(sawZombie).toBe(ROUNDS);
  }, 120_000);

  test('kill -9 of a member, again and again: nothing is lost, nothing twice', async () => {
    const feeding = feed();
    let worker = start();
    for (const _ of range(ROUNDS)) {
      await until(() => commitsOf(worker) > 10, 'the member works', PATIENCE_MS);
      await sleep(300 * random());
      worker.process.kill('SIGKILL');
      await worker.exited;
      worker = start();
    }
    stopFeeding.abort();
    await checkCopies(await feeding);
  }, 120_000);

  test(
    'members come and go: partitions move with their last commit, and those that stay are not touched',
    async () => {
      const feeding = feed();
      const first = start();
      await until(() => commitsOf(first) > 10, 'the first member works', PATIENCE_MS);
      const second = start();
      await until(() => commitsOf(second) > 10, 'the second member works', PATIENCE_MS);
      first.process.kill('SIGTERM');
      expect(await first.exited).toBe(0);
      await until(() => second.lines.filter((line) => line.startsWith('assigned')).length === 2, 'the second has both', PATIENCE_MS);
      stopFeeding.abort();
      await checkCopies(await feeding);
      // The partition that stayed was revoked when the member left, not when the second came.
      expect(first.lines.filter((line) => line.startsWith('assigned')).length).toBe(2);
      expect(first.lines.filter((line) => line.startsWith('revoked')).length).toBe(2);
      // Where one ended the other began.
      const offsetOf = (lines: readonly string[], mark: string): string | undefined =>
        lines.findLast((line) => line.startsWith(mark))?.slice(mark.length);
      for (const partition of PARTITIONS) {
        const began = second.lines.find((line) => line.startsWith(`assigned ${partition} `))!.slice(`assigned ${partition} `.length);
        expect(offsetOf(first.lines, `committed ${partition} `)).toBe(began);
      }
    },
    6 * PATIENCE_MS,
  );
});
