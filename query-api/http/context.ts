// Input of every route: the read model, and the parts built once per application.
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { HttpGuard } from './connections/http-guard.ts';
import type { ResponseMemory } from './connections/response-memory.ts';
import type { MapLayers } from './files/map-layers.ts';
import { type ServiceLinks, serviceHeaders } from './headers/headers.ts';
import { createNegotiator } from './headers/negotiation.ts';
import { ListTurns } from './responses/list-turns.ts';
import { ReadyResponses } from './responses/ready-responses.ts';

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

/** Each has a default: nothing of the kind. */
export type ServiceParts = Partial<Pick<ApiContext, 'baseUrl' | 'info' | 'map' | 'readiness'>>;
type ContextOptions = ServiceParts & Partial<Pick<ApiContext, 'isStored' | 'link'>> & { readonly guard: HttpGuard };

export function apiContext(model: ReadModel, { guard, link = '', ...options }: ContextOptions): ApiContext {
  const map = options.map ?? { tiles: null, layers: null };
  return {
    ...model,
    map,
    tileOrigin: map.tiles === null ? '' : new URL(map.tiles.url).origin,
    baseUrl: options.baseUrl ?? '',
    info: options.info ?? (() => ({ simulated: false, feederAddress: null })),
    readiness: options.readiness ?? new Readiness(),
    isStored: options.isStored ?? false,
    memory: guard.memory,
    listTurns: new ListTurns(),
    ready: new ReadyResponses(),
    negotiate: createNegotiator(model.view.bodies.encodings),
    link,
    serviceHeaders: serviceHeaders(link),
  };
}
