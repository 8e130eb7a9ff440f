// Conditions of a request for a resource that exists, in their order (RFC 9110 §13.2.2). If-Range belongs to the range and comes after them.
import type { IncomingHttpHeaders } from 'node:http';
import { SquitterError } from '../../../schemas/errors.ts';
import { matchesTag } from './negotiation.ts';

export interface Validators {
  /** Strong entity tag, with its quotes. */
  readonly etag: string;
  /** Null without a date of modification: conditions with a date are then ignored. */
  readonly modifiedMs: number | null;
}

/** True if the client has the resource already: it gets a 304. Error: `api.precondition_failed`. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, modifiedMs }: Validators): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': ifUnmodifiedSince } = headers;
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = headers;
  // A tag says more than a date, which counts without a tag only.
  if (ifMatch !== undefined) {
    if (!matchesStrongly(ifMatch, etag)) throw new SquitterError('api.precondition_failed', { header: 'If-Match', etag });
  } else if (isModifiedSince(ifUnmodifiedSince, modifiedMs) === true)
    throw new SquitterError('api.precondition_failed', { header: 'If-Unmodified-Since', etag });
  return ifNoneMatch === undefined ? isModifiedSince(ifModifiedSince, modifiedMs) === false : matchesTag(ifNoneMatch, etag);
}

/** `If-Match` compares strongly: a weak tag is never the same (§13.1.1). */
function matchesStrongly(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((item) => item.trim() === etag);
}

/** Undefined without both dates; text that is no date is none. Dates have seconds. */
function isModifiedSince(date: string | undefined, modifiedMs: number | null): boolean | undefined {
  const dateMs = Date.parse(date ?? '');
  return modifiedMs === null || Number.isNaN(dateMs) ? undefined : Math.floor(modifiedMs / 1000) * 1000 > dateMs;
}
