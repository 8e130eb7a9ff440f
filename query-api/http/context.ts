// What every route gets: the read model, and the parts that are made once per application.

import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Encoding } from '../../pipeline/view/compress.ts';
import type { ReadModel } from '../queries/read-model.ts';
import type { ResponseMemory } from './connections/response-memory.ts';
import type { EndTogether } from './end-together.ts';
import type { ListTurns } from './list-turns.ts';
import type { ReadyResponses } from './ready-responses.ts';

/** What the page and the statistics tell about the service beside its data. */
export interface ServiceInfo {
  /** Whether aircraft are shown that do not exist. */
  readonly simulated: boolean;
  /** Where feeders send Beast or AVR, as HOST:PORT; null where nobody listens. */
  readonly feederAddress: string | null;
}

export interface ApiContext extends ReadModel {
  /** Public address of the service without a trailing slash; '' makes links relative. */
  readonly baseUrl: string;
  readonly info: () => ServiceInfo;
  /** What `/readyz` asks beside the view. */
  readonly readiness: Readiness;
  readonly endings: EndTogether;
  readonly listTurns: ListTurns;
  /** Memory of responses that are not sent yet. */
  readonly memory: ResponseMemory;
  /** Lists of this tick that somebody asked for before. */
  readonly ready: ReadyResponses;
  readonly negotiate: (acceptEncoding: string | undefined) => Encoding | null;
  /** Of every success: names and values in turn. */
  readonly constantHeaders: readonly string[];
  /** The header `Link` of every success. */
  readonly link: string;
}
