// Recognises the requests of pages for people: of our own pages, which say so, and of web maps below our address, which their `Referer` shows. At 150 s a
// picture is dead, so they have a bucket of their own. Anyone can pretend to be a page: it is a bound, not a lock.
import { PAGE_HEADER, PAGE_PARAMETER } from '../../schemas/tiers.ts';
import type { CallerHeaders } from './caller.ts';
import { type AccessRules, isNameAtHome } from './operators.ts';

/** Paths that our own pages read. */
const OWN_PATHS = /^\/(?:v2\/|ws(?:[/?]|$))/;
/** Paths that web maps of readsb read. */
const MAP_PATHS = /^\/(?:data|globe_history|re-api|api\/0)(?:[/?]|$)/;
const PAGE_QUERY = new RegExp(`[?&]${PAGE_PARAMETER}=1(?:&|$)`);

/** True for a request of a page. `url` is its path and query, '' where there are no pages; `baseUrl` is '' if it is not known. */
export function isOfPage({ pages }: Pick<AccessRules, 'pages'>, baseUrl: string, url: string, headers: CallerHeaders): boolean {
  if (pages !== 'people') return false;
  const { origin, referer } = headers;
  if (MAP_PATHS.test(url)) return isOwnPage(referer, headers, baseUrl);
  if (!OWN_PATHS.test(url)) return false;
  if (headers[PAGE_HEADER] === '1') return true;
  // A browser sends no `Origin` with an event stream of the page's own host.
  return PAGE_QUERY.test(url) && isOwnPage(origin ?? referer, headers, baseUrl);
}

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
