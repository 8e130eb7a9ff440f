// Assignment of partitions to members: even, and members keep their partitions as far as possible. A partition that moves stays unassigned for one
// round, in which its owner gives it back. So the other members never stop, and no member gets a partition that another still processes.
//
//   subscription   version int16, topics: string each, user data bytes: the owned partitions as JSON
//   assignment     version int16, topics: name string, partitions int32 each; user data bytes
import { WireReader, WireWriter } from './wire/wire.ts';

export const ASSIGNER_NAME = 'squitter-sticky';
const ASSIGNER_VERSION = 1;

export interface MemberPartitions {
  readonly memberId: string;
  /** Partitions that the member processes now. */
  readonly owned: readonly number[];
}

/** Subscription of a member, in the format of the group's other members and of Kafka's own tools. */
export function encodeSubscription(topic: string, owned: readonly number[]): Buffer {
  const userData = Buffer.from(JSON.stringify(owned));
  const writer = new WireWriter().int16(ASSIGNER_VERSION);
  return writer.list([topic], (name) => writer.string(name)).block(userData).written;
}

export function decodeSubscription(memberId: string, bytes: Buffer): MemberPartitions {
  const reader = new WireReader(bytes);
  reader.int16();
  reader.list(() => reader.string());
  return { memberId, owned: JSON.parse(reader.block().toString()) as number[] };
}

export function encodeAssignment(topic: string, partitions: readonly number[]): Buffer {
  const items = partitions.map((partition) => ({ topic, partition }));
  const writer = new WireWriter().int16(ASSIGNER_VERSION);
  return writer.topics(items, ({ partition }) => writer.int32(partition)).block(Buffer.alloc(0)).written;
}

export function decodeAssignment(topic: string, bytes: Buffer): number[] {
  // A member without partitions may get an empty assignment.
  if (bytes.length === 0) return [];
  const reader = new WireReader(bytes);
  reader.int16();
  const assigned = reader.list(() => ({ name: reader.string(), partitions: reader.list(() => reader.int32()) }));
  return assigned.find(({ name }) => name === topic)?.partitions ?? [];
}

/** Partitions of each member after this round, by member id. */
export function assign(members: readonly MemberPartitions[], partitions: number): Map<string, number[]> {
  const share = Math.floor(partitions / members.length);
  let larger = partitions % members.length;
  const owner = new Map<number, string>();
  const shares = new Map<string, number[]>();
  // The members with the most partitions may keep one more than the others.
  const byOwned = [...members].sort((a, b) => b.owned.length - a.owned.length || (a.memberId < b.memberId ? -1 : 1));
  for (const { memberId, owned } of byOwned) {
    const own = [...owned].sort((a, b) => a - b).filter((partition) => partition < partitions && !owner.has(partition));
    for (const partition of own) owner.set(partition, memberId);
    const keepsOneMore = own.length > share && larger > 0;
    if (keepsOneMore) larger -= 1;
    shares.set(memberId, own.slice(0, keepsOneMore ? share + 1 : share));
  }
  for (let partition = 0; partition < partitions; partition += 1) {
    if (owner.has(partition)) continue;
    const [fewest] = [...shares.values()].sort((a, b) => a.length - b.length);
    fewest!.push(partition);
  }
  return shares;
}
