// Calls of the benches of HTTP and records: addresses in scattered order, and circles where traffic is dense; each as every protocol sends it.
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { MICRODEG_PER_DEG } from '../../pipeline/geo/earth.ts';
import { nearestInCircle } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { GetAircraftRequestSchema, NearbyAircraftRequestSchema } from '../../schemas/proto/v1/aircraft_pb.ts';
import type { GrpcCalls, HttpCall } from './load.ts';

export const NEARBY_LIMIT = 50;
const ADDRESSES = 2000;
const CIRCLES = 20;
/** Aircraft in each circle; one in so many aircraft is tried as a centre. */
const FOUND = 300;
const TRIED_STEP = 100;
const WIDEST_NM = 250;
/** Equal requests within a second would be cached by REST: circles differ by metres. */
const VARIATIONS = 200;

export interface CallCircle {
  readonly lat: number;
  readonly lon: number;
  readonly radiusNm: number;
  /** Half of the height, and of the width at the equator, of a box with as many aircraft. */
  readonly halfDeg: number;
}

export interface CallSet {
  readonly addresses: readonly string[];
  readonly circles: readonly CallCircle[];
}

export function callSet(snapshot: Snapshot): CallSet {
  const { count, columns } = snapshot.listing;
  const addresses = Array.from({ length: ADDRESSES }, (_, n) => keyHex(columns.key[(n * 7919) % count]!));
  const tried = Array.from({ length: Math.floor(count / TRIED_STEP) }, (_, n) => circleAround(snapshot, n * TRIED_STEP));
  const circles = tried.filter((circle) => circle !== null).sort((a, b) => a.radiusNm - b.radiusNm);
  return { addresses, circles: circles.slice(0, CIRCLES) };
}

/** The circle around an aircraft with FOUND others; null when there are not as many. */
function circleAround({ listing }: Snapshot, index: number): CallCircle | null {
  const { latitudeMicrodeg, longitudeMicrodeg } = listing.columns;
  const lat = latitudeMicrodeg[index]! / MICRODEG_PER_DEG;
  const lon = longitudeMicrodeg[index]! / MICRODEG_PER_DEG;
  const { selection } = nearestInCircle(listing, { latDeg: lat, lonDeg: lon, radiusNm: WIDEST_NM }, FOUND);
  if (selection.count < FOUND) return null;
  const narrowing = Math.cos((lat * Math.PI) / 180);
  const apart = (i: number): number =>
    Math.max(
      Math.abs(latitudeMicrodeg[i]! - latitudeMicrodeg[index]!),
      Math.abs(longitudeMicrodeg[i]! - longitudeMicrodeg[index]!) * narrowing,
    );
  const sizes = Float64Array.from({ length: listing.count }, (_, i) => apart(i)).sort();
  return { lat, lon, radiusNm: selection.distancesNm![FOUND - 1]!, halfDeg: sizes[FOUND]! / MICRODEG_PER_DEG };
}

const SERVICE = '/v1.AircraftService';

/** Circles that differ by metres. */
export function variedCircles(circles: readonly CallCircle[]): CallCircle[] {
  return Array.from({ length: VARIATIONS * circles.length }, (_, n) => {
    const circle = circles[n % circles.length]!;
    const factor = 1 + n / 1e6;
    return { ...circle, radiusNm: circle.radiusNm * factor, halfDeg: circle.halfDeg * factor };
  });
}

export interface Operation {
  readonly grpc: GrpcCalls;
  readonly connect: readonly HttpCall[];
  readonly connectGet: readonly HttpCall[];
  readonly connectJson: readonly HttpCall[];
  readonly overRest: readonly HttpCall[];
  readonly tool: readonly HttpCall[];
}

export function getCalls({ addresses }: CallSet): Operation {
  const requests = addresses.map((hex) => ({ hex }));
  return operation(['GetAircraft', 'get_aircraft'], GetAircraftRequestSchema, requests, requests, ({ hex }) => `/v2/hex/${hex}`);
}

export function nearbyCalls({ circles }: CallSet): Operation {
  const requests = variedCircles(circles).map(({ lat, lon, radiusNm }) => ({ lat, lon, radiusNm, limit: NEARBY_LIMIT }));
  const args = requests.map(({ lat, lon, radiusNm, limit }) => ({ lat, lon, radius_nm: radiusNm, limit }));
  const names = ['NearbyAircraft', 'nearby_aircraft'] as const;
  return operation(names, NearbyAircraftRequestSchema, requests, args, ({ lat, lon, radiusNm, limit }) => {
    return `/v2/aircraft/nearest?lat=${lat}&lon=${lon}&radius=${radiusNm}&limit=${limit}`;
  });
}

function operation<Request extends object, Schema extends DescMessage>(
  [method, tool]: readonly [string, string],
  schema: Schema,
  requests: readonly (Request & MessageInitShape<Schema>)[],
  toolArguments: readonly object[],
  restPath: (request: Request) => string,
): Operation {
  const path = `${SERVICE}/${method}`;
  const messages = requests.map((request) => Buffer.from(toBinary(schema, create(schema, request))));
  return {
    grpc: { path, messages },
    connect: messages.map((body) => ({ path, body })),
    connectGet: messages.map((bytes) => ({ path: `${path}?connect=v1&encoding=proto&base64=1&message=${bytes.toString('base64url')}` })),
    connectJson: requests.map((request) => ({ path, body: Buffer.from(JSON.stringify(request)) })),
    overRest: requests.map((request) => ({ path: restPath(request) })),
    tool: toolArguments.map((given, id) => ({
      path: '/mcp',
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: given } })),
    })),
  };
}
