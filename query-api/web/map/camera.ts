// Where the map looks: north is up, so a point on the screen is a scale and an offset of Web Mercator. Aircraft, labels and picking need no map library.

import { latitudeOf, longitudeOf, unitsPerMetre, wrapped, xOf, yOf } from '../sky/mercator.ts';
import { type Box, WORLD } from '../sky/picture.ts';

/** Side of the world at zoom 0, CSS pixels, as MapLibre has it. */
const WORLD_PIXELS = 512;
export const worldPixelsOf = (zoom: number): number => WORLD_PIXELS * 2 ** zoom;
/** Below this zoom aircraft get smaller: they would cover the map. */
const FULL_SIZE_ZOOM = 5;

export class Camera {
  x = 0.5;
  y = 0.5;
  zoom = 2;
  /** CSS pixels. */
  width = 1;
  height = 1;

  set(view: { readonly lat: number; readonly lon: number; readonly zoom: number }): void {
    [this.x, this.y, this.zoom] = [xOf(view.lon), yOf(view.lat), view.zoom];
  }

  get centre(): { readonly lat: number; readonly lon: number; readonly zoom: number } {
    return { lat: latitudeOf(this.y), lon: longitudeOf(this.x), zoom: this.zoom };
  }

  get worldPixels(): number {
    return worldPixelsOf(this.zoom);
  }

  get pixelsPerMetre(): number {
    return this.worldPixels * unitsPerMetre(latitudeOf(this.y));
  }

  /** Part of their size that aircraft have. */
  get smaller(): number {
    return Math.min(1, Math.max(0.35, 0.35 + (0.65 * (this.zoom - 1)) / (FULL_SIZE_ZOOM - 1)));
  }

  /** CSS pixels from the left and the top. */
  screenOf(x: number, y: number): [x: number, y: number] {
    return [wrapped(x - this.x) * this.worldPixels + this.width / 2, (y - this.y) * this.worldPixels + this.height / 2];
  }

  /** The area in view. */
  get box(): Box {
    const [right, down] = [this.width / 2 / this.worldPixels, this.height / 2 / this.worldPixels];
    const [south, north] = [latitudeOf(Math.min(this.y + down, 1)), latitudeOf(Math.max(this.y - down, 0))];
    if (right >= 0.5) return { ...WORLD, south, north };
    return { south, north, west: longitudeOf(this.x - right), east: longitudeOf(this.x + right) };
  }

  /** Makes a canvas as large as the screen needs; device pixels per CSS pixel. */
  resize(canvas: HTMLCanvasElement): number {
    const ratio = Math.min(devicePixelRatio, 2);
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    return ratio;
  }
}

/** The view that has most of the points: the outermost twentieth on each side may be left out. Null without points. */
export function viewOf(
  points: readonly { readonly x: number; readonly y: number }[],
  width: number,
  height: number,
): { lat: number; lon: number; zoom: number } | null {
  if (points.length === 0) return null;
  const range = (values: number[]): [number, number] => {
    values.sort((a, b) => a - b);
    return [values[Math.floor(values.length * 0.05)]!, values[Math.ceil(values.length * 0.95) - 1]!];
  };
  const [west, east] = range(points.map(({ x }) => x));
  const [north, south] = range(points.map(({ y }) => y));
  const scale = Math.min(width / Math.max(east - west, 1e-3), height / Math.max(south - north, 1e-3)) * 0.85;
  return {
    lat: latitudeOf((north + south) / 2),
    lon: (west + east) * 180 - 180,
    zoom: Math.min(9, Math.max(1, Math.log2(scale / WORLD_PIXELS))),
  };
}
