// The input of each part of the page of the map: the view, which is the state of the page, the map, and the worker's messages.

import type { ViewStore } from '../page/view.ts';
import type { Position } from '../sky/mercator.ts';
import type { FromSky, ToSky } from '../sky/picture.ts';
import type { TileSource } from './base-map.ts';
import type { MapView } from './map-view.ts';
import type { Me } from './my-position.ts';
import type { Drawing } from './sources.ts';

/** `/map/settings.json`. */
export interface MapSettings {
  readonly tiles: TileSource | null;
  /** Position of the receiver, if it is published. */
  readonly receiver: Position | null;
  readonly hasHistory: boolean;
  /** GeoJSON files of the operator. */
  readonly layers: readonly OperatorLayer[];
}
export interface OperatorLayer {
  readonly name: string;
  readonly title: string;
  readonly style: { readonly colour?: string; readonly fill?: string; readonly width?: number; readonly opacity?: number };
}

/** A layer of the map, as its file in `layers` describes it. It is drawn while the view has it. */
export interface MapLayer {
  /** In the view and its address. */
  readonly name: string;
  readonly title: string;
  readonly drawings: readonly Drawing[];
  /** For the first drawing, if a script gives its data. `key` says what they depend on; they are made again when it changes. */
  readonly script?: {
    readonly key: () => string;
    /** Errors: as `ask`. */
    readonly features: (key: string, signal: AbortSignal) => Promise<GeoJSON.Feature[]>;
  };
}
/** Null where the service has nothing to show. */
export type OpenLayer = (page: MapPage, settings: MapSettings) => MapLayer | null;

export interface MapPage {
  readonly store: ViewStore;
  readonly map: MapView;
  /** The folder of the page's files. */
  readonly files: URL;
  /** Settings of the operator. */
  readonly settings: Promise<MapSettings>;
  readonly me: Me;
  /** All layers that this service has. */
  readonly layers: Promise<readonly MapLayer[]>;
  /** Sends a message to the worker. */
  post(message: ToSky): void;
  /** Calls the listener with each message of a kind from the worker. */
  on<K extends FromSky['kind']>(kind: K, listener: (message: Extract<FromSky, { kind: K }>) => void): void;
  /** Calls the listener when the colours of the page change, and now. */
  onTheme(listener: (isDark: boolean) => void): void;
}

/** Parts of the page. Each makes its elements in its slot, listens to the view and changes it; none calls another. */
export type OpenPart = (page: MapPage) => void;
