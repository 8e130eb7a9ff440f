// What each part of the page of the map is opened with: the view, which is the state of the page, the map, and the worker's messages.
import type { ViewStore } from '../page/view.ts';
import type { FromSky, ToSky } from '../sky/picture.ts';
import type { MapView } from './map-view.ts';

export interface MapPage {
  readonly store: ViewStore;
  readonly map: MapView;
  /** The folder of the page's files. */
  readonly files: URL;
  /** True while the page is dark. */
  isDark(): boolean;
  /** Sends a message to the worker. */
  say(message: ToSky): void;
  /** Calls the listener with each message of a kind from the worker. */
  on<K extends FromSky['kind']>(kind: K, listener: (message: Extract<FromSky, { kind: K }>) => void): void;
  /** Calls the listener when the colours of the page change, and now. */
  onTheme(listener: (isDark: boolean) => void): void;
}

/** Parts of the page. Each makes its elements in its slot, listens to the view and changes it; none calls another. */
export type OpenPart = (page: MapPage) => void;
