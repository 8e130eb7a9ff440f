// Calls of tools over a read model: arguments to the operations of the record service, rows to structured content and text. An error of an operation is a
// result, so that the assistant reads it and can correct itself.

import { SquitterError, stableCode } from '../../schemas/errors.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { badValue, missing, QueryError, unknownParameter } from '../queries/errors.ts';
import { shownAgeS } from '../queries/freshness.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { decimalSeconds, getAircraft, nearbyAircraft, networkStats, sourceTimeS } from '../rpc/operations.ts';
import type { RecordRow } from '../rpc/record-fields.ts';
import { rowOf, rowsOf, writeRecord } from '../rpc/record-objects.ts';
import { type ObjectSchema, type ToolName, toolDefinitions } from './definitions.ts';
import { type AircraftRecord, aircraftText, nearbyText, statsText } from './text.ts';

/** JSON text as a type: what `params.arguments` of a call is. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The result of a call in the form of the protocol. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly _meta: Partial<ResultMeta>;
  readonly [member: string]: unknown;
}

/** Values that REST has in headers. */
export interface ResultMeta {
  readonly tier: Tier;
  /** Age of the data, whole seconds; absent without data. */
  readonly data_age?: number;
  /** Where a reader learns how to contribute. */
  readonly contribute: string;
  /** Stable code of an error. */
  readonly code?: string;
  /** Seconds after which the same call may succeed. */
  readonly retry_after?: number;
  readonly [member: string]: unknown;
}

/** The caller that gets a result. */
export interface Asker {
  readonly tier: Tier;
  readonly contribute: string;
}

interface Found {
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

const operations: Readonly<Record<ToolName, (model: ReadModel, given: ToolArguments) => Found>> = {
  get_aircraft(model, { hex }) {
    const record = recordOf(rowOf(getAircraft(model, { hex: hex as string })));
    return { structured: { ...record }, text: aircraftText(record) };
  },
  nearby_aircraft(model, { radius_nm, ...given }) {
    const found = nearbyAircraft(model, { ...given, radiusNm: radius_nm as number | undefined });
    const [aircraft, { total }] = [rowsOf(found).map(recordOf), found];
    return { structured: { aircraft, total, source_time: sourceTimeS(found.snapshot) }, text: nearbyText(aircraft, total) };
  },
  network_stats(model) {
    const { snapshot, servedAtMs } = networkStats(model);
    const record = { aircraft_total: snapshot.totals.total, source_time: sourceTimeS(snapshot), served_at: decimalSeconds(servedAtMs) };
    return { structured: record, text: statsText(record) };
  },
};

/** Calls a tool. Errors of the catalogue become results, all others are thrown. */
export function callTool(model: ReadModel, name: ToolName, given: ToolArguments, asker: Asker): ToolResult {
  try {
    checkArguments(toolDefinitions.find((tool) => tool.name === name)!.inputSchema, given);
    const { structured, text } = operations[name](model, given);
    return { content: [{ type: 'text', text }], structuredContent: structured, _meta: metaOf(model, asker) };
  } catch (error) {
    if (!(error instanceof SquitterError)) throw error;
    return errorResult(error, metaOf(model, asker));
  }
}

/** An error as a result. */
export function errorResult(error: SquitterError, meta: Partial<ResultMeta>): ToolResult {
  const retryAfterS = error instanceof QueryError ? error.retryAfterS : null;
  const advice = retryAfterS === null ? '' : ` Try again in ${retryAfterS} s.`;
  return {
    content: [{ type: 'text', text: `${error.message}.${advice}` }],
    isError: true,
    _meta: { ...meta, code: stableCode(error.code), ...(retryAfterS === null ? {} : { retry_after: retryAfterS }) },
  };
}

/** Tier, age of the data, and where to contribute. */
export function metaOf({ view, clock, steadyMs }: Pick<ReadModel, 'view' | 'clock' | 'steadyMs'>, { tier, contribute }: Asker): ResultMeta {
  const snapshot = view.current();
  return { tier, ...(snapshot === null ? {} : { data_age: shownAgeS(snapshot, clock(), steadyMs()) }), contribute };
}

/** Names and types; the operations check values. Errors: `api.unknown_parameter`, `api.bad_value`, `api.missing_parameter`. */
function checkArguments({ properties, required }: ObjectSchema, given: ToolArguments): void {
  const names = Object.keys(properties);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw unknownParameter(unknown.slice(0, names.length + 1), names);
  const absent = required.filter((name) => given[name] === undefined);
  if (absent.length > 0) throw missing(absent);
  for (const [name, value] of Object.entries(given)) {
    const { type } = properties[name] as { readonly type: string };
    const wanted = type === 'string' ? 'string' : 'number';
    if (value !== undefined && typeof value !== wanted)
      throw badValue(name, shown(value), wanted === 'string' ? 'expected a text' : 'expected a number');
  }
}

/** With the names of the .proto file, which are those of `/v2` in style. */
function recordOf(row: RecordRow): AircraftRecord {
  return writeRecord(row, 'name') as unknown as AircraftRecord;
}

/** The form in errors. */
function shown(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
