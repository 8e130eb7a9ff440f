// Recognises this service's own pages: browsers say in `Origin` and `Referer` where a request comes from.
import type { CallerHeaders } from './caller.ts';
import { isNameAtHome } from './operators.ts';

/** `from`, an `Origin` or `Referer`, is of this service: of the host that is asked, or of the public address. `baseUrl` is '' if it is not known. */
export function isOwnPage(from: CallerHeaders[string], { host }: CallerHeaders, baseUrl: string): boolean {
  const page = urlOf(from);
  if (page === null || page.host === '') return false;
  return page.host === urlOf(`http://${String(host ?? '')}`)?.host || page.origin === urlOf(baseUrl)?.origin;
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
  return urlOf(baseUrl)?.host === String(headers['host']).toLowerCase();
}

function urlOf(text: CallerHeaders[string]): URL | null {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text) : null;
}
