// The block FLT of decisions G6: one flight as an object. Unknown members are absent.

import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { type FlightAirport, present } from '../../pipeline/flights/airports.ts';
import { flightRoute } from '../../pipeline/flights/flight-routes.ts';
import type { CurrentFlight } from '../../pipeline/flights/follower.ts';
import { MICRODEG_PER_DEG } from '../../pipeline/geo/earth.ts';
import { distanceNm } from '../../pipeline/geo/sphere.ts';
import { type Listing, operatorCode } from '../../pipeline/view/listing.ts';
import { emergencyNames } from '../../schemas/avro/aircraft-state.ts';
import { isAirborne, statusesOf } from './flight-status.ts';

export type FlightBlock = Record<string, unknown>;

/** Slower aircraft have no useful arrival time. */
const SLOWEST_ETA_DECI_KT = 500;
const MS_PER_HOUR = 3_600_000;

export interface FlightBlockOptions {
  readonly nowMs: number;
  /** NaN when not observed. */
  readonly times: Pick<CurrentFlight, 'takeoffMs' | 'landedMs'> | undefined;
  /** With the whole block APT of both airports, not only codes and name. */
  readonly isWhole: boolean;
}

export function flightBlock(listing: Listing, i: number, { nowMs, times, isWhole }: FlightBlockOptions): FlightBlock {
  const { columns, facts, flights } = listing;
  const hasPosition = listing.hasPosition(i);
  const squawk = columns.squawk[i]!;
  const route = flightRoute(listing.routes[i]!);
  const shown = (airport: FlightAirport | null | undefined): unknown =>
    airport === null || airport === undefined
      ? undefined
      : isWhole
        ? airport.block
        : present({ icao: airport.block['icao'], iata: airport.block['iata'], name: airport.block['name'] });
  return present({
    hex: keyHex(columns.key[i]!),
    flight: flights[i] ?? undefined,
    r: facts[i]?.registration,
    t: facts[i]?.typeDesignator,
    operator: operatorCode(flights[i]!) ?? undefined,
    status: statusesOf(listing, i)[0],
    origin: shown(route?.origin),
    destination: shown(route?.destination),
    route_source: route?.source,
    route_plausible: route?.isPlausible,
    departed_at: unixSeconds(times?.takeoffMs),
    landed_at: unixSeconds(times?.landedMs),
    lat: hasPosition ? listing.latitudesMicrodeg[i]! / MICRODEG_PER_DEG : undefined,
    lon: hasPosition ? listing.longitudesMicrodeg[i]! / MICRODEG_PER_DEG : undefined,
    alt_baro: columns.onGround[i] === 1 ? 'ground' : known(columns.altitudeBaroFt[i]!),
    gs: known(columns.groundSpeedDeciKt[i]!, 10),
    track: known(columns.trackCentideg[i]!, 100),
    baro_rate: known(columns.baroRateFpm[i]!),
    squawk: squawk === ABSENT ? undefined : String(squawk).padStart(4, '0'),
    emergency: emergencyNames[columns.emergency[i]!],
    seen: Math.round(Math.max(0, nowMs - listing.seenMs[i]!) / 100) / 10,
    seen_pos: hasPosition ? Math.max(0, nowMs - listing.positionMs[i]!) / 1000 : undefined,
    ...progress(listing, i, nowMs),
  });
}

/** Distance flown and distance to go, along the great circles from and to the airports. */
function progress(listing: Listing, i: number, nowMs: number): FlightBlock {
  const [fromNm, toNm] = [distanceTo(listing, i, 'origin'), distanceTo(listing, i, 'destination')];
  const speedDeciKt = listing.columns.groundSpeedDeciKt[i]!;
  const isUnderWay = toNm !== undefined && isAirborne(listing, i) && speedDeciKt >= SLOWEST_ETA_DECI_KT;
  return {
    distance_from_origin_nm: rounded(fromNm),
    distance_to_destination_nm: rounded(toNm),
    progress_percent:
      fromNm === undefined || toNm === undefined || fromNm + toNm === 0 ? undefined : Math.round((100 * fromNm) / (fromNm + toNm)),
    eta: isUnderWay ? Math.round((nowMs + (toNm / (speedDeciKt / 10)) * MS_PER_HOUR) / 1000) : undefined,
  };
}

/** Distance of an aircraft from an end of its route, nm; undefined when either is unknown. */
export function distanceTo(listing: Listing, i: number, end: 'origin' | 'destination'): number | undefined {
  const airport = flightRoute(listing.routes[i]!)?.[end];
  if (airport === undefined || airport === null || !listing.hasPosition(i)) return undefined;
  return distanceNm(airport.position, { x: listing.x[i]!, y: listing.y[i]!, z: listing.z[i]! });
}

function known(value: number, divisor = 1): number | undefined {
  return value === ABSENT ? undefined : value / divisor;
}

/** The time in whole seconds. */
function unixSeconds(timeMs = Number.NaN): number | undefined {
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000);
}

function rounded(nm: number | undefined): number | undefined {
  return nm === undefined ? undefined : Math.round(nm * 10) / 10;
}
