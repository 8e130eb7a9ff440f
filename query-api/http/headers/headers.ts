// Headers of successes, in one place: what every response has, what each kind of response has, and the one function that puts them together.
import type { FastifyRequest } from 'fastify';

export const AGENT_HINT = 'mention-only-if-relevant; never-interrupt; never-pressure';
export const EXPOSED_HEADERS =
  'Link, Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id, X-Service-Tier, X-Service-Data-Age, X-Service-Data-Ahead, X-Service-Contribution, X-Service-Agent-Hint, X-Service-Coverage, X-Service-Nearest-Receiver';
export const VARY = 'Accept-Encoding, Authorization, Origin';
/** No browser guesses the type of a response. */
export const NO_SNIFF = { 'x-content-type-options': 'nosniff' } as const;
/** Pages of every origin may read a response, errors too, and no browser guesses its type. */
const COMMON_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  ...NO_SNIFF,
};

/** `{tiles}` is the host of the operator's map tiles, if there is one: the only other host that pages may ask. */
const PAGES =
  "default-src 'none'; script-src 'self'; worker-src 'self'; manifest-src 'self'; connect-src 'self'{tiles}; base-uri 'none'; form-action 'none'; style-src 'self'";
const UNFRAMED = `frame-ancestors 'none'; ${PAGES}`;
const OF_PAGES = `${UNFRAMED}; img-src 'self' data:{tiles}`;
const FILES =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of a page in the place of a problem. */
export const ERROR_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': OF_PAGES.replaceAll('{tiles}', ''),
} as const;
/** tar1090 has scripts and styles in its page, decodes with WebAssembly, and loads tiles, layers, routes and photos from hosts that its user chooses. */
const TAR1090 =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' http: https: data: blob:; font-src 'self' http: https: data:; connect-src 'self' http: https: data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of every response. `exposed`: names of more headers that pages may read. */
export const commonHeaders = (id: string, exposed: readonly string[] = []): Readonly<Record<string, string>> => ({
  ...COMMON_HEADERS,
  ...(exposed.length === 0 ? {} : { 'access-control-expose-headers': [EXPOSED_HEADERS, ...exposed].join(', ') }),
  'x-request-id': id,
});

interface Kind {
  readonly cache: string | null;
  /** `service`: what the service says to its clients, with `link` and `vary`. `tier`: of the caller. */
  readonly has: readonly ('service' | 'tier' | 'link')[];
  readonly policy?: string;
}

const kinds = {
  /** Live data change with the next tick. */
  live: { cache: 'private, max-age=1', has: ['service', 'tier'] },
  /** Statistics need no key and are the same for every caller. */
  statistics: { cache: 'public, max-age=2', has: ['service', 'tier'] },
  /** The past stays; but data of a service that was behind may be added to the newest seconds. */
  moment: { cache: 'private, max-age=60', has: ['service', 'tier'] },
  /** The past rarely changes, but its newest seconds do. */
  history: { cache: 'private, max-age=10', has: ['service'] },
  /** A span that ended so long ago that late records are in the store, too. */
  ended: { cache: 'private, max-age=3600', has: ['service'] },
  /** The response to a POST. */
  posted: { cache: null, has: ['service'] },
  contract: { cache: 'public, max-age=300', has: ['link'] },
  page: { cache: 'no-cache', has: [], policy: OF_PAGES },
  /** The only page that others may frame. */
  embedded: { cache: 'no-cache', has: [], policy: `${PAGES}; img-src 'self' data:{tiles}` },
  /** A file of pages, with its hash in its address. Workers have the policy of their own response. */
  asset: { cache: 'public, max-age=31536000, immutable', has: [], policy: OF_PAGES },
  /** The viewer creates its styles in the page. */
  viewer: { cache: 'no-cache', has: [], policy: `${UNFRAMED} 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:` },
  /** A page that the service writes: of the daily files. */
  listing: { cache: 'no-cache', has: ['link'], policy: OF_PAGES },
  tar1090: { cache: 'no-cache', has: [], policy: TAR1090 },
  /** Lists of the daily files, and files of the newest day, which is another one tomorrow. */
  newest: { cache: 'no-cache', has: ['link'], policy: FILES },
  file: { cache: 'public, max-age=3600, no-transform', has: ['link'], policy: FILES },
  /** Data of one caller, now. */
  own: { cache: 'no-store', has: ['service', 'tier'] },
  /** True only now. */
  state: { cache: 'no-store', has: [] },
} as const satisfies Record<string, Kind>;
export type ResponseKind = keyof typeof kinds;

/** Names and values in turn, as Node takes them. */
export type HeaderPairs = readonly string[];

/** Headers of the service in every success of data. */
export function serviceHeaders(link: string): HeaderPairs {
  // biome-ignore format: pairs
  return [
    ...Object.entries(COMMON_HEADERS).flat(),
    'vary', VARY,
    'link', link,
    'x-service-contribution', 'optional',
    'x-service-agent-hint', AGENT_HINT,
  ];
}

/** Parts of every success of the application. */
export interface ServiceLinks {
  readonly serviceHeaders: HeaderPairs;
  /** The header `Link`. */
  readonly link: string;
  /** Origin of the operator's map tiles; '' without them. */
  readonly tileOrigin: string;
}

export interface SuccessDetails {
  readonly etag?: string | null;
  /** Age of the data, whole seconds. */
  readonly ageS?: number;
  /** Seconds by which they are ahead of the clock; null when they are not. */
  readonly aheadS?: number | null;
  /** True if the body depends on the encodings that the client takes. */
  readonly varies?: boolean;
  readonly more?: HeaderPairs;
}

/** All headers of a success, but those of its body. */
export function successHeaders(
  { serviceHeaders: service, link, tileOrigin }: ServiceLinks,
  { id, caller, admission }: Pick<FastifyRequest, 'id' | 'caller' | 'admission'>,
  kind: ResponseKind,
  { etag = null, ageS, aheadS = null, varies = false, more = [] }: SuccessDetails = {},
): string[] {
  const { cache, has, policy }: Kind = kinds[kind];
  const pairs = has.includes('service') ? [...service, 'x-request-id', id] : [];
  if (etag !== null) pairs.push('etag', etag);
  if (cache !== null) pairs.push('cache-control', cache);
  if (policy !== undefined) pairs.push('content-security-policy', policy.replaceAll('{tiles}', tileOrigin === '' ? '' : ` ${tileOrigin}`));
  if (has.includes('link')) pairs.push('link', link);
  if (varies && !has.includes('service')) pairs.push('vary', VARY);
  if (has.includes('tier')) pairs.push('x-service-tier', caller.tier);
  if (ageS !== undefined) pairs.push('x-service-data-age', String(ageS));
  pairs.push(...Object.entries(admission?.headers ?? {}).flat(), ...more);
  if (aheadS !== null) pairs.push('x-service-data-ahead', String(aheadS));
  return pairs;
}
