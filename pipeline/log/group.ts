// Group membership inside one process: distributes the partitions of a topic over the members. Rebalances are eager as in kafkajs: every change
// revokes all partitions (`revoked`), then assigns them again (`assigned`). Works with any EventLog.
import { once } from 'node:events';
import type { TopicId } from '../../schemas/topics.ts';
import { damageOf } from './damage.ts';
import type { EventLog, GroupHandler, GroupMember } from './event-log.ts';

interface Member {
  readonly group: string;
  readonly log: EventLog;
  readonly handler: GroupHandler;
  readonly running: Map<number, Consumption>;
  readonly settle: { resolve(): void; reject(error: unknown): void };
  isLeaving: boolean;
  rebalances: number;
  failure: { readonly error: unknown } | null;
}

interface Consumption {
  readonly stop: AbortController;
  readonly finished: Promise<void>;
}

interface Group {
  readonly topic: TopicId;
  readonly members: Set<Member>;
  /** Rebalances queue here: one at a time. */
  rebalancing: Promise<void>;
  isRebalanceAsked: boolean;
  /** Removes the group after its last member has left. */
  readonly end: () => void;
}

/** The groups of one log. Log objects of the same log whose members share partitions share this object. */
export class Groups {
  private readonly groups = new Map<string, Group>();

  /** Joins a group. `done` resolves when the member has left, and rejects with an error of its handler. Assignments come later. */
  join(log: EventLog, name: string, topic: TopicId, handler: GroupHandler): GroupMember {
    const key = JSON.stringify([name, topic]);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { topic, members: new Set(), rebalancing: Promise.resolve(), isRebalanceAsked: false, end: () => this.groups.delete(key) };
      this.groups.set(key, group);
    }
    return joinGroup(group, log, name, handler);
  }
}

function joinGroup(joined: Group, log: EventLog, name: string, handler: GroupHandler): GroupMember {
  let settle: Member['settle'] | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Avoids an unhandled rejection when nobody awaits `done`.
  done.catch(() => undefined);
  const member: Member = { group: name, log, handler, running: new Map(), settle: settle!, isLeaving: false, rebalances: 0, failure: null };
  joined.members.add(member);
  void rebalance(joined);
  return {
    get rebalances() {
      return member.rebalances;
    },
    done,
    leave: async () => {
      member.isLeaving = true;
      await rebalance(joined);
    },
  };
}

/** Revokes all partitions, removes leaving and failed members, and assigns the partitions again. Changes during a round share the next one. */
function rebalance(group: Group): Promise<void> {
  if (group.isRebalanceAsked) return group.rebalancing;
  group.isRebalanceAsked = true;
  group.rebalancing = group.rebalancing.then(async () => {
    group.isRebalanceAsked = false;
    await Promise.all([...group.members].map(takeBack));
    for (const member of [...group.members]) {
      if (!member.isLeaving && member.failure === null) continue;
      group.members.delete(member);
      if (member.failure === null) member.settle.resolve();
      else member.settle.reject(member.failure.error);
    }
    if (group.members.size === 0 && !group.isRebalanceAsked) group.end();
    handOut(group);
  });
  return group.rebalancing;
}

async function takeBack(member: Member): Promise<void> {
  const running = [...member.running];
  for (const [, consumption] of running) consumption.stop.abort();
  await Promise.all(running.map(([, consumption]) => consumption.finished));
  member.running.clear();
  for (const [partition] of running) {
    // A failed member gets no more calls: its state is not reliable.
    if (member.failure !== null) return;
    try {
      await member.handler.revoked(partition);
    } catch (error) {
      member.failure = { error };
    }
  }
}

function handOut(group: Group): void {
  const members = [...group.members];
  const first = members[0];
  if (first === undefined) return;
  for (const member of members) member.rebalances += 1;
  const partitions = first.log.partitions(group.topic);
  for (let partition = 0; partition < partitions; partition += 1) {
    const member = members[partition % members.length]!;
    const stop = new AbortController();
    const finished = consume(member, group.topic, partition, stop.signal).catch((error: unknown) => {
      member.failure ??= { error };
      void rebalance(group);
    });
    member.running.set(partition, { stop, finished });
  }
}

/** Passes the batches of a partition to the handler. A damaged stretch holds the partition, and no other. */
async function consume(member: Member, topic: TopicId, partition: number, signal: AbortSignal): Promise<void> {
  const { group, log, handler } = member;
  try {
    const from = await handler.assigned(partition, await log.committed(group, topic, partition));
    for await (const batch of log.read({ topic, partition, from, to: 'follow', signal })) {
      if (signal.aborted || member.failure !== null) return;
      await handler.batch(batch, signal);
    }
  } catch (error) {
    if (damageOf(error) === null) throw error;
    handler.held?.(partition);
    if (!signal.aborted) await once(signal, 'abort');
  }
}
