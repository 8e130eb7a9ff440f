// Admission of connections: one limit for all, one per address. When connections are nearly used up, a new connection replaces the one that has
// sent no frame for the longest time.
import { limits } from '../../schemas/limits.ts';
import { principalAddress } from '../runtime/plain-address.ts';
import type { FeederSession } from './feeder-session.ts';

/** The parts of a connection that admission uses. */
export type Admitted = Pick<FeederSession, 'address' | 'isClosed' | 'silentMs' | 'close'>;

export interface AdmissionLimits {
  /** Connections at a time, including those that this service opened. */
  readonly connectionsMax: number;
  /** Connections of one address, or of one IPv6 /64 network. Null: the limit, or its share where connections are few. */
  readonly connectionsPerAddressMax: number | null;
}

export type RefusalReason = 'connection_limit' | 'address_limit';

export class FeederAdmission {
  private readonly connectionsMax: number;
  private readonly connectionsPerAddressMax: number;
  private readonly sessions = new Set<Admitted>();
  private readonly byNetwork = new Map<string, number>();

  constructor({ connectionsMax, connectionsPerAddressMax }: AdmissionLimits) {
    const share = Math.ceil(connectionsMax * limits.feederConnectionsPerAddressRatio);
    this.connectionsMax = connectionsMax;
    this.connectionsPerAddressMax = connectionsPerAddressMax ?? Math.min(limits.feederConnectionsPerAddressMax, share);
  }

  /** Why an address may not connect; null if it may. `connections` is the number of all connections. May close a silent connection. */
  refusal(address: string, connections: number, nowMs: number): RefusalReason | null {
    const { connectionsMax, connectionsPerAddressMax } = this;
    if ((this.byNetwork.get(principalAddress(address)) ?? 0) >= connectionsPerAddressMax) return 'address_limit';
    if (connections < connectionsMax * limits.feederConnectionsScarceRatio) return null;
    const silent = this.longestSilent(nowMs);
    if (silent !== null && silent.silentMs(nowMs) >= limits.feederSilentMsMax) {
      silent.close('silent');
      return null;
    }
    return connections < connectionsMax ? null : 'connection_limit';
  }

  enter(session: Admitted): void {
    const network = principalAddress(session.address);
    this.sessions.add(session);
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + 1);
  }

  leave(session: Admitted): void {
    if (!this.sessions.delete(session)) return;
    const network = principalAddress(session.address);
    const left = this.byNetwork.get(network)! - 1;
    if (left === 0) this.byNetwork.delete(network);
    else this.byNetwork.set(network, left);
  }

  private longestSilent(nowMs: number): Admitted | null {
    let found: Admitted | null = null;
    for (const session of this.sessions) {
      if (session.isClosed || (found !== null && session.silentMs(nowMs) <= found.silentMs(nowMs))) continue;
      found = session;
    }
    return found;
  }
}
