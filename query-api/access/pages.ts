// Recognises the requests of pages for people: of our own pages, which say so, and of web maps below our address, which their `Referer` shows. At 150 s a
// picture is dead, so they have a bucket of their own. Anyone can pretend to be a page: it is a bound, not a lock.
import { PAGE_HEADER, PAGE_PARAMETER } from '../../schemas/tiers.ts';
import type { CallerHeaders } from './caller.ts';
import type { AccessRules } from './operators.ts';
import { isOwnPage } from './own-pages.ts';

/** Paths that our own pages read. */
const OWN_PATHS = /^\/(?:v2\/|ws(?:[/?]|$))/;
/** Paths that web maps of readsb read. */
const MAP_PATHS = /^\/(?:data|globe_history|re-api|api\/0)(?:[/?]|$)/;
const PAGE_QUERY = new RegExp(`[?&]${PAGE_PARAMETER}=1(?:&|$)`);

export class Pages {
  private readonly isOn: boolean;
  private readonly baseUrl: string;

  /** `baseUrl` is '' if it is not known. */
  constructor({ pages }: Pick<AccessRules, 'pages'>, baseUrl: string) {
    this.isOn = pages === 'people';
    this.baseUrl = baseUrl;
  }

  /** `url` is the path and query of a request; '' where there are no pages. */
  has(url: string, headers: CallerHeaders): boolean {
    if (!this.isOn) return false;
    const { origin, referer } = headers;
    if (MAP_PATHS.test(url)) return isOwnPage(referer, headers, this.baseUrl);
    if (!OWN_PATHS.test(url)) return false;
    if (headers[PAGE_HEADER] === '1') return true;
    // A browser sends no `Origin` with an event stream of the page's own host.
    return PAGE_QUERY.test(url) && isOwnPage(origin ?? referer, headers, this.baseUrl);
  }
}
