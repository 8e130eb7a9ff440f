// `EventLog.commit`: outputs and the input offset in one Kafka transaction, with one transactional producer per group and input partition.
// Brokers fence a worker that lost its partition by its membership, if it has one (`produce/transaction.ts`). These rules fence every worker:
//   1. the transactional id is the group and the input partition (`names.ts`), so a new owner's producer fences the previous one;
//   2. after any error the producer is discarded, its work is not restarted in place, and nothing more is committed for the partition until it is
//      taken over again at the committed offset;
//   3. after a producer gets its epoch, the group's committed offset is read, and work from another offset is refused;
//   4. and 5. concern members of groups: `membership.ts`, `member.ts`.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { topics } from '../../../schemas/topics.ts';
import { pause } from '../../runtime/retry.ts';
import { linkedSignal, settledWithin, untilAborted } from '../../runtime/waiting.ts';
import type { Commit, Output } from '../event-log.ts';
import { checkRecords, listOf, recordsOf } from '../record-block.ts';
import { isFenced } from './failures.ts';
import type { KafkaNames } from './names.ts';
import { type BatchEncoder, RECORD_HEAD_BYTES } from './produce/record-batch.ts';
import { SequencedProducer } from './produce/sequenced-producer.ts';
import { type CommittingMember, runTransaction, type WrittenEnd } from './produce/transaction.ts';
import { markersPause } from './produce/write-attempts.ts';
import type { WriteRequests } from './produce/write-requests.ts';
import type { KafkaRequests } from './requests.ts';

interface TransactionsOptions {
  readonly names: KafkaNames;
  readonly encoder: BatchEncoder;
  readonly writing: WriteRequests;
  readonly requests: Pick<KafkaRequests, 'committed' | 'ends'>;
  /** Aborted when the log is closed. */
  readonly closing: AbortSignal;
  /** Awaited before anything is sent. */
  readonly before: () => Promise<void>;
}

/** A producer with its epoch. While it is not fenced, no other producer has committed. */
interface Writer {
  readonly producer: SequencedProducer;
  /** The group's committed offset; null if it never committed. */
  committedOffset: number | null;
}

/** One input partition of a group. */
interface InputState {
  writer: Writer | null;
  /** Stops the writer's retries. */
  stop: AbortController;
  /** Member that took the partition over; null for commits without a member. */
  member: CommittingMember | null;
  /** Failure of the last writer. */
  failure: SquitterError | null;
  /** Calls of one partition run one after the other. */
  last: Promise<unknown>;
}

type Input = Pick<Commit, 'group' | 'topic' | 'partition'>;

export class KafkaTransactions {
  private readonly options: TransactionsOptions;
  private readonly inputs = new Map<string, InputState>();

  constructor(options: TransactionsOptions) {
    this.options = options;
  }

  /** Fences the previous worker of the partition, ends its open transaction, and returns the group's committed offset. */
  takeOver(input: Input, member: CommittingMember | null = null): Promise<number | null> {
    return this.inTurn(input, async (state) => {
      discard(state);
      state.failure = null;
      state.member = member;
      state.writer = await this.open(input, state.stop.signal);
      return state.writer.committedOffset;
    });
  }

  /** Errors: `log.record_too_large`, `log.commit_conflict`, `log.commit_failed`. */
  async commit(commit: Commit): Promise<void> {
    for (const { topic, records } of commit.outputs) checkRecords(topic, recordsOf(records), RECORD_HEAD_BYTES);
    await this.inTurn(commit, async (state) => {
      // Rule 2: the outputs of the failed commit are lost, and this commit may depend on them.
      if (state.failure !== null) throw state.failure;
      state.writer ??= await this.open(commit, state.stop.signal);
      const { writer } = state;
      // The first commit of a group may begin at any offset.
      if (writer.committedOffset !== null && writer.committedOffset !== commit.fromOffset) throw conflict(commit, writer.committedOffset);
      try {
        await withinTime(this.write(writer, commit, state.member), this.options.closing);
      } catch (error) {
        discard(state);
        state.failure = await this.explained(commit, error);
        throw state.failure;
      }
      writer.committedOffset = commit.nextOffset;
    });
  }

  /** Ends the producer of a partition that a member gives back. A later owner's producer stays. */
  release(input: Input, member: CommittingMember): Promise<void> {
    return this.inTurn(input, async (state) => {
      if (state.member !== member) return;
      discard(state);
      state.member = null;
    });
  }

  async idle(): Promise<void> {
    await Promise.all([...this.inputs.values()].map(({ last }) => last));
  }

  close(): void {
    for (const state of this.inputs.values()) discard(state);
  }

  private inTurn<T>({ group, topic, partition }: Input, work: (state: InputState) => Promise<T>): Promise<T> {
    const id = this.options.names.transactionalId(group, topic, partition);
    let state = this.inputs.get(id);
    if (state === undefined) {
      state = { writer: null, stop: new AbortController(), member: null, failure: null, last: Promise.resolve() };
      this.inputs.set(id, state);
    }
    const own = state;
    const result = own.last.then(() => work(own));
    own.last = result.catch(() => undefined);
    return result;
  }

  private async open({ group, topic, partition }: Input, stopped: AbortSignal): Promise<Writer> {
    const { names, encoder, writing, requests, closing } = this.options;
    if (closing.aborted) throw new SquitterError('log.closed');
    const transactionalId = names.transactionalId(group, topic, partition);
    // The epoch fences the older producer; Kafka assigns it once that producer's transaction has ended.
    const producer = await SequencedProducer.open({ requests: writing, encoder, transactionalId, stopped });
    // Rule 3.
    return { producer, committedOffset: await requests.committed(group, topic, partition) };
  }

  private async write({ producer }: Writer, commit: Commit, member: CommittingMember | null): Promise<void> {
    const { names, before } = this.options;
    await before();
    const outputs = byPartition(commit.outputs).map(({ topic, partition, records }) => ({
      ...{ topic: names.topic(topic), partition },
      records: recordsOf(records),
    }));
    const { group, topic, partition, nextOffset } = commit;
    const offset = { group: names.group(group), topic: names.topic(topic), partition, nextOffset };
    const written = await runTransaction(producer, outputs, offset, member);
    // The commit is certain now.
    await settledWithin(this.untilVisible(commit, written), limits.kafkaVisibleMsMax);
  }

  /**
   * Waits until readers see the outputs. The broker responds when the commit is certain, and informs the partitions only then.
   * An open transaction of another worker may hide the outputs, so the wait is limited.
   */
  private async untilVisible({ group, topic, partition, nextOffset }: Commit, written: readonly WrittenEnd[]): Promise<void> {
    const { requests } = this.options;
    const deadline = performance.now() + limits.kafkaVisibleMsMax;
    const isThere = async (): Promise<boolean> => (await requests.ends(written)).every((end, i) => end >= written[i]!.offset);
    const isCommitted = async (): Promise<boolean> => (await requests.committed(group, topic, partition)) === nextOffset;
    // Many commits poll at the same time, at each tick of a fold's partitions, so the pause grows.
    for (const isVisible of [isThere, isCommitted])
      for (let attempts = 1; !(await isVisible()) && performance.now() < deadline; attempts += 1) await pause(markersPause(attempts));
  }

  private async explained(commit: Commit, error: unknown): Promise<SquitterError> {
    const { group, topic, partition } = commit;
    if (!isFenced(error))
      return new SquitterError(
        'log.commit_failed',
        { group, topic: topics[topic].name, partition, detail: (error as Error).message },
        error,
      );
    const found = await this.options.requests.committed(group, topic, partition).catch(() => null);
    return conflict(commit, found, error);
  }
}

/** One output per topic and partition, in the order of the records. */
function byPartition(outputs: readonly Output[]): Output[] {
  const merged = new Map<string, Output>();
  for (const output of outputs) {
    const key = `${output.topic}/${output.partition}`;
    const before = merged.get(key);
    merged.set(key, before === undefined ? output : { ...output, records: [...listOf(before.records), ...listOf(output.records)] });
  }
  return [...merged.values()];
}

function conflict({ group, topic, partition, fromOffset }: Commit, found: number | null, cause?: unknown): SquitterError {
  const details = { group, topic: topics[topic].name, partition, found: found ?? 'unknown', wanted: fromOffset };
  return new SquitterError('log.commit_conflict', details, cause);
}

/** Discards the producer: it retries and writes nothing more. */
function discard(state: InputState): void {
  state.stop.abort();
  state.stop = new AbortController();
  state.writer = null;
}

/** Fails when the log is closed, or after the time at which the broker ends the transaction itself. */
async function withinTime(work: Promise<void>, closing: AbortSignal): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.kafkaTransactionMsMax);
  const { signal, end } = linkedSignal([closing, late.signal]);
  try {
    const done = work.then(() => true);
    if (await untilAborted(done, signal, false)) return;
  } finally {
    clearTimeout(timer);
    end();
  }
  if (closing.aborted) throw new SquitterError('log.closed');
  throw new Error(`no response within ${limits.kafkaTransactionMsMax / 1000} s`);
}
