// The worker of the map: follows the stream, or shows the past, and gives the page pictures of the sky. The page never decodes a frame.
import { cellsOf } from './boxes.ts';
import { openCities } from './cities.ts';
import { LiveSource, type SourceEvents } from './live.ts';
import { PastSource } from './past.ts';
import { type Box, type FromSky, type ToSky, WORLD } from './picture.ts';
import { Sky } from './sky.ts';

interface Scope {
  postMessage(message: FromSky, transfer?: readonly unknown[]): void;
  onmessage: ((event: { data: ToSky }) => void) | null;
}
type Handlers = { readonly [K in ToSky['kind']]: (message: Extract<ToSky, { kind: K }>) => void };

const SLOW_MBIT = 1;
/** True where the browser says that its link is slow, or that its owner saves data. Some browsers do not report it. */
function isSlow(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; downlink?: number } };
  return connection?.saveData === true || (connection?.downlink ?? SLOW_MBIT) < SLOW_MBIT;
}

/** Connects the page, which sends `ToSky`, with a source of skies. */
function serve(scope: Scope): void {
  const sky = new Sky();
  const findCities = openCities(new URL('cities.json', import.meta.url));
  let live: LiveSource | null = null;
  let past: PastSource | null = null;
  let base: URL;
  let isHidden = false;
  let box: Box = WORLD;
  let isWaiting = false;
  const send = (message: FromSky): void => {
    const { instances, keys, altitudes, speeds } = message as Partial<Extract<FromSky, { kind: 'picture' }>>;
    scope.postMessage(message, message.kind === 'picture' ? [instances, keys!.buffer, altitudes!.buffer, speeds!.buffer] : []);
  };
  /** Changes of one turn of the event loop give one picture. */
  const show = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      for (const message of sky.messages()) send(message);
    });
  };
  /** Messages of a source count while it is the one that is shown. */
  const eventsOf = (isPast: boolean): SourceEvents => ({
    sky: (nowMs, seen, clock) => {
      if ((past !== null) !== isPast) return;
      sky.update(nowMs, seen, clock);
      show();
    },
    status: (message) => {
      if ((past !== null) === isPast) send({ kind: 'status', ...message });
    },
  });
  const handlers: Handlers = {
    start(message) {
      base = new URL(message.base);
      live = new LiveSource(base, eventsOf(false));
    },
    want(message) {
      sky.wanted(message);
      show();
    },
    table(message) {
      sky.table = message;
      show();
    },
    async find({ query }) {
      const cities = await findCities(query);
      send({ kind: 'found', query, aircraft: sky.find(query), cities });
    },
    box(message) {
      box = message.box;
      past?.setBox(box);
      live?.setCells(isSlow() ? cellsOf(box) : null);
    },
    moment({ atMs, pace }) {
      if (atMs === null) {
        past?.close();
        past = null;
      } else {
        past ??= new PastSource(base, eventsOf(true));
        past.setBox(box);
        past.show(atMs, pace);
      }
      live?.setHidden(isHidden || past !== null);
    },
    hidden(message) {
      isHidden = message.isHidden;
      past?.setHidden(isHidden);
      live?.setHidden(isHidden || past !== null);
    },
  };
  scope.onmessage = ({ data }) => (handlers[data.kind] as (message: ToSky) => void)(data);
}

serve(self as unknown as Scope);
