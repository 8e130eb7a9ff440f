// The worker of the map: follows the stream, or shows the past, and gives the page pictures of the sky. The page never decodes a frame.
import { Cities } from './cities.ts';
import { LiveSource, type SourceEvents } from './live.ts';
import { PastSource } from './past.ts';
import type { Box, FromSky, ToSky } from './picture.ts';
import { Sky } from './sky.ts';

interface Scope {
  postMessage(message: FromSky, transfer?: Transferable[]): void;
  onmessage: ((event: { data: ToSky }) => void) | null;
}

/** Connects the page, which sends `ToSky`, with a source of skies. */
function serve(scope: Scope): void {
  const sky = new Sky();
  const cities = new Cities(new URL('cities.json', import.meta.url));
  let live: LiveSource | null = null;
  let past: PastSource | null = null;
  let base = new URL('.', import.meta.url);
  let isHidden = false;
  let box: Box | null = null;
  let waiting = false;
  const send = (message: FromSky): void => {
    const transfer =
      message.kind === 'picture' ? [message.instances, message.keys.buffer, message.altitudes.buffer, message.speeds.buffer] : [];
    scope.postMessage(message, transfer as Transferable[]);
  };
  /** Changes of one turn of the event loop give one picture. */
  const show = (): void => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      for (const message of sky.messages()) send(message);
    });
  };
  /** What a source says while it is the one that is shown. */
  const events = (isShown: () => boolean): SourceEvents => ({
    sky: (nowMs, seen, clock) => {
      if (!isShown()) return;
      sky.update(nowMs, seen, clock);
      show();
    },
    status: (message) => {
      if (isShown()) send({ kind: 'status', ...message });
    },
  });
  const moment = (atMs: number | null, pace: number): void => {
    if (atMs !== null) {
      past ??= new PastSource(
        base,
        events(() => past !== null),
      );
      if (box !== null) past.look(box);
      past.show(atMs, pace);
    } else {
      past?.close();
      past = null;
    }
    live?.setHidden(isHidden || past !== null);
  };
  scope.onmessage = ({ data }) => {
    if (data.kind === 'start') {
      base = new URL(data.base);
      live = new LiveSource(
        base,
        events(() => past === null),
      );
    } else if (data.kind === 'want') {
      sky.wanted(data);
      show();
    } else if (data.kind === 'table') {
      sky.tableWanted(data);
      show();
    } else if (data.kind === 'find')
      void cities
        .find(data.query)
        .then((found) => send({ kind: 'found', query: data.query, aircraft: sky.find(data.query), cities: found }));
    else if (data.kind === 'cells') live?.setCells(data.cells);
    else if (data.kind === 'moment') moment(data.atMs, data.pace);
    else if (data.kind === 'box') {
      box = data.box;
      past?.look(box);
    } else if (data.kind === 'hidden') {
      isHidden = data.isHidden;
      past?.setHidden(isHidden);
      live?.setHidden(isHidden || past !== null);
    }
  };
}

serve(self as unknown as Scope);
