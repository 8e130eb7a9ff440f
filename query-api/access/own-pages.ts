// Which pages are this service's own: browsers say in `Origin` where a request comes from.
import type { CallerHeaders } from './caller.ts';
import { isNameAtHome } from './operators.ts';

/** A page of this service sent the request: its origin is the public address, or has the host that is asked. */
export function isOwnPage(headers: CallerHeaders, baseUrl: string): boolean {
  const origin = String(headers['origin'] ?? '');
  if (!URL.canParse(origin)) return false;
  const { host, origin: canonical } = new URL(origin);
  return canonical === originOf(baseUrl) || (host !== '' && host === String(headers['host']).toLowerCase());
}

/**
 * The host that is asked is certainly this service: that of the public address, an address, or a name of a private network. Any other name may be
 * one that somebody points here (DNS rebinding), so that a page of theirs has the host that is asked.
 */
export function isOwnHost(headers: CallerHeaders, baseUrl: string): boolean {
  return isNameAtHome(headers) || isPublicHost(headers, baseUrl);
}

/** The host that is asked is that of the public address. */
export function isPublicHost(headers: CallerHeaders, baseUrl: string): boolean {
  return baseUrl !== '' && new URL(baseUrl).host === String(headers['host']).toLowerCase();
}

function originOf(url: string): string | null {
  return url === '' ? null : new URL(url).origin;
}
