// Limits of open sockets: bytes sent to them count, their tier may change, and their key or their day may end.
import type { CallerAccess } from '../../query-api/access/access.ts';
import { type Pace, type Tier, tierLimits } from '../../schemas/tiers.ts';
import type { SocketId } from '../transport/transport.ts';
import type { Subscriber } from './subscriber.ts';

/** The hub's side. */
export interface CallersOptions {
  readonly access: CallerAccess;
  readonly sentBytes: (socket: SocketId) => number;
  readonly sendControl: (socket: SocketId, message: Readonly<Record<string, unknown>>) => void;
  /** Ends the socket with an error. */
  readonly fail: (subscriber: Subscriber, error: unknown) => void;
  /** Moves the socket's streams to the class of its new tier or pace. */
  readonly move: (subscriber: Subscriber, tier: Tier, pace: Pace) => void;
}

/** Share of the day's bytes at which a client with control frames is warned. */
const WARNED_FROM = 0.8;

/** Counts the bytes that a socket was sent, and follows the tier of its caller. */
export function checkCaller(options: CallersOptions, subscriber: Subscriber): void {
  const { access, fail, move } = options;
  const { caller, tier, pace } = subscriber;
  if (caller.tier === 'anonymous' || subscriber.isEnded) return;
  try {
    spend(options, subscriber);
    const now = access.check(caller);
    const pacedNow = access.pace(caller, now);
    if (now === tier && pacedNow === pace) return;
    [subscriber.tier, subscriber.pace] = [now, pacedNow];
    move(subscriber, now, pacedNow);
  } catch (error) {
    fail(subscriber, error);
  }
}

/** The socket is gone. */
export function leaveCaller(options: CallersOptions, subscriber: Subscriber): void {
  spend(options, subscriber);
  subscriber.lease.close();
}

function spend({ access, sentBytes, sendControl }: CallersOptions, subscriber: Subscriber): void {
  const { caller, socket, tier } = subscriber;
  const sent = sentBytes(socket);
  const left = access.spend(caller, sent - subscriber.spentBytes);
  subscriber.spentBytes = sent;
  if (left === null || tier === 'anonymous' || subscriber.isWarned || !subscriber.hasControl) return;
  const { dayBytesMax } = tierLimits[tier];
  if (dayBytesMax - left < WARNED_FROM * dayBytesMax) return;
  subscriber.isWarned = true;
  const detail = `${Math.max(0, left)} bytes of the ${dayBytesMax} of this day are left; then the stream ends until 00:00 UTC`;
  sendControl(socket, { type: 'status', code: 'budget', detail });
}
