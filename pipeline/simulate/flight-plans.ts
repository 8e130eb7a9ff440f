// Flight plans of simulated flights: each leg between two airports is filed as it begins, while its aircraft is still parked.
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { FLIGHT_ROUTE } from './flights/classes.ts';
import type { Traffic } from './traffic.ts';

/** Aircraft per step: planning a leg takes some 20 µs. */
const PER_STEP = 500;
/** Some flights are late by up to this. */
const LATE_MS = 30 * 60_000;

export class PlanFiler {
  private readonly traffic: Traffic;
  /** End of the last planned leg, µs since the Unix epoch. */
  private readonly endsUs: Float64Array;
  private next = 0;

  constructor(traffic: Traffic) {
    this.traffic = traffic;
    this.endsUs = new Float64Array(traffic.fleet.length).fill(Number.NEGATIVE_INFINITY);
  }

  /** Plans of new legs, for the next aircraft in turn. Sightseeing flights file none. */
  step(nowUs: number): FlightPlan[] {
    const { traffic, endsUs } = this;
    const plans: FlightPlan[] = [];
    let looked = 0;
    for (let n = 0; n < endsUs.length && looked < PER_STEP; n += 1) {
      const aircraft = this.next;
      this.next = (this.next + 1) % endsUs.length;
      if (endsUs[aircraft]! > nowUs) continue;
      looked += 1;
      const { callsign, origin, destination, beginUs, endUs } = traffic.leg(aircraft, nowUs);
      endsUs[aircraft] = endUs;
      if (traffic.fleet[aircraft]!.aircraftClass.flight !== FLIGHT_ROUTE || origin === destination) continue;
      plans.push({
        callsign,
        originIcao: origin,
        destinationIcao: destination,
        source: 'plan',
        validFromMs: Math.floor(beginUs / 1000),
        validToMs: Math.ceil(endUs / 1000) + LATE_MS,
      });
    }
    return plans;
  }
}
