// Options of the page of the map: tiles and layers of the operator.
import type { Logger } from 'pino';
import { type OptionValues, textOption } from '../../../pipeline/runtime/options.ts';
import type { MapSettings } from '../../../query-api/http/context.ts';
import { MapLayers } from '../../../query-api/http/files/map-layers.ts';

export const mapOptions = {
  mapLayers: textOption('map-layers', 'DIR', 'folder of GeoJSON files that the map offers as layers; read again when they change'),
  mapTiles: {
    ...textOption(
      'map-tiles',
      'URL',
      'raster tiles for the map instead of the packaged coasts, as https://HOST/{z}/{x}/{y}.png; browsers ask that host',
    ),
    parse: parseTiles,
  },
  mapTilesAttribution: { ...textOption('map-tiles-attribution', 'TEXT', 'whom the map names as the source of its tiles'), fallback: '' },
} as const;

export type MapValues = OptionValues<typeof mapOptions>;

/** Layers that cannot be read are left out, with a line in the log. */
export function mapSettings({ mapLayers, mapTiles, mapTilesAttribution }: MapValues, logger: Logger): MapSettings {
  const layers =
    mapLayers === null
      ? null
      : new MapLayers(mapLayers, (path, reason) => logger.warn({ path, reason }, 'the map leaves this file of --map-layers out'));
  // The first reading reports what is damaged.
  void layers?.list();
  return { tiles: mapTiles === null ? null : { url: mapTiles, attribution: mapTilesAttribution }, layers };
}

function parseTiles(text: string): string {
  const isTemplate = ['{z}', '{x}', '{y}'].every((part) => text.includes(part));
  if (!isTemplate || !/^https?:\/\/[\w.-]+(:\d+)?\/[^\s;,'"]*$/.test(text)) throw new Error('expected https://HOST/{z}/{x}/{y}.png');
  return text;
}
