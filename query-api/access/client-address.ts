// The address of a client: that of its connection, or, behind proxies that the operator trusts, the one that they report. Every way in finds it here.
import { isAddress, type Networks, plainAddress } from '../../pipeline/runtime/plain-address.ts';
import type { CallerHeaders } from './caller.ts';

/** A proxy adds one of these, or one that begins with `x-forwarded`: the connection is then the proxy's, not the client's. */
const forwarding: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
]);

/** True when a header says that somebody forwards the request. A proxy of TCP connections adds none. */
export function isForwarded(headers: CallerHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith('x-forwarded') || forwarding.has(name));
}

/**
 * The address that the trusted proxies report: of the chain in `Forwarded` (RFC 7239) or `X-Forwarded-For`, the last address that is no trusted proxy.
 * Headers of anybody else count for nothing. If both headers are there and disagree, the client may have sent one of them: neither counts.
 */
export function clientAddress(connection: string, headers: CallerHeaders, trusted: Networks): string {
  const peer = plainAddress(connection);
  if (!trusted.has(peer)) return peer;
  const chains = [forwardedChain(textOf(headers['forwarded'])), plainChain(textOf(headers['x-forwarded-for']))];
  const clients = new Set(chains.filter((chain) => chain.length > 0).map((chain) => lastUntrusted(peer, chain, trusted)));
  return clients.size === 1 ? [...clients][0]! : peer;
}

/** The first proxy, which the client speaks with, reports TLS. */
export function isForwardedTls(headers: CallerHeaders): boolean {
  const plain = textOf(headers['x-forwarded-proto']).split(',')[0]!.trim();
  const [, , reported = ''] = /^[^,]*?(?:^|;)\s*proto=("?)([^";,]*)\1/i.exec(textOf(headers['forwarded'])) ?? [];
  return [plain, reported].some((scheme) => scheme.toLowerCase() === 'https');
}

function lastUntrusted(peer: string, chain: readonly string[], trusted: Networks): string {
  let client = peer;
  for (const reported of chain.toReversed()) {
    if (!trusted.has(client)) break;
    const address = addressOf(reported);
    // `unknown`, or a name that hides it: what a proxy does not report is the proxy itself.
    if (address === null) break;
    client = address;
  }
  return client;
}

function forwardedChain(header: string): readonly string[] {
  if (header === '') return [];
  return header.split(',').map((element) => /(?:^|;)\s*for=("?)([^";]*)\1/i.exec(element)?.[2] ?? '');
}

function plainChain(header: string): readonly string[] {
  return header === '' ? [] : header.split(',');
}

/** The address in `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` and `[2001:db8::1]:80`. */
function addressOf(text: string): string | null {
  const trimmed = text.trim();
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? (isAddress(trimmed) ? trimmed : trimmed.replace(/:\d+$/, ''));
  return isAddress(address) ? plainAddress(address) : null;
}

function textOf(header: CallerHeaders[string]): string {
  return typeof header === 'string' ? header : (header ?? []).join(',');
}
