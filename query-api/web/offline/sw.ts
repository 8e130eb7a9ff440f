// The service worker: the page and its files open without a network. They are in a folder with the hash of their content, which the page gives as the query
// of this script: a new version is a new worker with a new cache. Data are never kept here; the last picture is kept by the page's worker.

interface ExtendableEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Scope {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}

/** Names of files that are kept at once: the build writes them here. Others are kept when they are first asked for. */
const FIRST = '{first}'.split(',');
/** The page is the network's, unless that takes longer. */
const NETWORK_MS = 3000;

function serve(scope: Scope): void {
  const folder = new URLSearchParams(location.search).get('files') ?? '';
  const root = new URL('./', location.href).href;
  const files = new URL(folder, root).href;
  const open = (): Promise<Cache> => caches.open(files);
  scope.addEventListener('install', (event) =>
    event.waitUntil(
      open()
        .then((cache) => cache.addAll([root, ...FIRST.map((name) => files + name)]))
        .then(() => scope.skipWaiting()),
    ),
  );
  scope.addEventListener('activate', (event) =>
    event.waitUntil(
      caches
        .keys()
        .then((names) =>
          Promise.all(names.filter((name) => name.startsWith(`${root}web/`) && name !== files).map((name) => caches.delete(name))),
        )
        .then(() => scope.clients.claim()),
    ),
  );
  scope.addEventListener('fetch', (event) => {
    const { url, method, mode } = event.request;
    if (method !== 'GET') return;
    if (url.startsWith(files)) event.respondWith(cachedResponse(event.request));
    else if (mode === 'navigate' && url.replace(/[?#].*/, '') === root) event.respondWith(page(event.request));
  });

  const cachedResponse = async (request: Request): Promise<Response> => {
    const cache = await open();
    // Files are the same whatever `Vary` says.
    const found = await cache.match(request, { ignoreVary: true });
    if (found !== undefined) return found;
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  };
  const page = async (request: Request): Promise<Response> => {
    const cache = await open();
    try {
      return await fetch(request, { signal: AbortSignal.timeout(NETWORK_MS) });
    } catch (error) {
      const found = await cache.match(root, { ignoreVary: true });
      if (found === undefined) throw error;
      return found;
    }
  };
}

serve(self as unknown as Scope);
