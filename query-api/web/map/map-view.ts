// The map: base map, aircraft and labels under one camera. It draws only when the view or the picture changes, or when something moved by a quarter of a pixel.
import type { Map as MapLibre } from 'maplibre-gl';
import type { View } from '../page/view.ts';
import { latitudeOf, yOf } from '../sky/mercator.ts';
import { hexOf, keyOf, type Picture } from '../sky/picture.ts';
import { AircraftLayer } from './aircraft-layer.ts';
import { openBaseMap, type TileSource } from './base-map.ts';
import { Camera, worldPixelsOf } from './camera.ts';
import { Labels, type LabelWishes } from './labels.ts';
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
  /** Numbers of the newest picture. */
  positions: ScreenPositions | null = null;
  /** The time that is shown, ms since the Unix epoch: the data's, not that of this device. */
  nowMs: () => number = Date.now;
  wishes: LabelWishes = { labels: 'auto', units: 'aviation', isDark: false };
  readonly names = new Map<number, string>();
  base: MapLibre | null = null;
  /** Height of the sheet that lies over the map, CSS pixels from below. */
  coveredPixels: () => number = () => 0;
  /** False without WebGL2: then the table is the page. */
  get canDraw(): boolean {
    return this.layer.canDraw;
  }
  /** Resolves when aircraft are drawn for the first time. */
  readonly firstAircraft: Promise<void>;
  private drewFirst: (() => void) | null = null;
  private readonly layer: AircraftLayer;
  private readonly labels: Labels;
  private readonly elements: MapElements;
  private readonly drawn: (() => void)[] = [];
  private readonly isAnimated = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  private readonly opened: ((base: MapLibre) => void)[] = [];
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private labelledMs = 0;

  /** Takes pointers and keys of the map. */
  get element(): HTMLElement {
    return this.elements.base;
  }

  constructor(elements: MapElements, centre: Centre) {
    this.elements = elements;
    this.firstAircraft = new Promise((resolve) => {
      this.drewFirst = resolve;
    });
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

  /** Loads MapLibre. Aircraft are there before. */
  async openBase(files: URL, options: { readonly isDark: boolean; readonly tiles: TileSource | null }): Promise<void> {
    const base = await openBaseMap(this.element, files, this.camera.zoom, options);
    this.base = base;
    this.jumpTo(this.camera.centre);
    const follow = (): void => {
      const { lat, lng } = base.getCenter();
      this.camera.set({ lat, lon: lng, zoom: base.getZoom() });
      this.draw(true);
    };
    base.on('move', follow);
    for (const listener of this.opened) listener(base);
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
    this.base?.setGlobalStateProperty('isDark', isDark);
    this.request();
  }

  /** The middle of what no sheet covers, CSS pixels from the top. */
  get middleY(): number {
    return (this.camera.height - this.coveredPixels()) / 2;
  }

  /** Puts a point in that middle. */
  moveTo({ lat, lon, zoom }: Centre): void {
    const below = (this.camera.height / 2 - this.middleY) / worldPixelsOf(zoom);
    this.jumpTo({ lat: latitudeOf(yOf(lat) + below), lon, zoom });
  }

  /** Moves the map if a sheet covers an aircraft. */
  uncover(hex: string): void {
    const y = this.screenOf(hex)?.[1] ?? 0;
    if (y > 2 * this.middleY) this.panBy(0, y - this.middleY);
  }

  private jumpTo(centre: Centre): void {
    if (this.base === null) this.camera.set(centre);
    else this.base.jumpTo({ center: [centre.lon, centre.lat], zoom: centre.zoom });
    this.request();
  }

  panBy(x: number, y: number): void {
    this.base?.panBy([x, y], { animate: this.isAnimated });
  }

  zoomBy(levels: number): void {
    this.base?.zoomTo(this.camera.zoom + levels, { animate: this.isAnimated });
  }

  /** The address of the nearest aircraft within some CSS pixels; null without one. */
  aircraftAt(x: number, y: number, within: number): string | null {
    const number = this.positions?.nearest(x, y, within) ?? null;
    return number === null ? null : hexOf(this.positions!.picture.keys[number]!);
  }

  /** Where an aircraft of the picture is in this frame, CSS pixels; null without it. */
  screenOf(hex: string): readonly [x: number, y: number] | null {
    const number = this.positions?.numberOf(keyOf(hex)) ?? -1;
    if (number < 0) return null;
    this.positions!.locateOne(number, this.camera, this.nowMs());
    return [this.positions!.screenX(number), this.positions!.screenY(number)];
  }

  /** Calls with MapLibre's map once it is open; never without WebGL2. */
  onBase(listener: (base: MapLibre) => void): void {
    if (this.base === null) this.opened.push(listener);
    else listener(this.base);
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
    if (this.positions === null) return;
    if (this.positions.picture.count > 0 && this.drewFirst !== null) {
      performance.mark('first-aircraft');
      this.drewFirst();
      this.drewFirst = null;
    }
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
