// Additions of this application to fastify's types.
import type { Caller } from '../access/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Bytes of the response as sent; for metrics, later for budgets. */
    bodyBytes: number;
  }
  interface FastifySchema {
    /** One line for the contract and the documentation. */
    summary?: string;
    /** More about the operation, as CommonMark. */
    description?: string;
    /** Name of the operation in the contract; by default the words of its path. */
    operationId?: string;
    /** Not in the contract: files of the page. */
    hide?: boolean;
  }
}
