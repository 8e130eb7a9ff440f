// Value of `adsb.flightplans.v1`: origin and destination of a call sign, with their source; key = call sign.
import { type AvroValue, required } from './value.ts';

export const flightPlanSources = ['plan', 'schedule', 'observed'] as const;
export type FlightPlanSource = (typeof flightPlanSources)[number];

const CODE = 'ICAO code; of an airport that has none, its IATA or local code; empty where only the other end is known';

export const flightPlanSchema = {
  type: 'record',
  name: 'FlightPlan',
  namespace: 'squitter.v1',
  fields: [
    required('callsign', 'string'),
    required('originIcao', 'string', CODE),
    required('destinationIcao', 'string', CODE),
    required('source', { type: 'enum', name: 'FlightPlanSource', symbols: flightPlanSources }),
    required('validFromMs', 'long'),
    required('validToMs', 'long'),
  ],
} as const;

export type FlightPlan = AvroValue<typeof flightPlanSchema>;
