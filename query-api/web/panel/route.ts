// The route of the aircraft in the panel, with its progress and times.
import type { MapPage } from '../map/map-page.ts';
import { Facts } from '../page/lists.ts';
import { element, setHidden, setText } from '../page/parts.ts';
import type { Units } from '../page/units.ts';
import { watch } from '../page/watch.ts';
import { textOf } from '../sky/values.ts';
import { codeOf, type Flight, flightAt, type PastFlight, pastRouteOf, type Route, routeOf } from './flight.ts';
import { type Section, section } from './panel.ts';

const LIVE_S = 15;
/** Flights that were under way at a moment began and ended within these spans. */
const BEFORE_S = 86_400;

/** Origin, bar, destination and facts. An airport opens its board. */
function openLine(opened: (code: string) => void) {
  const onclick = ({ currentTarget }: Event): void => opened((currentTarget as HTMLElement).dataset['code']!);
  const ends = (['origin', 'destination'] as const).map((end) => ({
    end,
    airport: element('button', { type: 'button', class: 'airport', onclick }, element('b'), element('span')),
  }));
  const progress = element('progress', { max: 100, 'aria-label': 'Progress of the flight' });
  const line = element('div', { class: 'route' }, ends[0]!.airport, progress, ends[1]!.airport);
  const [facts, note] = [new Facts(), element('p', { class: 'quiet' })];
  return {
    elements: [line, facts.list, note],
    /** Without a route the problem is shown. */
    show: (subject: string, route: Route | null, problem = ''): void => {
      setHidden(line, route?.origin === undefined && route?.destination === undefined);
      for (const { end, airport } of ends) {
        const { icao, iata, local, name = '' } = route?.[end] ?? {};
        airport.disabled = route?.[end] === undefined;
        [airport.title, airport.dataset['code']] = [name, icao ?? iata ?? local ?? ''];
        setText(airport.firstElementChild!, codeOf(route?.[end]));
        setText(airport.lastElementChild!, name);
      }
      setHidden(progress, (route?.progress ?? null) === null);
      progress.value = route?.progress ?? 0;
      facts.update(subject, route?.facts ?? []);
      setText(note, route?.note ?? problem);
    },
  };
}

export function openRoute({ store }: MapPage): Section {
  const line = openLine((airport) => store.set({ airport }));
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
    element: section('Route', ...line.elements),
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
  const { facts, ...route } = routeOf(flight, nowMs, units);
  const note = 'This flight has not ended: its progress at this moment is not known.';
  return { ...route, progress: null, facts: facts.slice(0, 1), note };
};

/** From a day before to a day after a moment; nothing is after now. */
const spanOf = (atMs: number, nowMs: number): string => {
  const at = Math.round(atMs / 1000);
  return `from=${at - BEFORE_S}&to=${Math.min(at + BEFORE_S, Math.round(nowMs / 1000))}`;
};
