// The worker of the map: follows the stream, or shows the past, and gives the page pictures of the sky. The page never decodes a frame.
import { Cities } from './cities.ts';
import { LiveSource } from './live.ts';
import type { FromSky, Status, ToSky } from './picture.ts';
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
  const status = (message: Omit<Status, 'kind'>): void => send({ kind: 'status', ...message });
  scope.onmessage = ({ data }) => {
    if (data.kind === 'start') {
      live = new LiveSource(new URL(data.base), {
        sky: (nowMs, seen) => {
          sky.update(nowMs, seen);
          show();
        },
        status,
      });
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
    else if (data.kind === 'hidden') live?.setHidden(data.isHidden);
  };
}

serve(self as unknown as Scope);
