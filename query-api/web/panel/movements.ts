// Lists of the past that are requested when people open them: flights of an aircraft, take-offs and landings of an airport. Each line opens the map at its time.
import { type Line, Lines } from '../page/lists.ts';
import { element, setHidden, setText } from '../page/parts.ts';
import { shownSpan } from '../page/units.ts';
import type { View, ViewStore } from '../page/view.ts';
import { watch } from '../page/watch.ts';
import { type Movement, type PastFlight, shownTime } from './flight.ts';
import type { Section } from './panel.ts';

interface Kind<T> {
  readonly title: string;
  readonly heads: readonly string[];
  /** Where there are none. */
  readonly none: string;
  /** The request below the root. */
  readonly path: (subject: string, atMs: number | null) => string;
  readonly line: (flight: T, nowMs: number) => Line;
  readonly opened: (flight: T) => Partial<View>;
}

function openPastList<T>(store: ViewStore, { title, heads, none, path, line, opened }: Kind<T>): Section {
  const note = element('p', { class: 'quiet' });
  let flights = new Map<string, T>();
  const lines = new Lines(title, heads, (key) => store.set({ ...opened(flights.get(key)!), pace: 0, follows: false }));
  let [wanted, loaded, stop] = ['', '', (): void => {}];
  const fill = (found: readonly T[], nowMs: number, text: string): void => {
    const all = found.map((flight) => line(flight, nowMs));
    flights = new Map(found.map((flight, n) => [all[n]!.key, flight]));
    lines.update(all);
    setHidden(lines.table, found.length === 0);
    setText(note, text);
  };
  const load = (): void => {
    if (!list.open || wanted === loaded) return;
    stop();
    loaded = wanted;
    fill([], 0, 'They are being requested.');
    stop = watch<{ flights: readonly T[]; to: number }>({
      ...{ path: wanted, everyS: null, failed: (problem) => setText(note, problem) },
      done: ({ flights: found, to }) => fill(found, to * 1000, found.length === 0 ? none : ''),
    });
  };
  const summary = element('summary', {}, element('h3', {}, title));
  const list = element('details', { ontoggle: load }, summary, lines.table, note);
  return {
    element: list,
    show: (subject, atMs) => {
      if (subject === '') return;
      wanted = path(subject, atMs);
      load();
    },
  };
}

const endWords: Readonly<Record<string, string>> = { departed: 'took off again', renamed: 'renamed', parked: 'landed', gone: 'not heard' };

export const openPastFlights = (store: ViewStore): Section =>
  openPastList<PastFlight>(store, {
    ...{ title: 'Past flights', heads: ['Flight', 'Route', 'From (UTC)', 'Time', 'End'] },
    none: 'No flight of the last seven days has ended.',
    path: (hex) => `v2/aircraft/${hex}/flights?limit=30`,
    line: (
      { flight = 'no call sign', first_seen: first, last_seen: last, origin = '?', destination = '?', takeoff, landing, end },
      nowMs,
    ) => {
      const [from, to] = [takeoff ?? first, landing ?? last];
      const when = shownTime(from, nowMs);
      return {
        key: String(first),
        cells: [flight, `${origin} – ${destination}`, when, shownSpan(to - from), endWords[end] ?? end],
        label: `Show ${flight} of ${when} UTC on the map`,
      };
    },
    opened: ({ takeoff, first_seen: first }) => ({ atMs: 1000 * Math.ceil(takeoff ?? first) }),
  });

export const openMovements = (store: ViewStore): Section =>
  openPastList<Movement>(store, {
    ...{ title: 'Take-offs and landings of the day before', heads: ['Flight', '', 'From or to', 'UTC'] },
    none: 'No flight with one has ended.',
    path: (code, atMs) => {
      const to = Math.round((atMs ?? 0) / 1000);
      return `v2/airport/${code}/flights?limit=100${atMs === null ? '' : `&from=${to - 86_400}&to=${to}`}`;
    },
    line: ({ hex, flight = hex, movement, time, origin, destination }, nowMs) => {
      const [what, other = '?'] = movement === 'takeoff' ? ['take-off', destination] : ['landing', origin];
      const when = shownTime(time, nowMs);
      const label = `Show the ${what} of ${flight} at ${when} UTC on the map`;
      return { key: `${hex} ${what} ${time}`, cells: [flight, what, other, when], label };
    },
    opened: ({ hex, time }) => ({ selected: [hex], atMs: 1000 * Math.round(time) }),
  });
