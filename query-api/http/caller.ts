// Who asks. Every request gets its caller here, in one hook; keys and tiers come with the access issue.
import type { FastifyRequest } from 'fastify';

export type Tier = 'anonymous' | 'trial' | 'free' | 'contributor';

export interface Caller {
  readonly tier: Tier;
  /** What limits count by: an address, later a feeder or a key. */
  readonly principal: string;
}

/** Finds the caller of a request; an error it throws is the answer. */
export type IdentifyCaller = (request: FastifyRequest) => Caller;

/** Everybody is anonymous, told apart by address. */
export const identifyByAddress: IdentifyCaller = (request) => ({ tier: 'anonymous', principal: request.ip });

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
    /** Of the answer, as sent; for metrics, later for budgets. */
    bodyBytes: number;
  }
  interface FastifySchema {
    /** One line for the contract and the documentation. */
    summary?: string;
    /** More about the operation, as CommonMark. */
    description?: string;
    /** No part of the contract: files of the page. */
    hide?: boolean;
  }
}
