// Messages of clients with the profile `aircraft.v2.json`.

import { badValue, QueryError } from '../../query-api/queries/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { SEQ_LAST, SNAPSHOT_PATH } from '../../schemas/push.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { protocolOf } from './encodings.ts';
import { type Filter, parseZone } from './filter.ts';
import type { PagePace } from './page-pace.ts';
import type { Subscriber } from './subscriber.ts';

export type ClientMessage =
  /** One stream of a filter, or one stream per zone. */
  | { readonly type: 'subscribe'; readonly filter?: unknown; readonly zones?: readonly Filter[] }
  | { readonly type: 'unsubscribe' }
  | { readonly type: 'resume'; readonly stream: string; readonly seq: number }
  /** `id` comes back in the `pong`. */
  | { readonly type: 'ping'; readonly id?: string | number };

const types = ['subscribe', 'unsubscribe', 'resume', 'ping'] as const;

/** Errors: `api.bad_value` and those of filters. */
export function parseMessage(text: string): ClientMessage {
  const message = objectOf(text);
  switch (message['type']) {
    case 'subscribe': {
      const { filter, zones } = message;
      if (zones === undefined) return { type: 'subscribe', filter };
      if (filter !== undefined) throw badValue('zones', JSON.stringify(zones), 'expected no filter beside it');
      return { type: 'subscribe', zones: parseZones(zones) };
    }
    case 'unsubscribe':
      return { type: 'unsubscribe' };
    case 'resume': {
      const { stream, seq } = message;
      if (typeof stream !== 'string' || typeof seq !== 'number' || !Number.isInteger(seq) || seq < 0 || seq > SEQ_LAST)
        throw badValue('stream', String(stream), 'expected the stream and seq of a frame');
      return { type: 'resume', stream, seq };
    }
    case 'ping': {
      const { id } = message;
      if (id === undefined) return { type: 'ping' };
      if (typeof id !== 'string' && typeof id !== 'number') throw badValue('id', String(id), 'expected a text or a number');
      return { type: 'ping', id };
    }
    default:
      throw badValue('type', String(message['type']), `expected one of ${types.join(', ')}`);
  }
}

/** Zones by their south-west corners. Errors: `api.bad_value`. */
export function parseZones(value: unknown): readonly Filter[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.pushZonesMax)
    throw badValue('zones', JSON.stringify(value) ?? '', `expected 1 to ${limits.pushZonesMax} zones`);
  return [...new Set(value as unknown[])].map(parseZone);
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new QueryError('push.bad_message', { detail: (error as Error).message });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new QueryError('push.bad_message', { detail: 'expected an object' });
  return value as Readonly<Record<string, unknown>>;
}

/** The tier or the interval of an open stream has changed. */
export function movedTo(tier: Tier, intervalMs: number): Readonly<Record<string, unknown>> {
  const detail = `the tier is ${tier}, and frames come every ${intervalMs / 1000} s now`;
  return { type: 'status', code: 'tier', detail, tier, interval_ms: intervalMs };
}

/** Pages get frames at another interval, because of what all of them together are sent. */
export function pacedTo({ intervalMs, isSlowed }: PagePace, bytesPerSMax: number): Readonly<Record<string, unknown>> {
  const why = isSlowed ? `: all pages together are sent at most ${bytesPerSMax} bytes a second` : ' again';
  return { type: 'status', code: 'pace', detail: `frames come every ${intervalMs / 1000} s now${why}`, interval_ms: intervalMs };
}

/** The first message of a connection with control frames. */
export function helloOf({ tier, serviceClass, encoding }: Subscriber, timeMs: number): Readonly<Record<string, unknown>> {
  return {
    ...{ type: 'hello', tier, interval_ms: serviceClass.intervalMs, time: unixS(timeMs), protocol: protocolOf(encoding) },
    ...(encoding === 'binary' ? { snapshot_url: SNAPSHOT_PATH } : {}),
  };
}

/** Seconds since the Unix epoch with one decimal. */
export function unixS(ms: number): number {
  return Math.floor(ms / 100) / 10;
}
