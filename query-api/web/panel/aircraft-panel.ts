// The panel of the selected aircraft: one of them in full, and a list of all if there are several. The last of the selection is the one in full.
import type { MapPage } from '../map/map-page.ts';
import { Facts } from '../page/lists.ts';
import { element } from '../page/parts.ts';
import { dateTime } from '../page/units.ts';
import { nameOf } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';
import { textOf } from '../sky/values.ts';
import { openActions, openChosen, openLinks, openOperators } from './aircraft-parts.ts';
import { emergencyOf, factsOf, flightRows, identityRows, integrityRows } from './facts.ts';
import { openPastFlights } from './movements.ts';
import { onSubject, openHead, type Panel, section } from './panel.ts';
import { openPlots } from './plots.ts';
import { openRoute } from './route.ts';

export function openAircraftPanel(page: MapPage): Panel {
  const { store, me } = page;
  let hex = '';
  let aircraft: Aircraft | undefined;
  const head = openHead(...openActions(page, () => aircraft));
  const [route, plots, pastFlights, links] = [openRoute(page), openPlots(page), openPastFlights(store), openLinks()];
  const sections = [route, plots, pastFlights, links];
  const [operators, chosen] = [openOperators(), openChosen(page)];
  const [flight, integrity, identity] = [flightRows, integrityRows, identityRows].map((rows) => ({ rows, facts: new Facts() }));
  const all = [
    ...[chosen.element, ...head.elements, route.element, section('Flight', flight!.facts.list), plots.element],
    ...[section('Position and its integrity', integrity!.facts.list), section('Aircraft', identity!.facts.list)],
    ...[pastFlights.element, links.element],
  ];
  const nameIn = (): string => (aircraft === undefined ? hex : nameOf(aircraft));

  const update = (nowMs: number): void => {
    const { units, atMs } = store.view;
    const { r, t, desc, ownOp }: Partial<Aircraft> = aircraft ?? {};
    const emergency = aircraft === undefined ? '' : emergencyOf(aircraft);
    head.update({
      name: nameIn(),
      about: [r, desc ?? t, ownOp].flatMap((each) => textOf(each) ?? []).join(' · '),
      urgent: emergency === '' ? '' : `Emergency: ${emergency}`,
      notice: aircraft === undefined ? `${hex} is not heard ${atMs === null ? 'now' : `at ${dateTime(atMs)} UTC`}.` : '',
    });
    if (aircraft === undefined) return;
    const context = { units, me: me.position, operator: operators(aircraft) };
    for (const { rows, facts } of [flight!, integrity!, identity!]) facts.update(hex, factsOf(rows, aircraft, context));
    for (const each of sections) each.update?.(aircraft, nowMs);
  };
  page.on('details', ({ selected, nowMs }) => {
    aircraft = selected.find((each) => each.hex === hex);
    chosen.update(selected);
    if (hex !== '') update(nowMs);
  });
  const key: Panel['key'] = ({ selected }) => selected.at(-1) ?? '';
  onSubject(store, key, (subject, atMs) => {
    if (subject !== hex) {
      [hex, aircraft] = [subject, undefined];
      for (const { facts } of [flight!, integrity!, identity!]) facts.update(hex, []);
      update(0);
    }
    for (const each of sections) each.show(hex, atMs);
  });
  return {
    ...{ element: element('section', { class: 'panel' }, ...all), key },
    title: ({ selected }) => (selected.length > 1 ? `${selected.length} aircraft` : nameIn()),
    close: () => store.set({ selected: [], isolated: false, follows: false }),
  };
}
