// A subscriber: one connection with its profile, its caller and its streams.
import type { Lease } from '../../query-api/access/access.ts';
import type { Caller } from '../../query-api/access/caller.ts';
import type { Pace, Tier } from '../../schemas/tiers.ts';
import type { ChannelId, SocketId } from '../transport/transport.ts';
import type { Encoding } from './encodings.ts';
import type { ServiceClass } from './service-class.ts';
import type { Topic } from './topic.ts';

export interface Stream {
  readonly topic: Topic;
  readonly channel: ChannelId;
}

export class Subscriber {
  readonly socket: SocketId;
  readonly caller: Caller;
  readonly lease: Lease;
  /** The caller's tier now. */
  tier: Tier;
  pace: Pace;
  serviceClass: ServiceClass;
  readonly encoding: Encoding;
  /** By the number of the topic. */
  readonly streams = new Map<number, Stream>();
  isClosed = false;
  /** It was closed here, and its end is under way. */
  isEnded = false;
  /** Bytes that its caller's day has. */
  spentBytes = 0;
  /** A warning was sent that little of the day is left. */
  isWarned = false;
  /** Frames were skipped: it needs fulls when it has read what is queued. */
  isBehind = false;
  /** Its last request, until it has read the bytes queued before. */
  wanted: ((isBehind: boolean) => void) | null = null;
  /** Steps for it that wait for their turn. */
  waiting = 0;

  constructor(socket: SocketId, lease: Lease, pace: Pace, serviceClass: ServiceClass, encoding: Encoding) {
    this.socket = socket;
    this.caller = lease.caller;
    this.lease = lease;
    this.tier = lease.caller.tier;
    this.pace = pace;
    this.serviceClass = serviceClass;
    this.encoding = encoding;
  }

  /** Speaks a subprotocol with control frames. */
  get hasControl(): boolean {
    return this.encoding === 'named' || this.encoding === 'binary';
  }
}
