// Membership of a group: join, sync, heartbeat, leave. kafkajs's own consumer releases partitions without prior notice, stops all of them at every
// change, and sends no heartbeats while it waits for a batch; a worker would lose its last chance to commit.
import { limits } from '../../../schemas/limits/index.ts';
import { pause, pauseAfter } from '../../runtime/retry.ts';
import { settledWithin, untilAborted } from '../../runtime/waiting.ts';
import { ASSIGNER_NAME, assign, decodeAssignment, decodeSubscription, encodeAssignment, encodeSubscription } from './assignment.ts';
import { isTransient, kafkaCode } from './failures.ts';
import type { CommittingMember } from './produce/transaction.ts';
import { type BrokerConnection, GROUP_COORDINATOR, type Transport } from './transport.ts';
import { heartbeatRequest, type JoinResponse, joinRequest, leaveRequest, syncRequest } from './wire/group-requests.ts';
import type { MemberIdentity } from './wire/offset-commit-request.ts';

interface MembershipOptions {
  readonly transport: Transport;
  readonly groupId: string;
  /** Name of the topic on the brokers. */
  readonly topic: string;
  readonly partitions: number;
  /** Session timeout of the member. */
  readonly sessionMs: number;
}

/** Why a member's assignment ends. */
export type AssignmentEnd = 'rebalance' | 'lost' | 'stopped';

export class Membership implements CommittingMember {
  private readonly options: MembershipOptions;
  private coordinator: BrokerConnection | null = null;
  private memberId = '';
  /** Identity in the last joined generation; null before the first join, and after the group has removed the member. */
  identity: MemberIdentity | null = null;

  constructor(options: MembershipOptions) {
    this.options = options;
  }

  /** Called when the broker refused a commit because it does not know this member. */
  refused(identity: MemberIdentity): void {
    if (this.identity === identity) this.forgotten();
  }

  /** Joins, or joins again with its owned partitions. Returns its partitions, or `lost` if the group has removed this member. */
  async join(owned: readonly number[], signal: AbortSignal): Promise<readonly number[] | 'lost' | 'stopped'> {
    for (let failures = 0; !signal.aborted; ) {
      // A removed member owns nothing.
      if (owned.length > 0 && this.identity === null) return 'lost';
      try {
        return await untilAborted(this.joinOnce(owned), signal, 'stopped');
      } catch (error) {
        // Rule 4: these codes are results, not failures. They are acted on and not retried.
        const code = kafkaCode(error);
        if (code === 'REBALANCE_IN_PROGRESS') continue;
        if (code === 'UNKNOWN_MEMBER_ID' || code === 'ILLEGAL_GENERATION') return this.forgotten();
        await this.findAgain(error);
        failures += 1;
        await pause(pauseAfter(failures, limits.kafkaRetryMs, limits.kafkaRetryMsMax), signal);
      }
    }
    return 'stopped';
  }

  /** Sends heartbeats until the assignment ends. A short broker outage changes nothing: brokers remember their members. */
  async watch(signal: AbortSignal): Promise<AssignmentEnd> {
    const { groupId } = this.options;
    while (!signal.aborted) {
      await pause(limits.kafkaHeartbeatMs, signal);
      if (signal.aborted) break;
      if (this.identity === null) return 'lost';
      const { memberId, generationId } = this.identity;
      try {
        const coordinator = await this.findCoordinator();
        await coordinator.send(heartbeatRequest({ group: groupId, generationId, memberId }));
      } catch (error) {
        // Rule 4 again.
        const code = kafkaCode(error);
        if (code === 'REBALANCE_IN_PROGRESS') return 'rebalance';
        if (code === 'UNKNOWN_MEMBER_ID' || code === 'ILLEGAL_GENERATION') return this.forgotten();
        await this.findAgain(error);
      }
    }
    return 'stopped';
  }

  /** Leaves the group at once, so that it does not wait for the session timeout. */
  async leave(): Promise<void> {
    if (this.memberId === '') return;
    const { groupId } = this.options;
    const { memberId } = this;
    this.forgotten();
    const leaving = this.findCoordinator().then((coordinator) => coordinator.send(leaveRequest(groupId, memberId)));
    await settledWithin(leaving, limits.kafkaCloseMsMax);
  }

  private async joinOnce(owned: readonly number[]): Promise<number[]> {
    const { groupId, topic, partitions, sessionMs } = this.options;
    const coordinator = await this.findCoordinator();
    const joinAs = (id: string): Promise<JoinResponse> =>
      coordinator.send(
        joinRequest({
          group: groupId,
          sessionMs,
          rebalanceMs: limits.kafkaRebalanceMsMax,
          memberId: id,
          protocol: ASSIGNER_NAME,
          metadata: encodeSubscription(topic, owned),
        }),
      );
    const first = await joinAs(this.memberId);
    const { generationId, leaderId, memberId, members } = first.isIdOnly ? await joinAs(first.memberId) : first;
    this.memberId = memberId;
    this.identity = { memberId, generationId };
    const shares = memberId === leaderId ? assign(members.map(subscriptionOf), partitions) : new Map<string, number[]>();
    const assignments = [...shares].map(([id, share]) => ({ memberId: id, assignment: encodeAssignment(topic, share) }));
    return decodeAssignment(topic, await coordinator.send(syncRequest({ group: groupId, generationId, memberId }, assignments)));
  }

  private async findCoordinator(): Promise<BrokerConnection> {
    this.coordinator ??= await this.options.transport.coordinator(GROUP_COORDINATOR, this.options.groupId);
    return this.coordinator;
  }

  /** After a transient error: looks up the coordinator again, which may be another broker now. */
  private async findAgain(error: unknown): Promise<void> {
    if (!isTransient(error)) throw error;
    this.coordinator = null;
    await this.options.transport.refresh().catch(() => undefined);
  }

  private forgotten(): 'lost' {
    this.memberId = '';
    this.identity = null;
    return 'lost';
  }
}

function subscriptionOf({ memberId, metadata }: JoinResponse['members'][number]) {
  return decodeSubscription(memberId, metadata);
}
