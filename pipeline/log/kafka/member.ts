// `EventLog.join`: turns assignments of a group into calls of the handler. Processing of kept partitions continues while others move.
import { SquitterError } from '../../../schemas/errors.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import type { EventLog, GroupHandler, GroupMember } from '../event-log.ts';
import type { AssignmentEnd, Membership } from './membership.ts';
import type { KafkaTransactions } from './transactions.ts';

interface Consumption {
  readonly stop: AbortController;
  readonly finished: Promise<void>;
  /** The handler was given the partition. */
  isAssigned: boolean;
  /** Another member may own it already: a late commit of the handler is either valid or refused. */
  isLost: boolean;
}

interface MemberOptions {
  readonly log: EventLog;
  readonly membership: Membership;
  readonly transactions: KafkaTransactions;
  readonly group: string;
  readonly topic: TopicId;
  readonly handler: GroupHandler;
}

export class KafkaMember implements GroupMember {
  rebalances = 0;
  readonly done: Promise<void>;
  private readonly options: MemberOptions;
  private readonly owned = new Map<number, Consumption>();
  private readonly leaving = new AbortController();
  private failure: { readonly error: unknown } | null = null;

  constructor(options: MemberOptions) {
    this.options = options;
    // Rule 5: every failure rejects `done`, so that the process ends too and does not stay idle.
    this.done = this.run().finally(() => this.options.membership.leave().catch(() => undefined));
    // Avoids an unhandled rejection if `done` is not awaited.
    this.done.catch(() => undefined);
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await this.done.catch(() => undefined);
  }

  private async run(): Promise<void> {
    try {
      while (!this.leaving.signal.aborted) {
        const assigned = await this.options.membership.join([...this.owned.keys()], this.leaving.signal);
        if (assigned === 'lost') await this.giveBack([...this.owned.keys()], true);
        else if (assigned !== 'stopped') await this.work(assigned);
      }
      await this.whileWatching(this.giveBack([...this.owned.keys()], false));
    } catch (error) {
      this.failure ??= { error };
    }
    // A failed member gets no more calls: its state is not reliable.
    await this.stopAll();
    if (this.failure !== null) throw this.failure.error;
  }

  /** Processes an assignment until the group changes. */
  private async work(assigned: readonly number[]): Promise<void> {
    this.rebalances += 1;
    const moving = [...this.owned.keys()].filter((partition) => !assigned.includes(partition));
    const change = await this.whileWatching(this.giveBack(moving, false));
    for (const partition of assigned) if (!this.owned.has(partition)) this.begin(partition);
    // The group reassigns the released partitions when this member joins again.
    if (moving.length > 0 && change === 'stopped') return;
    const what = change === 'stopped' ? await this.options.membership.watch(this.leaving.signal) : change;
    if (this.failure !== null) throw this.failure.error;
    if (what === 'lost') await this.giveBack([...this.owned.keys()], true);
  }

  /** Sends heartbeats until the work is done. */
  private async whileWatching(work: Promise<void>): Promise<AssignmentEnd> {
    const over = new AbortController();
    const watching = this.options.membership.watch(over.signal);
    watching.catch(() => undefined);
    try {
      await work;
    } finally {
      over.abort();
    }
    return watching;
  }

  private begin(partition: number): void {
    const stop = new AbortController();
    const consumption: Consumption = { stop, isAssigned: false, isLost: false, finished: Promise.resolve() };
    const finished = this.consume(partition, consumption).catch((error: unknown) => {
      if (this.isGone(consumption) && isConflict(error)) return;
      this.failure ??= { error };
      this.leaving.abort();
    });
    this.owned.set(partition, Object.assign(consumption, { finished }));
  }

  private async consume(partition: number, consumption: Consumption): Promise<void> {
    const { log, membership, transactions, group, topic, handler } = this.options;
    const { signal } = consumption.stop;
    // The previous owner is fenced now, so the committed offset cannot change any more.
    const committed = await transactions.takeOver({ group, topic, partition }, membership);
    if (signal.aborted) return;
    const from = await handler.assigned(partition, committed);
    consumption.isAssigned = true;
    for await (const batch of log.read({ topic, partition, from, to: 'follow', signal })) {
      if (signal.aborted || this.failure !== null) return;
      await handler.batch(batch, signal);
    }
  }

  private async giveBack(partitions: readonly number[], isLost: boolean): Promise<void> {
    const given = await Promise.allSettled(partitions.map((partition) => this.giveBackOne(partition, isLost)));
    for (const outcome of given) if (outcome.status === 'rejected') throw outcome.reason;
  }

  private async giveBackOne(partition: number, isLost: boolean): Promise<void> {
    const { group, topic, handler, membership, transactions } = this.options;
    const consumption = this.owned.get(partition)!;
    consumption.isLost = isLost;
    consumption.stop.abort();
    await consumption.finished;
    this.owned.delete(partition);
    try {
      if (consumption.isAssigned && this.failure === null) await handler.revoked(partition);
    } catch (error) {
      if (!(this.isGone(consumption) && isConflict(error))) throw error;
    } finally {
      await transactions.release({ group, topic, partition }, membership);
    }
  }

  /** True if another member may own the partition already. A commit may detect this before the next heartbeat does. */
  private isGone(consumption: Consumption): boolean {
    return consumption.isLost || this.options.membership.identity === null;
  }

  private async stopAll(): Promise<void> {
    const { group, topic, membership, transactions } = this.options;
    const left = [...this.owned];
    this.owned.clear();
    for (const [, { stop }] of left) stop.abort();
    await Promise.all(left.map(([, { finished }]) => finished));
    await Promise.all(left.map(([partition]) => transactions.release({ group, topic, partition }, membership)));
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof SquitterError && error.code === 'log.commit_conflict';
}
