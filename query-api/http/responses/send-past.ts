// Sends an aircraft list or an airport board of the past: folded elsewhere, with the headers of a live list.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../../queries/errors.ts';
import { storedSky } from '../../queries/history/stored-sky.ts';
import type { FlightAt } from '../../queries/moment-flights.ts';
import { momentOf, type PastList, type PastLists, withoutMoment } from '../../queries/past.ts';
import type { ApiContext } from '../context.ts';
import { sendContent } from './content.ts';

/** A service that does not fold the past is not one that does in a moment. */
const NEVER_FOLDS_RETRY_S = 60;

/** Finds the flights of a moment. */
export type FlightsAt = (atMs: number) => Promise<readonly FlightAt[]>;

/** Without `flightsAt`, the list is of aircraft alone. Errors: those of `momentOf`, `PastLists.list` and the history. */
export async function sendPast(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  at: string,
  flightsAt: FlightsAt = async () => [],
): Promise<void> {
  const { past, memory } = context;
  const atMs = momentOf(at, context);
  if (past === null)
    throw new QueryError('api.past_unavailable', { detail: 'this service does not fold the past' }, { retryAfterS: NEVER_FOLDS_RETRY_S });
  memory.admit();
  const { nowMs, contentType, body } = await listAt(context, past, {
    atMs,
    url: withoutMoment(request.url),
    flights: await flightsAt(atMs),
  });
  const ageS = Math.min(limits.dataAgeShownSMax, Math.max(0, Math.floor((context.clock() - nowMs) / 1000)));
  const tag = `past-${createHash('sha256').update(body).digest('base64url').slice(0, 22)}`;
  await sendContent(context, request, reply, { kind: 'moment', type: contentType, body, tag, ageS });
}

interface MomentOfList {
  readonly atMs: number;
  /** Without `at`. */
  readonly url: string;
  readonly flights: readonly FlightAt[];
}

/** Folded from the log; from stored positions where the log does not reach that far back, if they do. */
async function listAt({ history }: ApiContext, past: PastLists, { atMs, url, flights }: MomentOfList): Promise<PastList> {
  try {
    return await past.list(atMs, url, flights);
  } catch (error) {
    if (!(error instanceof SquitterError) || error.code !== 'api.moment_too_old' || !history.isKept) throw error;
    const rows = await history.query((client, signal) => storedSky(client, signal, atMs));
    if (rows.length === 0) throw error;
    return past.stored(atMs, url, rows, flights);
  }
}
