// Requests of group members to their coordinator, in versions that every broker since 2.5 supports. Instance ids are null: members are not static.
//
//   JoinGroup 5    group string, session int32 ms, rebalance int32 ms, member id string, instance id string or null, protocol type string,
//                  protocols: name string, metadata bytes
//                  → throttle time int32, error int16, generation int32, protocol string, leader string, member id string,
//                    members: member id string, instance id string or null, metadata bytes
//   SyncGroup 3    group string, generation int32, member id string, instance id, assignments: member id string, assignment bytes
//                  → throttle time int32, error int16, assignment bytes
//   Heartbeat 3    group string, generation int32, member id string, instance id → throttle time int32, error int16
//   LeaveGroup 3   group string, members: member id string, instance id
//                  → throttle time int32, error int16, members: member id string, instance id, error int16
import { protocolError } from '../kafkajs-transport.ts';
import type { BrokerRequest } from '../transport.ts';
import { succeeded, WireReader, WireWriter } from './wire.ts';

const JOIN = { apiKey: 11, apiVersion: 5, apiName: 'JoinGroup', beginsWithThrottle: true } as const;
const SYNC = { apiKey: 14, apiVersion: 3, apiName: 'SyncGroup', beginsWithThrottle: true, warns: true } as const;
const HEARTBEAT = { apiKey: 12, apiVersion: 3, apiName: 'Heartbeat', beginsWithThrottle: true, warns: true } as const;
const LEAVE = { apiKey: 13, apiVersion: 3, apiName: 'LeaveGroup', beginsWithThrottle: true, warns: true } as const;
const PROTOCOL_TYPE = 'consumer';
/** Kafka's code: the broker has assigned an id with which the member must join (KIP-394). */
const MEMBER_ID_REQUIRED = 79;
/** A broker may delay the response to a join until the end of the rebalance. */
const JOIN_EXTRA_MS = 5000;

interface JoinRequest {
  readonly group: string;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  /** '' before the member has one. */
  readonly memberId: string;
  readonly protocol: string;
  readonly metadata: Buffer;
}

export interface JoinResponse {
  /** The member has not joined yet: it must join again with `memberId`. */
  readonly isIdOnly: boolean;
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  /** All members, for the leader; empty for the others. */
  readonly members: readonly { readonly memberId: string; readonly metadata: Buffer }[];
}

export function joinRequest({ group, sessionMs, rebalanceMs, memberId, protocol, metadata }: JoinRequest): BrokerRequest<JoinResponse> {
  const writer = new WireWriter().string(group).int32(sessionMs).int32(rebalanceMs).string(memberId).string(null).string(PROTOCOL_TYPE);
  return {
    ...JOIN,
    body: writer.list([protocol], (name) => writer.string(name).block(metadata)).written,
    responseMsMax: rebalanceMs + JOIN_EXTRA_MS,
    warns: memberId !== '',
    read(bytes) {
      const response = new WireReader(bytes);
      response.int32();
      const code = response.int16();
      if (code !== 0 && code !== MEMBER_ID_REQUIRED) throw protocolError(code);
      const generationId = response.int32();
      response.string();
      const leaderId = response.string();
      const given = response.string();
      const members = response.list(() => {
        const id = response.string();
        response.string();
        return { memberId: id, metadata: response.block() };
      });
      return { isIdOnly: code === MEMBER_ID_REQUIRED, generationId, leaderId, memberId: given, members };
    },
  };
}

interface GroupMemberId {
  readonly group: string;
  readonly generationId: number;
  readonly memberId: string;
}

/** Returns the assignment of the member. The leader sends those of all members. */
export function syncRequest(
  { group, generationId, memberId }: GroupMemberId,
  assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
): BrokerRequest<Buffer> {
  const writer = new WireWriter().string(group).int32(generationId).string(memberId).string(null);
  return {
    ...SYNC,
    body: writer.list(assignments, (given) => writer.string(given.memberId).block(given.assignment)).written,
    read: (bytes) => succeeded(bytes).block(),
  };
}

export function heartbeatRequest({ group, generationId, memberId }: GroupMemberId): BrokerRequest<void> {
  return {
    ...HEARTBEAT,
    body: new WireWriter().string(group).int32(generationId).string(memberId).string(null).written,
    read: (bytes) => void succeeded(bytes),
  };
}

export function leaveRequest(group: string, memberId: string): BrokerRequest<void> {
  const writer = new WireWriter().string(group);
  return {
    ...LEAVE,
    body: writer.list([memberId], (id) => writer.string(id).string(null)).written,
    read(bytes) {
      const response = succeeded(bytes);
      response.list(() => {
        response.string();
        response.string();
        response.succeeded();
      });
    },
  };
}
