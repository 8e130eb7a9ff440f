// Lists of the past that are requested when people open them: flights of an aircraft, take-offs and landings of an airport. Each line opens the map at its time.
import { element } from '../page/parts.ts';
import { shownSpan } from '../page/units.ts';
import type { View } from '../page/view.ts';
import { type Movement, type PastFlight, shownTime } from './flight.ts';
import { type Line, Lines, madeTable, setHidden, setText } from './lists.ts';
import { watch } from './watch.ts';

type Store = { readonly view: View; set(change: Partial<View>): void };
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

export interface PastList {
  readonly element: HTMLElement;
  /** Another aircraft or airport, or another moment. */
  show(subject: string, atMs: number | null): void;
}

function openPastList<T>(store: Store, { title, heads, none, path, line, opened }: Kind<T>): PastList {
  const note = element('p', { class: 'quiet' });
  let flights: readonly { readonly flight: T; readonly line: Line }[] = [];
  const lines = new Lines((key) => {
    const found = flights.find((each) => each.line.key === key);
    if (found !== undefined) store.set({ ...opened(found.flight), pace: 0, follows: false });
  });
  const table = madeTable(title, heads, lines);
  const all = element('details', {}, element('summary', {}, element('h3', {}, title)), table, note);
  let [subject, atMs, loaded] = ['', null as number | null, ''];
  let stop = (): void => {};
  const fill = (found: typeof flights, text: string): void => {
    flights = found;
    lines.update(found.map((each) => each.line));
    setHidden(table, found.length === 0);
    setText(note, text);
  };
  const load = (): void => {
    const wanted = path(subject, atMs);
    if (!all.open || subject === '' || wanted === loaded) return;
    stop();
    loaded = wanted;
    setText(note, 'They are being requested.');
    stop = watch<{ flights: readonly T[]; to: number }>({
      ...{ path: wanted, everyS: null, failed: (problem) => setText(note, problem) },
      done: ({ flights: found, to }) =>
        fill(
          found.map((flight) => ({ flight, line: line(flight, to * 1000) })),
          found.length === 0 ? none : '',
        ),
    });
  };
  fill([], '');
  all.addEventListener('toggle', load);
  return {
    element: all,
    show: (shown, shownAtMs) => {
      if (shown !== subject) {
        stop();
        loaded = '';
        fill([], '');
      }
      [subject, atMs] = [shown, shownAtMs];
      load();
    },
  };
}

const endWords: Readonly<Record<string, string>> = { departed: 'took off again', renamed: 'renamed', parked: 'landed', gone: 'not heard' };

export const openPastFlights = (store: Store): PastList =>
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

export const openMovements = (store: Store): PastList =>
  openPastList<Movement>(store, {
    ...{ title: 'Take-offs and landings of the day before', heads: ['Flight', '', 'From or to', 'UTC'] },
    none: 'No flight with one has ended.',
    path: (code, atMs) => {
      const to = Math.round((atMs ?? 0) / 1000);
      return `v2/airport/${code}/flights?limit=100${atMs === null ? '' : `&from=${to - 86_400}&to=${to}`}`;
    },
    line: ({ hex, flight = hex, movement, time, origin, destination }, nowMs) => {
      const [what, other] = movement === 'takeoff' ? ['take-off', destination] : ['landing', origin];
      const when = shownTime(time, nowMs);
      return {
        key: `${hex} ${what} ${time}`,
        cells: [flight, what, other ?? '?', when],
        label: `Show the ${what} of ${flight} at ${when} UTC on the map`,
      };
    },
    opened: ({ hex, time }) => ({ selected: [hex], atMs: 1000 * Math.round(time) }),
  });
