// Registers the service worker and keeps the last picture, so that the page opens without a network. Browsers allow both on https and localhost only.
import { serviceUrl } from '../page/parts.ts';

/** `files`: the folder of the page's files. */
export function registerOffline(files: URL): void {
  if (!('serviceWorker' in navigator)) return;
  const folder = files.href.slice(serviceUrl('.').href.length);
  const script = serviceUrl('sw.js');
  script.searchParams.set('files', folder);
  // Loaded after the first picture: it would take the bandwidth of the page itself.
  addEventListener('load', () => void navigator.serviceWorker.register(script).catch(() => undefined));
}
