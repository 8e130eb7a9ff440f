// Notices about the picture: that its traffic is simulated, that nothing is heard, that this device cannot draw.
import type { MapPage } from '../map/map-page.ts';
import { byId, element, setHidden } from '../page/parts.ts';
import { watch } from '../page/watch.ts';

/** An empty sky is said after this time. */
const EMPTY_MS = 5000;
const STATS_S = 60;

export function openNotices({ store, map, on }: MapPage): void {
  const notice = (...content: readonly (Node | string)[]): HTMLElement => {
    const made = element('p', { class: 'notice', hidden: true }, ...content);
    byId('notices').append(made);
    return made;
  };
  const simulated = notice('Simulated traffic: these aircraft do not exist.');
  const empty = notice(
    ...['No aircraft is heard. Give this service a receiver (', element('code', {}, 'squitter start --feed HOST:30005'), ') or '],
    ...[element('a', { href: 'contribute' }, 'send it what yours hears'), '.'],
  );
  if (!map.canDraw) {
    notice('This browser has no WebGL2, which the map needs: the table has all aircraft.').hidden = false;
    document.body.classList.add('no-map');
    store.set({ table: true });
  }
  let emptySinceMs: number | null = null;
  on('picture', ({ counts, nowMs }) => {
    emptySinceMs = counts.aircraft > 0 || store.view.atMs !== null ? null : (emptySinceMs ?? nowMs);
    empty.hidden = emptySinceMs === null || nowMs - emptySinceMs < EMPTY_MS;
  });
  watch<{ simulated?: boolean }>({
    ...{ path: 'v2/stats', everyS: STATS_S },
    done: ({ simulated: isSimulated }) => setHidden(simulated, isSimulated !== true),
  });
}
