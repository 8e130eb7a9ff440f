// Parts of all pages: elements by id, elements of text, requests of pages.

/** The element with this id, which the page has. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

type Child = Node | string | null;
/** A new element with attributes and content; texts stay texts. A handler is a function: `{ onclick }`. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Phones, as style sheets have them. */
export const NARROW = '(max-width: 44rem)';

/** The address of a path of this service: pages are in its root, whatever prefix a proxy gives it. */
export const serviceUrl = (path: string): URL => new URL(path, new URL('.', document.baseURI));

/** Requests of pages have a bucket of their own. */
export const PAGE_HEADERS = { 'X-Squitter-Page': '1' };

/** An error response of the service. */
export class ResponseError extends Error {
  readonly status: number;
  /** As in the catalogue of errors; empty if the response has none. */
  readonly code: string;
  /** Seconds until the same request may do better; 0 is unknown. */
  readonly retryAfterS: number;
  constructor(status: number, detail: string, { retryAfterS = 0, code = '' } = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

/** Errors: `ResponseError`; a `TypeError` without a network. */
export async function ask(url: URL, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, { headers: PAGE_HEADERS, ...(signal === undefined ? {} : { signal }) });
  if (response.ok) return response;
  const { detail, code } = (await response.json().catch(() => ({}))) as { detail?: string; code?: string };
  const retryAfterS = Number(response.headers.get('retry-after') ?? 0);
  throw new ResponseError(response.status, detail ?? `the service responded with ${response.status}`, { retryAfterS, code: code ?? '' });
}

/** JSON of the service. Errors: `ResponseError`; a `TypeError` without a network. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(serviceUrl(path), signal);
  return (await response.json()) as T;
}
