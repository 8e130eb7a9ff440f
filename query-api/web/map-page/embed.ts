// The map alone, for frames in pages of others: centre, zoom, filters and time are in the address. A link opens the whole page.

import type { MapPage } from '../map/map-page.ts';
import { openPicking } from '../map/picking.ts';
import { byId, element } from '../page/parts.ts';
import { writeView } from '../page/view.ts';
import { openMapPage } from './open-page.ts';

function openLink({ store }: MapPage): void {
  const link = element('a', { class: 'chip', target: '_blank', rel: 'noopener' }, 'Squitter');
  store.listen((view) => {
    link.href = `./?${writeView(view)}`;
  });
  byId('corner').append(link);
}

/** The moment of the address: frames have no bar of time. */
function openMoment({ store, post }: MapPage): void {
  const { atMs, pace } = store.view;
  if (atMs !== null) post({ kind: 'moment', atMs, pace });
}

openMapPage([openPicking, openLink, openMoment]);
