// Value of `adsb.flightplans.v1`: origin and destination of a call sign, with their source; key = call sign.

export const flightPlanSources = ['plan', 'schedule', 'observed'] as const;
export type FlightPlanSource = (typeof flightPlanSources)[number];

export interface FlightPlan {
  callsign: string;
  /** ICAO code; for an airport without one, its IATA or local code; empty when only the other end is known. */
  originIcao: string;
  /** As originIcao. */
  destinationIcao: string;
  source: FlightPlanSource;
  validFromMs: number;
  validToMs: number;
}

const CODE = 'ICAO code; of an airport that has none, its IATA or local code; empty where only the other end is known';

export const flightPlanSchema = {
  type: 'record',
  name: 'FlightPlan',
  namespace: 'squitter.v1',
  fields: [
    { name: 'callsign', type: 'string' },
    { name: 'originIcao', type: 'string', doc: CODE },
    { name: 'destinationIcao', type: 'string', doc: CODE },
    { name: 'source', type: { type: 'enum', name: 'FlightPlanSource', symbols: flightPlanSources } },
    { name: 'validFromMs', type: 'long' },
    { name: 'validToMs', type: 'long' },
  ],
} as const;
