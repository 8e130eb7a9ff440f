// The panel of the selected aircraft: one of them in full, and a list of all if there are several. The last of the selection is the one in full.
import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import { dateTime } from '../page/units.ts';
import { nameOf } from '../sky/columns.ts';
import type { Aircraft } from '../sky/picture.ts';
import { openActions, openChosen, openLinks, openOperators } from './aircraft-parts.ts';
import { emergencyOf, type Fact, flightFacts, identityFacts, integrityFacts, textOf } from './facts.ts';
import { Facts, setHidden, setText } from './lists.ts';
import { openPastFlights } from './movements.ts';
import type { Panel } from './panel.ts';
import { openPlots } from './plots.ts';
import { openRoute } from './route.ts';

/** A moment that changes is looked up when it stays for so long. */
const SETTLED_MS = 700;

export function openAircraftPanel(page: MapPage): Panel {
  const { store, me } = page;
  let [hex, nowMs] = ['', 0];
  let aircraft: Aircraft | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const head = openHead();
  const [route, plots, pastFlights] = [openRoute(page), openPlots(page), openPastFlights(store)];
  const [operators, links, chosen] = [openOperators(), openLinks(), openChosen(page)];
  const parts: readonly { readonly title: string; readonly list: Facts; readonly facts: (aircraft: Aircraft) => Fact[] }[] = [
    { title: 'Flight', list: new Facts(), facts: (each) => flightFacts(each, store.view.units) },
    { title: 'Position and its integrity', list: new Facts(), facts: (each) => integrityFacts(each, store.view.units, me.position) },
    { title: 'Aircraft', list: new Facts(), facts: (each) => identityFacts(each, operators(each)) },
  ];
  const [flight, integrity, identity] = parts.map(({ title, list }) => element('section', {}, element('h3', {}, title), list.list));
  const body = element(
    ...(['section', { class: 'panel' }, chosen.element, head.element, openActions(page, () => aircraft)] as const),
    ...[route.element, flight!, plots.element, integrity!, identity!, pastFlights.element, links.element],
  );

  const update = (): void => {
    head.update(hex, aircraft, store.view.atMs);
    if (aircraft === undefined) return;
    for (const { list, facts } of parts) list.update(hex, facts(aircraft));
    for (const section of [route, plots]) section.update(aircraft, nowMs);
  };
  const load = (): void => {
    const { atMs } = store.view;
    links.show(hex, atMs);
    for (const section of [route, plots, pastFlights]) section.show(hex, atMs);
  };
  page.on('details', (details) => {
    nowMs = details.nowMs;
    aircraft = details.selected.find((each) => each.hex === hex);
    chosen.update(details.selected);
    if (hex !== '') update();
  });
  store.listen((view, before) => {
    const shown = view.selected.at(-1) ?? '';
    const isPast = view.atMs !== null;
    if (shown !== hex) {
      [hex, aircraft] = [shown, undefined];
      for (const { list } of parts) list.update(hex, []);
      clearTimeout(timer);
      load();
      update();
    } else if (view.atMs !== before.atMs && (view.pace === 0 || isPast !== (before.atMs !== null))) {
      clearTimeout(timer);
      timer = setTimeout(load, SETTLED_MS);
    } else if (view.units !== before.units && hex !== '') update();
  });
  return {
    element: body,
    key: ({ selected }) => selected.at(-1) ?? '',
    title: ({ selected }) => (selected.length > 1 ? `${selected.length} aircraft` : aircraft === undefined ? hex : nameOf(aircraft)),
    close: () => store.set({ selected: [], isolated: false, follows: false }),
  };
}

/** Name, what it is, an emergency, and that it is not heard. */
function openHead() {
  const [name, about] = [element('h2'), element('p', { class: 'quiet' })];
  const [emergency, unheard] = [element('p', { class: 'notice problem' }), element('p', { class: 'notice' })];
  return {
    element: element('div', { class: 'panel-head' }, name, about, emergency, unheard),
    update: (hex: string, aircraft: Aircraft | undefined, atMs: number | null): void => {
      setText(name, aircraft === undefined ? hex : nameOf(aircraft));
      const { r, t, desc, ownOp }: Partial<Aircraft> = aircraft ?? {};
      setText(about, [r, desc ?? t, ownOp].flatMap((each) => textOf(each) ?? []).join(' · '));
      const reasons = aircraft === undefined ? '' : emergencyOf(aircraft);
      setHidden(emergency, reasons === '');
      setText(emergency, reasons === '' ? '' : `Emergency: ${reasons}`);
      setHidden(unheard, aircraft !== undefined);
      setText(unheard, aircraft !== undefined ? '' : `${hex} is not heard ${atMs === null ? 'now' : `at ${dateTime(atMs)} UTC`}.`);
    },
  };
}
