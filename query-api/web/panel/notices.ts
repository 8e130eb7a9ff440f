// What everybody must know of the picture: that its traffic is simulated, that nothing is heard, that this device cannot draw.
import { hasWebGl } from '../map/aircraft-layer.ts';
import type { MapPage } from '../map/map-page.ts';
import { byId, element, getJson } from '../page/parts.ts';

/** An empty sky is said after this time. */
const EMPTY_MS = 5000;
const STATS_MS = 60_000;

export function openNotices({ store, on }: MapPage): void {
  const slot = byId('notices');
  const simulated = element('p', { class: 'notice', hidden: true }, 'Simulated traffic: these aircraft do not exist.');
  const empty = element(
    ...(['p', { class: 'notice', hidden: true }] as const),
    'No aircraft is heard. Give this service a receiver (',
    ...[element('code', {}, 'squitter start --feed HOST:30005'), ') or '],
    ...[element('a', { href: 'contribute' }, 'send it what yours hears'), '.'],
  );
  const noMap = element(
    'p',
    { class: 'notice', hidden: true },
    'This browser has no WebGL2, which the map needs: the table has all aircraft.',
  );
  slot.append(simulated, empty, noMap);
  if (!hasWebGl()) {
    noMap.hidden = false;
    document.body.classList.add('no-map');
    store.set({ table: true });
  }
  let emptySinceMs: number | null = null;
  on('picture', ({ counts, nowMs }) => {
    emptySinceMs = counts.aircraft > 0 || store.view.atMs !== null ? null : (emptySinceMs ?? nowMs);
    empty.hidden = emptySinceMs === null || nowMs - emptySinceMs < EMPTY_MS;
  });
  const ask = async (): Promise<void> => {
    const stats = await getJson<{ simulated?: boolean }>('v2/stats').catch(() => null);
    if (stats !== null) simulated.hidden = stats.simulated !== true;
  };
  void ask();
  setInterval(() => {
    if (!document.hidden) void ask();
  }, STATS_MS);
}
