// The route of the aircraft in the panel, with its progress and times.
import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import type { Units } from '../page/units.ts';
import { textOf } from './facts.ts';
import { type Airport, codeOf, type Flight, flightAt, type PastFlight, pastRouteOf, type Route, routeOf } from './flight.ts';
import { Facts, setHidden, setText } from './lists.ts';
import type { Section } from './panel.ts';
import { watch } from './watch.ts';

const LIVE_S = 15;
/** Flights that were under way at a moment began and ended within these spans. */
const BEFORE_S = 86_400;

/** Origin, bar and destination. An airport opens its board. */
class RouteLine {
  readonly element: HTMLElement;
  private readonly ends: readonly HTMLButtonElement[];
  private readonly progress = element('progress', { max: 100, 'aria-label': 'Progress of the flight' });
  private readonly facts = new Facts();
  private readonly note = element('p', { class: 'quiet' });
  private readonly line: HTMLElement;
  private shown: Route | null = null;

  constructor(opened: (code: string) => void) {
    this.ends = (['origin', 'destination'] as const).map((end) =>
      element('button', {
        ...{ type: 'button', class: 'airport', 'data-end': end },
        onclick: () => {
          const { icao, iata, local } = this.shown?.[end] ?? {};
          opened(icao ?? iata ?? local ?? '');
        },
      }),
    );
    this.line = element('div', { class: 'route' }, this.ends[0]!, this.progress, this.ends[1]!);
    this.element = element('div', {}, this.line, this.facts.list, this.note);
  }

  show(subject: string, route: Route | null, problem = ''): void {
    this.shown = route;
    const { origin, destination, progress = null, facts = [], note = problem } = route ?? {};
    setHidden(this.line, origin === undefined && destination === undefined);
    for (const [n, airport] of [origin, destination].entries()) this.showEnd(this.ends[n]!, airport);
    setHidden(this.progress, progress === null);
    if (progress !== null && this.progress.value !== progress) this.progress.value = progress;
    this.facts.update(subject, facts);
    setText(this.note, note);
  }

  private showEnd(button: HTMLButtonElement, airport: Partial<Airport> | undefined): void {
    const name = airport?.name ?? '';
    if (button.disabled !== (airport === undefined)) button.disabled = airport === undefined;
    const text = airport === undefined ? '?' : codeOf(airport);
    if (button.title !== name || button.textContent !== `${text}${name}`) {
      button.replaceChildren(element('b', {}, text), element('span', {}, name));
      button.title = name;
    }
  }
}

export function openRoute({ store }: MapPage): Section {
  const line = new RouteLine((code) => store.set({ airport: code }));
  const all = element('section', {}, element('h3', {}, 'Route'), line.element);
  let [stop, hex, callSign] = [(): void => {}, '', ''];
  let present: Flight | null = null;
  let past: readonly PastFlight[] | null = null;
  const failed = (problem: string): void => line.show(hex, null, problem);
  const show = (nowMs: number): void => {
    const found = past === null ? undefined : flightAt(past, nowMs);
    if (found !== undefined) line.show(hex, pastRouteOf(found, nowMs));
    else if (present !== null && past === null) line.show(hex, routeOf(present, nowMs, store.view.units));
    else if (present?.flight?.trim() === callSign) line.show(hex, underWay(present, nowMs, store.view.units));
    else if (past !== null) failed('No flight that was under way then is known.');
  };
  const loadPresent = (everyS: number | null): (() => void) =>
    watch<{ flight: Flight; now: number }>({
      ...{ path: `v2/flight/${hex}`, everyS, failed },
      done: ({ flight, now }) => {
        present = flight;
        show(store.view.atMs ?? now * 1000);
      },
    });
  const loadPast = (atMs: number): (() => void) =>
    watch<{ flights: readonly PastFlight[] }>({
      ...{ path: `v2/aircraft/${hex}/flights?${spanOf(atMs, Date.now())}`, everyS: null, failed },
      done: ({ flights }) => {
        past = flights;
        show(atMs);
        // Only ended flights are in the history.
        if (flightAt(flights, atMs) === undefined) stop = loadPresent(null);
      },
    });
  return {
    element: all,
    show: (subject, atMs) => {
      stop();
      [hex, present, past] = [subject, null, null];
      line.show(subject, null, 'The route is being requested.');
      if (subject !== '') stop = atMs === null ? loadPresent(LIVE_S) : loadPast(atMs);
    },
    update: ({ flight }, nowMs) => {
      callSign = textOf(flight) ?? '';
      const { atMs, pace } = store.view;
      show(atMs === null || pace > 0 ? nowMs : atMs);
    },
  };
}

/** The route of a flight that has not ended, at a moment of the past: what it does now is left out. */
const underWay = (flight: Flight, nowMs: number, units: Units): Route => {
  const { origin, destination, facts } = routeOf(flight, nowMs, units);
  const note = 'This flight has not ended: its progress at this moment is not known.';
  return { origin, destination, progress: null, facts: facts.slice(0, 1), note };
};

/** From a day before to a day after a moment; nothing is after now. */
const spanOf = (atMs: number, nowMs: number): string => {
  const at = Math.round(atMs / 1000);
  return `from=${at - BEFORE_S}&to=${Math.min(at + BEFORE_S, Math.round(nowMs / 1000))}`;
};
