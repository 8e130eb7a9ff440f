// Additions of this application to fastify's types.
import type { Admission, Cost } from '../access/access.ts';
import type { Caller } from '../access/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** The cost for the caller; null for requests that are refused before they are counted. */
    admission: Admission | null;
    /** Bytes of the response as sent, for metrics and the caller's budget. */
    bodyBytes: number;
  }
  interface FastifySchema {
    /** One line for the contract and the documentation. */
    summary?: string;
    /** More about the operation, as CommonMark. */
    description?: string;
    /** Name of the operation in the contract; by default the words of its path. */
    operationId?: string;
    /** The cost of a request; a turn without it. */
    cost?: Cost;
    /** Left out of the contract: files of the page. */
    hide?: boolean;
  }
}
