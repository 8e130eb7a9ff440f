// Builds the input of the routes, once per application.
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { HttpGuard } from './connections/http-guard.ts';
import type { ApiContext, MapSettings, ServiceInfo } from './context.ts';
import { serviceHeaders } from './headers.ts';
import { ListTurns } from './list-turns.ts';
import { createNegotiator } from './negotiation.ts';
import { ReadyResponses } from './ready-responses.ts';

export interface ContextOptions {
  readonly guard: HttpGuard;
  readonly baseUrl?: string;
  readonly info?: () => ServiceInfo;
  readonly map?: MapSettings;
  readonly readiness?: Readiness;
  /** The model's aircraft are stored positions. */
  readonly isStored?: boolean;
  /** The header `Link`; empty without it. */
  readonly link?: string;
}

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
