// Value of `adsb.flightplans.v1`: where a call sign flies from and to, with the source that says so, key = call sign.

export const flightPlanSources = ['plan', 'schedule', 'observed'] as const;
export type FlightPlanSource = (typeof flightPlanSources)[number];

export interface FlightPlan {
  callsign: string;
  originIcao: string;
  destinationIcao: string;
  source: FlightPlanSource;
  validFromMs: number;
  validToMs: number;
}

export const flightPlanSchema = {
  type: 'record',
  name: 'FlightPlan',
  namespace: 'squitter.v1',
  fields: [
    { name: 'callsign', type: 'string' },
    { name: 'originIcao', type: 'string' },
    { name: 'destinationIcao', type: 'string' },
    { name: 'source', type: { type: 'enum', name: 'FlightPlanSource', symbols: flightPlanSources } },
    { name: 'validFromMs', type: 'long' },
    { name: 'validToMs', type: 'long' },
  ],
} as const;
