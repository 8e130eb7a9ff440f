// Partitions are assigned evenly, and stay with their members as far as possible.
import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { assign, decodeAssignment, decodeSubscription, encodeAssignment, encodeSubscription, type MemberPartitions } from './assignment.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Rounds until nothing moves: each member gives back its revoked partitions, then joins again. */
function settle(members: MemberPartitions[], partitions: number): { shares: Map<string, number[]>; rounds: number } {
  let now = members;
  for (let rounds = 1; ; rounds += 1) {
    const shares = assign(now, partitions);
    const owners = range(partitions).map((partition) => [...shares].filter(([, share]) => share.includes(partition)).length);
    // In no round does a partition have two owners, or go to a member while another still owns it.
    expect(Math.max(...owners)).toBeLessThanOrEqual(1);
    for (const { memberId, owned } of now)
      for (const partition of shares.get(memberId)!)
        if (!owned.includes(partition)) expect(now.some((other) => other.owned.includes(partition))).toBe(false);
    const next = now.map(({ memberId }) => ({ memberId, owned: shares.get(memberId)! }));
    if (owners.every((count) => count === 1)) return { shares, rounds };
    now = next;
  }
}

const sizes = (shares: Map<string, number[]>): number[] => [...shares.values()].map(({ length }) => length).sort((a, b) => a - b);

/** Partitions that members own at first, the sizes of their shares, and the rounds until then. */
test.each<[string, number[][], number, number[], number]>([
  ['evenly at the beginning', range(5).map(() => []), 12, [2, 2, 2, 3, 3], 1],
  ['to some of more members than partitions', range(5).map(() => []), 2, [0, 0, 0, 1, 1], 1],
  ['to one of two members that claim it', [[0, 1], [1]], 2, [1, 1], 2],
  ['to a new member, in two rounds, and nothing moves between the others', [range(6), range(12).slice(6), []], 12, [4, 4, 4], 2],
  [
    'at once when their member leaves, and nothing else moves',
    [
      [0, 3, 6, 9],
      [1, 4, 7, 10],
    ],
    12,
    [6, 6],
    1,
  ],
])('partitions are given %s', (_, owned, partitions, expected, roundsMax) => {
  const members = owned.map((own, i) => ({ memberId: `m${i}`, owned: own }));
  const { shares, rounds } = settle(members, partitions);
  expect(sizes(shares)).toEqual(expected);
  expect(rounds).toBeLessThanOrEqual(roundsMax);
  for (const { memberId, owned: before } of members) {
    const now = shares.get(memberId)!;
    // A member keeps what it has, or gives back only as much as the others lack.
    expect(before.filter((partition) => now.includes(partition)).length).toBe(Math.min(before.length, now.length));
  }
});

test("Kafka's own tools and other clients can read subscriptions and assignments", () => {
  const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol;
  const metadata = MemberMetadata.decode(encodeSubscription('t', [3, 1]))!;
  expect(metadata).toEqual({ version: 1, topics: ['t'], userData: Buffer.from('[3,1]') });
  expect(MemberAssignment.decode(encodeAssignment('t', [5, 0]))!.assignment).toEqual({ t: [5, 0] });
  const given = MemberAssignment.encode({ version: 1, assignment: { other: [9], t: [2] }, userData: Buffer.alloc(0) });
  expect(decodeAssignment('t', given)).toEqual([2]);
  expect(decodeSubscription('m', encodeSubscription('t', [3, 1]))).toEqual({ memberId: 'm', owned: [3, 1] });
  expect(decodeAssignment('t', Buffer.alloc(0))).toEqual([]);
});
