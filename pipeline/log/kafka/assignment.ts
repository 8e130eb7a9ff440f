// Who gets which partitions: evenly, and everybody keeps what he has as far as that goes. A partition that moves is free for one round,
// in which its owner gives it back; so the others never stop, and nobody gets what somebody still works on.
import { AssignerProtocol } from 'kafkajs';

export const ASSIGNER_NAME = 'squitter-sticky';
const ASSIGNER_VERSION = 1;

export interface MemberPartitions {
  readonly memberId: string;
  /** Partitions that the member works on. */
  readonly owned: readonly number[];
}

/** Subscription of a member as others of the group, and Kafka's own tools, read it. */
export function encodeSubscription(topic: string, owned: readonly number[]): Buffer {
  const userData = Buffer.from(JSON.stringify(owned));
  return AssignerProtocol.MemberMetadata.encode({ version: ASSIGNER_VERSION, topics: [topic], userData });
}

export function decodeSubscription(memberId: string, bytes: Buffer): MemberPartitions {
  const metadata = AssignerProtocol.MemberMetadata.decode(bytes);
  return { memberId, owned: metadata === null ? [] : (JSON.parse(metadata.userData.toString()) as number[]) };
}

export function encodeAssignment(topic: string, partitions: readonly number[]): Buffer {
  return AssignerProtocol.MemberAssignment.encode({
    version: ASSIGNER_VERSION,
    assignment: { [topic]: [...partitions] },
    userData: Buffer.alloc(0),
  });
}

export function decodeAssignment(topic: string, bytes: Buffer): number[] {
  return AssignerProtocol.MemberAssignment.decode(bytes)?.assignment[topic] ?? [];
}

/** Partitions of each member after this round, by member id. */
export function assign(members: readonly MemberPartitions[], partitions: number): Map<string, number[]> {
  const share = Math.floor(partitions / members.length);
  let larger = partitions % members.length;
  const owner = new Map<number, string>();
  const kept = new Map<string, number[]>();
  // Who has most may keep one more than the others.
  const byOwned = [...members].sort((a, b) => b.owned.length - a.owned.length || (a.memberId < b.memberId ? -1 : 1));
  for (const { memberId, owned } of byOwned) {
    const own = [...owned].sort((a, b) => a - b).filter((partition) => partition < partitions && !owner.has(partition));
    for (const partition of own) owner.set(partition, memberId);
    const keepsOneMore = own.length > share && larger > 0;
    if (keepsOneMore) larger -= 1;
    kept.set(memberId, own.slice(0, keepsOneMore ? share + 1 : share));
  }
  for (let partition = 0; partition < partitions; partition += 1) {
    if (owner.has(partition)) continue;
    const [fewest] = [...kept.values()].sort((a, b) => a.length - b.length);
    fewest!.push(partition);
  }
  return kept;
}
