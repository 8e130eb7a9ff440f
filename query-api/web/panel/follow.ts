// Follows an aircraft: the map keeps the last selected one in its middle until it is dragged.
import type { MapPage } from '../map/map-page.ts';
import { latitudeOf, longitudeOf } from '../sky/mercator.ts';
import { keyOf } from '../sky/picture.ts';

/** Pixels from the middle after which the map moves, and of a pointer that drags. */
const AWAY_PIXELS = 0.5;
const DRAG_PIXELS = 6;
/** Between two turns of a wheel. */
const WHEEL_MS = 300;

export function openFollow({ store, map }: MapPage): void {
  const pressed = new Map<number, { readonly x: number; readonly y: number }>();
  const stop = (): void => {
    if (store.view.follows) store.set({ follows: false });
  };
  map.element.addEventListener('pointerdown', ({ pointerId, clientX: x, clientY: y }) => pressed.set(pointerId, { x, y }));
  // Two pointers zoom.
  addEventListener('pointermove', ({ pointerId, clientX, clientY }) => {
    const from = pressed.size === 1 ? pressed.get(pointerId) : undefined;
    if (from !== undefined && Math.hypot(clientX - from.x, clientY - from.y) > DRAG_PIXELS) stop();
  });
  for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, ({ pointerId }) => pressed.delete(pointerId));
  map.element.addEventListener('keydown', ({ key }) => {
    if (key.startsWith('Arrow')) stop();
  });

  // A move would end a zoom in progress.
  let zoomedMs = Number.NEGATIVE_INFINITY;
  map.element.addEventListener('wheel', () => {
    zoomedMs = performance.now();
  });
  map.onDraw(() => {
    const { follows, selected } = store.view;
    const hex = selected.at(-1);
    if (performance.now() - zoomedMs < WHEEL_MS) return;
    if (!follows || hex === undefined || pressed.size > 0 || map.positions === null || map.base?.isMoving()) return;
    const number = map.positions.numberOf(keyOf(hex));
    if (number < 0) return;
    // Labels need positions four times a second, a map that moves with one of them needs them now.
    map.positions.locate(map.camera, map.nowMs());
    const { x, y } = map.positions.point(number);
    const [screenX, screenY] = map.camera.screenOf(x, y);
    const { width, zoom } = map.camera;
    if (Math.hypot(screenX - width / 2, screenY - map.middleY) < AWAY_PIXELS) return;
    map.moveTo({ lat: latitudeOf(y), lon: longitudeOf(x), zoom });
  });
  store.listen(({ follows }, before) => {
    if (follows !== before.follows) map.request();
  });
}
