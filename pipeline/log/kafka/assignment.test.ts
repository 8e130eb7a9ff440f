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

test.each([
  ['evenly', range(5).map(() => []), 12, [2, 2, 2, 3, 3], 1],
  ['with more members than partitions', range(5).map(() => []), 2, [0, 0, 0, 1, 1], 1],
  ['with a partition that two members claim', [[0, 1], [1]], 2, [1, 1], 2],
])('a group begins %s', (_, owned, partitions, expected, roundsMax) => {
  const { shares, rounds } = settle(
    owned.map((own, i) => ({ memberId: `m${i}`, owned: own })),
    partitions,
  );
  expect(sizes(shares)).toEqual(expected);
  expect(rounds).toBeLessThanOrEqual(roundsMax);
});

test('a new member gets its share in two rounds; nothing moves between the others', () => {
  const before = settle(
    [
      { memberId: 'a', owned: range(12) },
      { memberId: 'b', owned: [] },
    ],
    12,
  ).shares;
  expect(sizes(before)).toEqual([6, 6]);
  const { shares, rounds } = settle([...[...before].map(([memberId, owned]) => ({ memberId, owned })), { memberId: 'c', owned: [] }], 12);
  expect(sizes(shares)).toEqual([4, 4, 4]);
  expect(rounds).toBe(2);
  for (const memberId of ['a', 'b']) expect(before.get(memberId)).toEqual(expect.arrayContaining(shares.get(memberId)!));
});

test('the partitions of a leaving member are assigned at once, and nothing else moves', () => {
  const members = [
    { memberId: 'a', owned: [0, 3, 6, 9] },
    { memberId: 'b', owned: [1, 4, 7, 10] },
  ];
  const { shares, rounds } = settle(members, 12);
  expect(sizes(shares)).toEqual([6, 6]);
  expect(rounds).toBe(1);
  for (const { memberId, owned } of members) expect(shares.get(memberId)).toEqual(expect.arrayContaining(owned));
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
