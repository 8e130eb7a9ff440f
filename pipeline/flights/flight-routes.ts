// Routes for the rows of the live table: IATA codes for the aircraft object, airports and source for flights. One object per route.

import type { FlightPlanSource } from '../../schemas/avro/flight-plan.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { AircraftRoute } from '../aircraft/facts.ts';
import type { FlightAirport } from './airports.ts';
import type { Leg } from './plausibility.ts';

export interface FlightRoute extends AircraftRoute {
  /** Null when unknown, or when the route is not plausible. */
  readonly origin: FlightAirport | null;
  readonly destination: FlightAirport | null;
  readonly source: FlightPlanSource;
  /** False: there is a route, but the aircraft's motion contradicts it. */
  readonly isPlausible: boolean;
}

export class FlightRoutes {
  private readonly routes = new Map<string, FlightRoute>();
  private readonly contradicted = new Map<FlightPlanSource, FlightRoute>();

  /** The route of a leg. The same object while the airports are the same objects. */
  routeOf({ origin, destination }: Leg, source: FlightPlanSource): FlightRoute {
    const key = `${origin?.key ?? ''}>${destination?.key ?? ''}>${source}`;
    const known = this.routes.get(key);
    if (known !== undefined && known.origin === origin && known.destination === destination) return known;
    if (this.routes.size >= limits.flightRoutesMax) this.routes.clear();
    const route: FlightRoute = {
      origin,
      destination,
      source,
      isPlausible: true,
      ...(origin?.airport.iata === undefined ? {} : { originIata: origin.airport.iata }),
      ...(destination?.airport.iata === undefined ? {} : { destinationIata: destination.airport.iata }),
    };
    this.routes.set(key, route);
    return route;
  }

  /** The part of an implausible route that is shown: that it exists, and its source. */
  contradictedOf(source: FlightPlanSource): FlightRoute {
    let route = this.contradicted.get(source);
    if (route === undefined) {
      route = { origin: null, destination: null, source, isPlausible: false };
      this.contradicted.set(source, route);
    }
    return route;
  }
}

/** The route of an aircraft, as set by this folder; null without one. */
export function flightRoute(route: AircraftRoute | null): FlightRoute | null {
  return route !== null && 'isPlausible' in route ? (route as FlightRoute) : null;
}
