// Decides who is the operator, who has no limits: by the profile of access, the address, and how the client names the service.
import { networkInterfaces } from 'node:os';
import { isAddress, isPrivateAddress, Networks, principalAddress } from '../../pipeline/runtime/plain-address.ts';
import type { CallerHeaders } from './caller.ts';
import { clientAddress, isForwarded, isForwardedTls } from './client-address.ts';

/**
 * `home`: programs on this machine and in its private networks are the operator. `tiers`: only the networks that are named are.
 * `open`: there are no limits.
 */
export const accessProfiles = ['home', 'tiers', 'open'] as const;
export type AccessProfile = (typeof accessProfiles)[number];

/** `people`: pages have a bucket of their own. `tiers`: they count as all else. */
export const pageRules = ['people', 'tiers'] as const;
export type PageRule = (typeof pageRules)[number];

export interface AccessRules {
  readonly profile: AccessProfile;
  /** Networks without limits. */
  readonly unlimited: readonly string[];
  /** Networks whose `Forwarded` and `X-Forwarded-For` count. */
  readonly trustedProxies: readonly string[];
  readonly pages: PageRule;
}

/** Own IPv6 networks may change while the service runs. */
const OWN_NETWORKS_MS = 60_000;

export class Operators {
  readonly profile: AccessProfile;
  private readonly unlimited: Networks;
  private readonly trusted: Networks;
  private readonly nowMs: () => number;
  private own: ReadonlySet<string> = new Set();
  private ownUntilMs = Number.NEGATIVE_INFINITY;

  /** Error: `access.bad_network`. */
  constructor({ profile, unlimited, trustedProxies }: AccessRules, nowMs: () => number) {
    this.profile = profile;
    this.unlimited = new Networks('--unlimited', unlimited);
    this.trusted = new Networks('--trusted-proxy', trustedProxies);
    this.nowMs = nowMs;
  }

  addressOf(connection: string, headers: CallerHeaders): string {
    return clientAddress(connection, headers, this.trusted);
  }

  /** A trusted proxy says that the client speaks TLS with it. */
  isTls(connection: string, headers: CallerHeaders): boolean {
    return this.trusted.has(connection) && isForwardedTls(headers);
  }

  /** `address` is that of the client, from `addressOf`. */
  isOperator(address: string, headers: CallerHeaders): boolean {
    if (this.unlimited.has(address)) return true;
    if (this.profile !== 'home' || isForwarded(headers) || !isNameAtHome(headers)) return false;
    return (isAddress(address) && isPrivateAddress(address)) || this.ownNetworks().has(principalAddress(address));
  }

  /** The IPv6 /64 networks of this machine. */
  private ownNetworks(): ReadonlySet<string> {
    const nowMs = this.nowMs();
    if (nowMs < this.ownUntilMs) return this.own;
    this.ownUntilMs = nowMs + OWN_NETWORKS_MS;
    const addresses = Object.values(networkInterfaces()).flatMap((addressList) => addressList ?? []);
    this.own = new Set(addresses.filter(({ family }) => family === 'IPv6').map(({ address }) => principalAddress(address)));
    return this.own;
  }
}

/**
 * True for an address, `localhost`, a name without a dot, or a `.local` name. A request for another name comes through a tunnel or a name that
 * somebody else points here (DNS rebinding): then a page of theirs would be the operator.
 */
export function isNameAtHome(headers: CallerHeaders): boolean {
  const host = headers['host'] ?? headers[':authority'] ?? 'localhost';
  const name = String(host)
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isAddress(name) || /^[a-z0-9_-]+(\.local)?\.?$/.test(name);
}
