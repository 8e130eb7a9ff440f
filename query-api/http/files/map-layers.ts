// Layers of the operator: GeoJSON files of a folder. They are checked when they change; one that is damaged is left out, and that is reported.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../../../schemas/limits/index.ts';
import { sharedRead } from './web-files.ts';

export interface MapLayer {
  /** The file's name without its ending: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly title: string;
  /** Colours, width and opacity as the file has them; what is absent has a default on the page. */
  readonly style: Readonly<Record<string, string | number>>;
  readonly byteLength: number;
  readonly tag: string;
  bytes(): Promise<Buffer>;
}

const FILE = /^([\w-]{1,26})\.(?:geojson|json)$/;
const COLOUR = /^(#[0-9a-f]{3,8}|[a-z]{3,24})$/i;
const colours = ['colour', 'fill'] as const;
const numbers = ['width', 'opacity'] as const;
const geometries = ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon', 'GeometryCollection'];

export class MapLayers {
  private readonly folder: string;
  private readonly onLeftOut: (path: string, reason: string) => void;
  /** By path: how it was last seen, and its layer unless it was left out. */
  private seen = new Map<string, { readonly mark: string; readonly layer: MapLayer | null }>();
  private reading: Promise<readonly MapLayer[]> | null = null;
  private readAtMs = Number.NEGATIVE_INFINITY;

  /** `onLeftOut`: called once for each state of a file. */
  constructor(folder: string, onLeftOut: (path: string, reason: string) => void) {
    this.folder = folder;
    this.onLeftOut = onLeftOut;
  }

  /** The layers, by name. The folder is read again if that was some seconds ago. */
  list(): Promise<readonly MapLayer[]> {
    if (this.reading === null || performance.now() - this.readAtMs >= limits.mapLayersPollMs) {
      this.readAtMs = performance.now();
      this.reading = this.read();
    }
    return this.reading;
  }

  private async read(): Promise<readonly MapLayer[]> {
    const before = this.seen;
    this.seen = new Map();
    const files = await readdir(this.folder).catch((error: Error) => error);
    if (files instanceof Error) {
      await this.note(this.folder, files.message, () => Promise.reject(files), before);
      return [];
    }
    const wanted = files.filter((file) => /\.(geo)?json$/.test(file)).sort();
    const layers: MapLayer[] = [];
    for (const file of wanted) {
      const path = join(this.folder, file);
      const { mtimeMs = 0, size = 0 } = await stat(path).catch(() => ({}) as { mtimeMs?: number; size?: number });
      const layer = await this.note(path, `${mtimeMs} ${size}`, () => readLayer(path, file, size, layers), before);
      if (layer !== null) layers.push(layer);
    }
    return layers;
  }

  /** The layer as it was if its file did not change, else as it is read now; null if it is left out. */
  private async note(path: string, mark: string, read: () => Promise<MapLayer>, before: typeof this.seen): Promise<MapLayer | null> {
    const known = before.get(path);
    const layer =
      known?.mark === mark
        ? known.layer
        : await read().catch((error: Error) => {
            this.onLeftOut(path, error.message);
            return null;
          });
    this.seen.set(path, { mark, layer });
    return layer;
  }
}

async function readLayer(path: string, file: string, size: number, others: readonly MapLayer[]): Promise<MapLayer> {
  const name = FILE.exec(file)?.[1];
  if (name === undefined) throw new Error('its name has other characters than letters, digits, _ and -, or more than 26');
  if (others.some((other) => other.name === name)) throw new Error('another file has the same name');
  if (others.length >= limits.mapLayersMax) throw new Error(`there are more than ${limits.mapLayersMax} files`);
  if (size > limits.mapLayerBytesMax) throw new Error(`it has more than ${limits.mapLayerBytesMax} bytes`);
  const content = await readFile(path);
  const value = JSON.parse(content.toString()) as Record<string, unknown> | null;
  checkGeoJson(value);
  const given = (value!['squitter'] ?? {}) as Record<string, unknown>;
  const title = typeof given['title'] === 'string' && given['title'] !== '' ? given['title'] : name.replaceAll(/[_-]/g, ' ');
  const style = Object.fromEntries([
    ...colours.filter((key) => COLOUR.test(String(given[key] ?? ''))).map((key) => [key, String(given[key])] as const),
    ...numbers.filter((key) => Number.isFinite(given[key])).map((key) => [key, Number(given[key])] as const),
  ]);
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  return {
    name,
    title: title.slice(0, limits.mapLayerTitleCharactersMax),
    style,
    byteLength: content.length,
    tag,
    bytes: sharedRead(path),
  };
}

/** RFC 7946. Errors: what is wrong, in words. */
function checkGeoJson(value: Record<string, unknown> | null): void {
  const type = value?.['type'];
  const features =
    type === 'FeatureCollection' ? value!['features'] : type === 'Feature' ? [value] : [{ type: 'Feature', geometry: value }];
  if (!Array.isArray(features)) throw new Error('it is no GeoJSON: features is no list');
  for (const feature of features as (Record<string, unknown> | null)[]) {
    const geometry = feature?.['geometry'] as Record<string, unknown> | null | undefined;
    if (feature?.['type'] !== 'Feature' || geometry === undefined) throw new Error('it is no GeoJSON: a feature has no geometry');
    if (geometry !== null && !geometries.includes(String(geometry['type'])))
      throw new Error('it is no GeoJSON: a geometry has no known type');
  }
}
