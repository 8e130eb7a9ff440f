// Parts of all pages: elements by id, elements of text, requests of pages.

/** The element with this id, which the page has. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>>;
/** A new element with attributes and content; texts stay texts. A handler is a function: `{ onclick }`. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
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

export const button = (content: Child, onclick: (event: Event) => void, attributes: Attributes = {}): HTMLButtonElement =>
  element('button', { type: 'button', onclick, ...attributes }, content);

/** Sets a text that changed: pictures cost no layout, and screen readers read what is set. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
export function setHidden(node: HTMLElement, isHidden: boolean): void {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}
/** A notice, or none without a text. */
export function setNotice(node: HTMLElement, text: string): void {
  setText(node, text);
  setHidden(node, text === '');
}

/** Phones, as style sheets have them. */
export const NARROW = '(max-width: 44rem)';

/** The colours are dark: by choice, or by the system. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

/** The address of a path of this service: pages are in its root, whatever prefix a proxy gives it. */
export const serviceUrl = (path: string): URL => new URL(path, new URL('.', document.baseURI));

/** Requests of pages have a bucket of their own. */
export const PAGE_HEADERS = { 'X-Squitter-Page': '1' };

/** An error response of the service. */
export class ResponseError extends Error {
  readonly status: number;
  /** A code of the catalogue of errors; empty if the response has none. */
  readonly code: string;
  /** Seconds until the same request may do better; 0 is unknown. */
  readonly retryAfterS: number;
  constructor(status: number, detail: string, { retryAfterS = 0, code = '' } = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
  /** The same request would fail again. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}

/** Errors: `ResponseError`; a `TypeError` without a network. */
export async function ask(url: URL, signal: AbortSignal | null = null, more: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { signal, ...more, headers: { ...PAGE_HEADERS, ...more.headers } });
  if (response.ok) return response;
  const { detail, code = '' } = (await response.json().catch(() => ({}))) as { detail?: string; code?: string };
  const retryAfterS = Number(response.headers.get('retry-after') ?? 0);
  throw new ResponseError(response.status, detail ?? `the service responded with ${response.status}`, { retryAfterS, code });
}

/** JSON of the service. Errors: `ResponseError`; a `TypeError` without a network. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(serviceUrl(path), signal);
  return (await response.json()) as T;
}
