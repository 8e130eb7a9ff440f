// Emergencies cannot be missed: a mark around each aircraft, an arrow at the border for one outside of the view, and a notice with what it means.

import type { MapPage, OpenPart } from '../map/map-page.ts';
import { button, byId, element, NARROW } from '../page/parts.ts';
import { emergencyOf } from '../panel/facts.ts';
import { nameOf } from '../sky/columns.ts';
import { xOf, yOf } from '../sky/mercator.ts';
import type { Aircraft } from '../sky/picture.ts';
import { positionOf } from '../sky/values.ts';

/** Notices at a time, and on a phone; the others are counted. */
const NOTICES_MAX = 3;
const NOTICES_OF_PHONE = 1;
const BORDER_PIXELS = 26;
const SHOWN_ZOOM = 8;

/** Those that a squawk says come first. */
const rank = ({ squawk }: Aircraft): number => Number(!/^7[567]00$/.test(String(squawk)));
const noticeKey = (aircraft: Aircraft): string => `${aircraft.hex} ${emergencyOf(aircraft)}`;

/** Where the line from the middle of the screen to a point meets its border; null for a point inside. */
export function atBorder(
  x: number,
  y: number,
  { width, height }: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number; readonly degrees: number } | null {
  if (x >= 0 && x <= width && y >= 0 && y <= height) return null;
  const [dx, dy] = [x - width / 2, y - height / 2];
  const part = Math.min(
    (width / 2 - BORDER_PIXELS) / Math.max(Math.abs(dx), 1e-9),
    (height / 2 - BORDER_PIXELS) / Math.max(Math.abs(dy), 1e-9),
  );
  return { x: width / 2 + dx * part, y: height / 2 + dy * part, degrees: (Math.atan2(dy, dx) * 180) / Math.PI };
}

export const openEmergencies: OpenPart = (page) => {
  const marks = element('div');
  const notices = element('div', { id: 'emergencies' });
  byId('marks').append(marks);
  byId('notices').prepend(notices);
  const closed = new Set<string>();
  let emergencies: readonly Aircraft[] = [];
  let written = '';
  /** Notices change only with what they say, so that a screen reader reads each once. */
  const write = (): void => {
    const open = emergencies.filter((each) => !closed.has(noticeKey(each)));
    const text = open.map((each) => `${noticeKey(each)} ${nameOf(each)}`).join();
    if (text === written) return;
    written = text;
    const close = (aircraft: Aircraft): void => {
      closed.add(noticeKey(aircraft));
      write();
    };
    const most = matchMedia(NARROW).matches ? NOTICES_OF_PHONE : NOTICES_MAX;
    const more = open.length - most;
    notices.replaceChildren(
      ...open.slice(0, most).map((each) => noticeOf(page, each, () => close(each))),
      ...(more > 0 ? [element('p', { class: 'notice problem' }, `${more} more ${more === 1 ? 'emergency' : 'emergencies'}`)] : []),
    );
  };
  page.on('picture', (picture) => {
    emergencies = [...picture.emergencies].sort((a, b) => rank(a) - rank(b));
    while (marks.children.length > emergencies.length) marks.lastElementChild!.remove();
    while (marks.children.length < emergencies.length) marks.append(element('div', { class: 'emergency' }));
    write();
  });
  page.map.onDraw(() => {
    for (const [i, aircraft] of emergencies.entries()) move(page, marks.children[i] as HTMLElement, aircraft);
  });
};

/** Moves a mark to its aircraft, shown or filtered out. */
function move({ map }: MapPage, mark: HTMLElement, aircraft: Aircraft): void {
  const position = positionOf(aircraft);
  const at = map.screenOf(aircraft.hex) ?? (position && map.camera.screenOf(xOf(position.lon), yOf(position.lat)));
  mark.hidden = at === undefined;
  if (at === undefined) return;
  const border = atBorder(at[0], at[1], map.camera);
  mark.classList.toggle('outside', border !== null);
  mark.style.setProperty('transform', `translate(${border?.x ?? at[0]}px, ${border?.y ?? at[1]}px) rotate(${border?.degrees ?? 0}deg)`);
}

function noticeOf({ store, map }: MapPage, aircraft: Aircraft, close: () => void): HTMLElement {
  const show = (): void => {
    const position = positionOf(aircraft);
    store.set({ selected: [aircraft.hex] });
    if (position !== undefined) map.moveTo({ ...position, zoom: Math.max(SHOWN_ZOOM, map.camera.zoom) });
  };
  const name = nameOf(aircraft);
  return element(
    'p',
    { class: 'notice problem' },
    element('span', {}, element('strong', {}, name), `: ${emergencyOf(aircraft)}`),
    button('Show', show, { 'aria-label': `Show ${name}` }),
    button('×', close, { class: 'close', 'aria-label': `Close the notice of ${name}` }),
  );
}
