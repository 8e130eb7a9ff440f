// Sends aircraft: selected, limited, and copied from the snapshot's bytes; members and formats on request.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../../pipeline/view/listing.ts';
import type { Selection } from '../../pipeline/view/search.ts';
import type { Composed, Snapshot } from '../../pipeline/view/snapshot.ts';
import { listAircraft } from '../queries/aircraft-list.ts';
import type { CoveredPosition } from '../queries/coverage.ts';
import { freshSnapshot } from '../queries/freshness.ts';
import { GEO_JSON_TYPE, geoJson } from '../queries/geojson.ts';
import type { ListQuery } from '../queries/list-filters.ts';
import { aircraftObjects, pickFields } from '../queries/objects.ts';
import type { Select } from '../queries/selections.ts';
import type { ApiContext } from './context.ts';
import { coverageHeaders } from './coverage-headers.ts';
import { echoText, type Form } from './list-forms.ts';
import { readyResponse, sendMade, sendReady, sendShared } from './response.ts';
import { aircraftMembers } from './schemas/aircraft.ts';
import { sendPast } from './send-past.ts';

export interface AircraftList {
  readonly form: Form;
  /** The selected aircraft of this list, in its order. */
  readonly select: Select;
  /** Further members of the envelope. */
  readonly echo?: Readonly<Record<string, unknown>>;
  /** Further members of an aircraft. */
  readonly decorate?: (listing: Listing, index: number) => Readonly<Record<string, unknown>>;
  /** Filters and format, if they are not those of the request's query. */
  readonly query?: ListQuery;
  /** The parameter `at`: the list is that of a moment of the past. */
  readonly at?: string | undefined;
  /** The position of a geographic list: headers report its coverage. */
  readonly near?: CoveredPosition;
}

const NO_ECHO = {};
/** Responses above this size are written into a buffer, those below it are text. */
const TEXT_COUNT_MAX = 16;

export function sendList(context: ApiContext, request: FastifyRequest, reply: FastifyReply, list: AircraftList): void | Promise<void> {
  if (list.at !== undefined) return sendPast(context, request, reply, list.at);
  const snapshot = freshSnapshot(context);
  const ready = readyResponse(context, request, snapshot);
  const headers = coverageHeaders(context.view.receivers, list.near);
  if (ready !== undefined) return sendReady(context, request, reply, snapshot, ready, headers);
  const { listTurns } = context;
  if (listTurns.isBusy) return listTurns.later(() => sendList(context, request, reply, list));
  const query = list.query ?? (request.query as ListQuery);
  const { selection, isTruncated } = listAircraft(context, snapshot, query, list.select);
  const { isStored } = context;
  const echo =
    isTruncated || isStored
      ? { ...list.echo, ...(isTruncated && { truncated: true }), ...(isStored && { from_history: true }) }
      : (list.echo ?? NO_ECHO);
  if (query.fields !== undefined || query.format === 'geojson' || list.decorate !== undefined)
    return sendObjects(context, request, reply, { snapshot, selection, echo, list, query, headers });
  const { form } = list;
  const { count } = selection;
  const text = echo === NO_ECHO ? '' : echoText(echo);
  const opening = form.opening(snapshot, count, text);
  const closing = form.closing(snapshot, count, text);
  if (count <= TEXT_COUNT_MAX && selection.distancesNm === undefined)
    return sendMade(context, request, reply, { snapshot, make: () => opening + snapshot.text(form.view, selection) + closing, headers });
  return sendShared(context, request, reply, {
    snapshot,
    compose: () => snapshot.compose(form.view, selection, opening, closing),
    headers,
  });
}

interface Objects {
  readonly snapshot: Snapshot;
  readonly selection: Selection;
  readonly echo: Readonly<Record<string, unknown>>;
  readonly list: AircraftList;
  readonly query: ListQuery;
  readonly headers: readonly string[];
}

/** The slower path through objects: for members and formats that the bytes do not have. */
function sendObjects(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { snapshot, selection, echo, list, query, headers }: Objects,
): void | Promise<void> {
  const { form, decorate } = list;
  const wanted = query.fields === undefined ? null : pickFields(query.fields, aircraftMembers);
  const isGeo = query.format === 'geojson';
  const text = (): string => {
    const objects = aircraftObjects(snapshot, form.view, selection, decorate);
    if (isGeo) return geoJson(snapshot, objects, { wanted, isStored: context.isStored });
    const shown = wanted === null ? objects : objects.map(wanted);
    const members = JSON.stringify(shown).slice(1, -1);
    return form.opening(snapshot, selection.count, echoText(echo)) + members + form.closing(snapshot, selection.count, echoText(echo));
  };
  const compose = (): Composed => ({ bytes: Buffer.from(text()), release: () => {} });
  return sendShared(context, request, reply, { snapshot, compose, headers, ...(isGeo ? { contentType: GEO_JSON_TYPE } : {}) });
}
