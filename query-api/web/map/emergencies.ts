// Emergencies cannot be missed: a mark around each aircraft, an arrow at the border for one outside of the view, and a notice with what it means.
import { byId, element, NARROW } from '../page/parts.ts';
import { emergencyOf } from '../panel/facts.ts';
import { nameOf } from '../sky/columns.ts';
import { type Aircraft, keyOf } from '../sky/picture.ts';
import type { MapPage, OpenPart } from './map-page.ts';
import { xOf, yOf } from './mercator.ts';

/** Notices at a time, and on a phone; the others are counted. */
const NOTICES_MAX = 3;
const NOTICES_OF_PHONE = 1;
const BORDER_PIXELS = 26;
const SHOWN_ZOOM = 8;

/** Those that a squawk says come first. */
const rank = ({ squawk }: Aircraft): number => Number(!/^7[567]00$/.test(String(squawk)));

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
  const { map, on } = page;
  const marks = new Map<string, HTMLElement>();
  const closed = new Set<string>();
  const notices = element('div', { id: 'emergencies' });
  byId('notices').prepend(notices);
  let emergencies: readonly Aircraft[] = [];
  let written = '';
  on('picture', (picture) => {
    emergencies = [...picture.emergencies].sort((a, b) => rank(a) - rank(b));
    for (const [hex, mark] of marks) {
      if (emergencies.some((each) => each.hex === hex)) continue;
      mark.remove();
      marks.delete(hex);
    }
    for (const { hex } of emergencies) {
      if (marks.has(hex)) continue;
      const mark = element('div', { class: 'emergency' });
      byId('marks').append(mark);
      marks.set(hex, mark);
    }
    write();
  });
  /** Notices change only with what they say, so that a screen reader reads each once. */
  const write = (): void => {
    const open = emergencies.filter((each) => !closed.has(keyOfNotice(each)));
    const text = open.map((each) => `${keyOfNotice(each)} ${nameOf(each)}`).join();
    if (text === written) return;
    written = text;
    const close = (aircraft: Aircraft): void => {
      closed.add(keyOfNotice(aircraft));
      write();
    };
    const most = matchMedia(NARROW).matches ? NOTICES_OF_PHONE : NOTICES_MAX;
    const more = open.length - most;
    notices.replaceChildren(
      ...open.slice(0, most).map((each) => noticeOf(page, each, close)),
      ...(more > 0 ? [element('p', { class: 'notice problem' }, `${more} more ${more === 1 ? 'emergency' : 'emergencies'}`)] : []),
    );
  };
  map.onDraw(() => {
    for (const aircraft of emergencies) move(page, marks.get(aircraft.hex)!, aircraft);
  });
};

const keyOfNotice = (aircraft: Aircraft): string => `${aircraft.hex} ${emergencyOf(aircraft)}`;

/** Where an aircraft is on the screen, shown or filtered out; null without a position. */
function screenOf({ map: { positions, camera, nowMs } }: MapPage, { hex, lat, lon }: Aircraft): readonly [number, number] | null {
  const number = positions?.numberOf(keyOf(hex)) ?? -1;
  if (number >= 0) {
    positions!.locateOne(number, camera, nowMs());
    return [positions!.screenX(number), positions!.screenY(number)];
  }
  return typeof lat === 'number' && typeof lon === 'number' ? camera.screenOf(xOf(lon), yOf(lat)) : null;
}

function move(page: MapPage, mark: HTMLElement, aircraft: Aircraft): void {
  const at = screenOf(page, aircraft);
  mark.hidden = at === null;
  if (at === null) return;
  const border = atBorder(at[0], at[1], page.map.camera);
  mark.classList.toggle('outside', border !== null);
  mark.style.setProperty('transform', `translate(${border?.x ?? at[0]}px, ${border?.y ?? at[1]}px) rotate(${border?.degrees ?? 0}deg)`);
}

function noticeOf({ store, map }: MapPage, aircraft: Aircraft, close: (aircraft: Aircraft) => void): HTMLElement {
  const { hex, lat, lon } = aircraft;
  const hasPosition = typeof lat === 'number' && typeof lon === 'number';
  const show = (): void => {
    store.set({ selected: [hex] });
    if (hasPosition) map.moveTo({ lat, lon, zoom: Math.max(SHOWN_ZOOM, map.camera.zoom) });
  };
  return element(
    'p',
    { class: 'notice problem' },
    element('span', {}, element('strong', {}, nameOf(aircraft)), `: ${emergencyOf(aircraft)}`),
    element('button', { type: 'button', onclick: show }, 'Show'),
    element(
      'button',
      { type: 'button', class: 'close', onclick: () => close(aircraft), 'aria-label': `Close the notice of ${nameOf(aircraft)}` },
      '×',
    ),
  );
}
