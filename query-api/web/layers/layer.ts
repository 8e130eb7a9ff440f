// How a layer is opened; what it draws and when it changes is in its file.
import type { MapLayer, MapPage, MapSettings } from '../map/map-page.ts';

/** Null where the service has nothing to show. */
export type OpenLayer = (page: MapPage, settings: MapSettings) => MapLayer | null;
