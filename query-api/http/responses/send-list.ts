// Sends aircraft: selected, limited, and copied from the snapshot's bytes; members and formats on request.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Listing } from '../../../pipeline/view/listing.ts';
import type { MeasuredReceivers } from '../../../pipeline/view/measured-receivers.ts';
import { first, type Selection, slice } from '../../../pipeline/view/search.ts';
import { type Composed, ENVELOPE_END, type Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type CoveredPosition, receiverCoverage } from '../../queries/coverage.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { GEO_JSON_TYPE, geoFeatures, geoOpening } from '../../queries/geojson.ts';
import { type ListQuery, listPredicate } from '../../queries/list-filters.ts';
import { aircraftObjects, pickFields } from '../../queries/objects.ts';
import type { Select } from '../../queries/selections.ts';
import { connectionOf } from '../connections/connection.ts';
import type { ApiContext } from '../context.ts';
import type { Form } from './list-forms.ts';
import type { ListTurns } from './list-turns.ts';
import { membersText } from './meta.ts';
import { type ListLength, readyResponse, sendMade, sendReady, sendShared } from './response.ts';
import { sendPast } from './send-past.ts';

export interface AircraftList {
  readonly form: Form;
  /** The selected aircraft of this list, in its order. */
  readonly select: Select;
  /** Further members of the envelope. */
  readonly echo?: Readonly<Record<string, unknown>>;
  /** Further members of an aircraft. */
  readonly decorate?: (listing: Listing, index: number) => Readonly<Record<string, unknown>>;
  /** GeoJSON instead of the form. */
  readonly isGeoJson?: boolean;
  /** The parameter `at`: the list is that of a moment of the past. */
  readonly at?: string | undefined;
  /** The position of a geographic list: headers report its coverage. */
  readonly near?: CoveredPosition;
}

const NO_ECHO = {};

/** `mayBeLong`: it is the list's turn, whatever its length. */
export function sendList(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  list: AircraftList,
  mayBeLong = false,
): void | Promise<void> {
  if (list.at !== undefined) return sendPast(context, request, reply, list.at);
  if (reply.raw.destroyed) {
    // The client went away while its list waited.
    reply.hijack();
    return;
  }
  const snapshot = freshSnapshot(context);
  const ready = readyResponse(context, request, snapshot);
  const headers = coverageHeaders(context.view.receivers, list.near);
  if (ready !== undefined) return sendReady(context, request, reply, snapshot, ready, headers);
  const { listTurns } = context;
  const connection = connectionOf(request.raw.socket);
  const waitForLong = (): Promise<void> => listTurns.later(() => sendList(context, request, reply, list, true), true);
  if (connection?.asksForLongLists === true && !mayBeLong && listTurns.isBusyForLong) return waitForLong();
  if (listTurns.isBusy) return listTurns.later(() => sendList(context, request, reply, list));
  const query = request.query as ListQuery;
  const startMs = performance.now();
  const found = list.select(snapshot, listPredicate(query, snapshot.listing, context.reference));
  const isTruncated = query.limit !== undefined && found.count > query.limit;
  const selection = isTruncated ? first(found, query.limit) : found;
  listTurns.spend(performance.now() - startMs, 0);
  const { count } = selection;
  const length = lengthOf(count);
  if (connection !== undefined) connection.asksForLongLists = length === 'long';
  if (length === 'long' && !mayBeLong && listTurns.isBusyForLong) return waitForLong();
  const { isStored } = context;
  const echo =
    isTruncated || isStored
      ? { ...list.echo, ...(isTruncated && { truncated: true }), ...(isStored && { from_history: true }) }
      : (list.echo ?? NO_ECHO);
  if (query.fields !== undefined || list.isGeoJson === true || list.decorate !== undefined)
    return sendObjects(context, request, reply, { snapshot, selection, length, echo, list, query, headers });
  const { form } = list;
  const text = echo === NO_ECHO ? '' : membersText(echo);
  const opening = form.opening(snapshot, count, text);
  const closing = form.closing(snapshot, count, text);
  if (count <= limits.smallListAircraftMax && selection.distancesNm === undefined)
    return sendMade(context, request, reply, snapshot, { make: () => opening + snapshot.text(form.view, selection) + closing, headers });
  return sendShared(context, request, reply, {
    snapshot,
    length,
    compose: () => snapshot.compose(form.view, selection, opening, closing),
    headers,
  });
}

function lengthOf(count: number): ListLength {
  if (count > limits.shortListAircraftMax) return 'long';
  return count > limits.smallListAircraftMax ? 'short' : 'small';
}

interface Objects {
  readonly snapshot: Snapshot;
  readonly selection: Selection;
  readonly length: ListLength;
  readonly echo: Readonly<Record<string, unknown>>;
  readonly list: AircraftList;
  readonly query: ListQuery;
  readonly headers: readonly string[];
}

/** The slower path through objects: for members and formats that the bytes do not have. A long list is made in steps. */
function sendObjects(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { snapshot, selection, length, echo, list, query, headers }: Objects,
): void | Promise<void> {
  const { form, decorate } = list;
  const wanted = query.fields === undefined ? null : pickFields(query.fields);
  const isGeo = list.isGeoJson === true;
  const objectsOf = (part: Selection): object[] => {
    const objects = aircraftObjects(snapshot, form.view, part, decorate);
    if (isGeo) return geoFeatures(objects, wanted);
    return wanted === null ? objects : objects.map(wanted);
  };
  const opening = (count: number): string =>
    isGeo ? geoOpening(snapshot, count, context.isStored) : form.opening(snapshot, count, membersText(echo));
  const closing = (count: number): string => (isGeo ? ENVELOPE_END : form.closing(snapshot, count, membersText(echo)));
  const bytesOf = ({ count, parts }: ObjectsJson): Buffer =>
    Buffer.concat([Buffer.from(opening(count)), ...parts, Buffer.from(closing(count))]);
  const compose = (): Composed | Promise<Buffer> =>
    length === 'long'
      ? jsonInSteps(context.listTurns, snapshot, selection, objectsOf).then(bytesOf)
      : { bytes: bytesOf(jsonOf(objectsOf(selection))), release: () => {} };
  return sendShared(context, request, reply, { snapshot, length, compose, headers, ...(isGeo ? { contentType: GEO_JSON_TYPE } : {}) });
}

/** Objects as JSON with commas between them. In parts, and as bytes: a text of the whole would be copied in one step and collected as garbage. */
interface ObjectsJson {
  readonly count: number;
  readonly parts: readonly Buffer[];
}

/** `isFirst`: no comma stands before them. */
function jsonOf(objects: readonly object[], isFirst = true): ObjectsJson {
  const text = JSON.stringify(objects);
  return { count: objects.length, parts: objects.length === 0 ? [] : [Buffer.from((isFirst ? '' : ',') + text.slice(1, -1))] };
}

/** The objects of a long selection: a few of them in each step, so that other requests are served meanwhile. */
async function jsonInSteps(
  turns: ListTurns,
  snapshot: Snapshot,
  selection: Selection,
  objectsOf: (part: Selection) => object[],
): Promise<ObjectsJson> {
  // Later searches and ticks use the same memory.
  const copy = slice(selection, 0, selection.count);
  const parts: Buffer[] = [];
  let done = 0;
  let count = 0;
  snapshot.retain();
  try {
    return await turns.inSteps(() => {
      const part = jsonOf(objectsOf(slice(copy, done, done + limits.listStepAircraftMax)), count === 0);
      parts.push(...part.parts);
      count += part.count;
      done += limits.listStepAircraftMax;
      return done < copy.count ? null : { count, parts };
    });
  } finally {
    snapshot.release();
  }
}

/** Names and values of the two headers of geographic responses; none before a receiver is measured. */
function coverageHeaders(receivers: MeasuredReceivers, position: CoveredPosition | undefined): readonly string[] {
  const covered = position === undefined ? null : receiverCoverage(receivers, position);
  return covered === null ? [] : ['x-service-coverage', covered.coverage, 'x-service-nearest-receiver', covered.nearest];
}
