// The map: base map, aircraft and labels under one camera. It draws only when the view or the picture changes, or when something moved by a quarter of a pixel.

import type { Map as MapLibre } from 'maplibre-gl';
import type { View } from '../page/view.ts';
import { hexOf, type Picture } from '../sky/picture.ts';
import { AircraftLayer } from './aircraft-layer.ts';
import { type BaseMap, openBaseMap, type TileSource } from './base-map.ts';
import { Camera } from './camera.ts';
import { Labels, type LabelWishes } from './labels.ts';
import { latitudeOf, longitudeOf } from './mercator.ts';
import { ScreenPositions } from './screen-positions.ts';

const LABELS_MS = 250;
const MOVED_PIXELS = 0.25;
/** Between two frames without a move of the view, at least. */
const FRAME_MS_MIN = 40;
const FRAME_MS_MAX = 1000;

export interface MapElements {
  readonly base: HTMLElement;
  readonly aircraft: HTMLCanvasElement;
  readonly labels: HTMLCanvasElement;
}
type Centre = Pick<View, 'lat' | 'lon' | 'zoom'>;

export class MapView {
  readonly camera = new Camera();
  /** Of the newest picture. */
  positions: ScreenPositions | null = null;
  /** The time that is shown, ms since the Unix epoch: the data's, not that of this device. */
  nowMs: () => number = Date.now;
  wishes: LabelWishes = { labels: 'auto', units: 'aviation', isDark: false };
  readonly names = new Map<number, string>();
  baseMap: BaseMap | null = null;
  readonly layer: AircraftLayer;
  private readonly labels: Labels;
  private readonly elements: MapElements;
  private readonly drawn: (() => void)[] = [];
  private readonly isAnimated = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  private readonly styled: ((map: MapLibre) => void)[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private labelledMs = 0;

  /** Takes pointers and keys of the map. */
  get element(): HTMLElement {
    return this.elements.base;
  }

  constructor(elements: MapElements, centre: Centre) {
    this.elements = elements;
    this.layer = new AircraftLayer(elements.aircraft);
    this.labels = new Labels(elements.labels);
    this.camera.set(centre);
    const resized = (): void => {
      [this.camera.width, this.camera.height] = [elements.base.clientWidth, elements.base.clientHeight];
      this.request();
    };
    resized();
    addEventListener('resize', resized);
  }

  /** Loads MapLibre. Aircraft are there before. `moved` is called after each move by people. */
  async openBase(
    files: URL,
    options: { readonly isDark: boolean; readonly tiles: TileSource | null },
    moved: (centre: Centre) => void,
  ): Promise<void> {
    const { x, y, zoom } = this.camera;
    this.baseMap = await openBaseMap(this.elements.base, files, { ...options, lat: latitudeOf(y), lon: longitudeOf(x), zoom });
    const { map } = this.baseMap;
    const follow = (): void => {
      const { lat, lng } = map.getCenter();
      this.camera.set({ lat, lon: lng, zoom: map.getZoom() });
      this.draw(true);
    };
    map.on('move', follow);
    for (const listener of this.styled) this.baseMap.onStyle(listener);
    map.on('moveend', () => moved({ lat: map.getCenter().lat, lon: map.getCenter().wrap().lng, zoom: map.getZoom() }));
    follow();
  }

  show(picture: Picture): void {
    this.layer.show(picture);
    this.positions = new ScreenPositions(picture);
    // A click can come before the next frame.
    this.positions.locate(this.camera, this.nowMs());
    this.request();
  }

  setDark(isDark: boolean): void {
    this.layer.isDark = isDark;
    this.baseMap?.setDark(isDark);
    this.request();
  }

  moveTo(centre: Centre): void {
    if (this.baseMap === null) this.camera.set(centre);
    else this.baseMap.map.jumpTo({ center: [centre.lon, centre.lat], zoom: centre.zoom });
    this.request();
  }

  panBy(x: number, y: number): void {
    this.baseMap?.map.panBy([x, y], { animate: this.isAnimated });
  }

  zoomBy(levels: number): void {
    this.baseMap?.map.zoomTo(this.camera.zoom + levels, { animate: this.isAnimated });
  }

  /** The address of the nearest aircraft within some CSS pixels; null without one. */
  aircraftAt(x: number, y: number, within: number): string | null {
    const number = this.positions?.nearest(x, y, within) ?? null;
    return number === null ? null : hexOf(this.positions!.key(number));
  }

  /** Calls with the base map when its style is there, and again when that was replaced: what was added to it is gone then. */
  onStyle(listener: (map: MapLibre) => void): void {
    this.styled.push(listener);
    this.baseMap?.onStyle(listener);
  }

  /** Calls after each frame. */
  onDraw(listener: () => void): void {
    this.drawn.push(listener);
  }

  /** Draws with the next frame of the browser. */
  request(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => this.draw(false));
  }

  private draw(isMoving: boolean): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    clearTimeout(this.timer);
    const nowMs = this.nowMs();
    this.layer.draw(this.camera, nowMs);
    if (this.positions !== null && this.layer.drawCount === 1) performance.mark('first-aircraft');
    if (this.positions === null) return;
    const clock = performance.now();
    if (isMoving || clock - this.labelledMs >= LABELS_MS) {
      this.labelledMs = clock;
      this.positions.locate(this.camera, nowMs);
      this.labels.draw(this.camera, this.positions, this.names, this.wishes);
    }
    for (const listener of this.drawn) listener();
    const speed = this.positions.fastestPixels(this.camera);
    const waitMs = Math.min(Math.max((1000 * MOVED_PIXELS) / speed, FRAME_MS_MIN), FRAME_MS_MAX);
    if (!document.hidden) this.timer = setTimeout(() => this.request(), waitMs);
  }
}
