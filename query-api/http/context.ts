// Input of every route: the read model, and the parts built once per application.

import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { ResponseMemory } from './connections/response-memory.ts';
import type { ServiceLinks } from './headers.ts';
import type { ListTurns } from './list-turns.ts';
import type { MapLayers } from './map-layers.ts';
import type { ReadyResponses } from './ready-responses.ts';

/** Facts of the service for the page and the statistics, besides its data. */
export interface ServiceInfo {
  /** True when the aircraft are simulated. */
  readonly simulated: boolean;
  /** Address for feeders with Beast or AVR, as HOST:PORT; null when the service does not listen. */
  readonly feederAddress: string | null;
}

/** Settings of the operator for the page of the map. */
export interface MapSettings {
  /** Raster tiles instead of the packaged coasts. `url` has `{z}`, `{x}` and `{y}`. */
  readonly tiles: { readonly url: string; readonly attribution: string } | null;
  /** Null without a folder of layers. */
  readonly layers: MapLayers | null;
}

export interface ApiContext extends ReadModel, ServiceLinks {
  /** Public address of the service without a trailing slash; '' makes links relative. */
  readonly baseUrl: string;
  readonly info: () => ServiceInfo;
  readonly map: MapSettings;
  /** Further checks of `/readyz`, besides the view. */
  readonly readiness: Readiness;
  /** The aircraft are stored positions, not states: lists say so. */
  readonly isStored: boolean;
  readonly listTurns: ListTurns;
  /** Memory of responses that are not sent yet. */
  readonly memory: ResponseMemory;
  /** Lists of this tick that were requested before. */
  readonly ready: ReadyResponses;
  readonly negotiate: (acceptEncoding: string | undefined) => Encoding | null;
}
