// The last aircraft that were seen, for a start without a network. In the browser's cache of this page, at an address that no server has.
import type { Seen } from './sky.ts';

const CACHE = 'last-picture';

interface Picture {
  readonly nowMs: number;
  readonly seen: readonly Seen[];
}

/** Keeps a picture in the place of the one before. Without a cache, as on plain http, nothing is kept. */
export async function keepPicture(base: URL, picture: Picture): Promise<void> {
  if (!('caches' in self)) return;
  const cache = await caches.open(CACHE);
  await cache.put(new URL(CACHE, base), new Response(JSON.stringify(picture)));
}

export async function keptPicture(base: URL): Promise<Picture | null> {
  if (!('caches' in self)) return null;
  const found = await (await caches.open(CACHE)).match(new URL(CACHE, base));
  return found === undefined ? null : ((await found.json()) as Picture);
}
