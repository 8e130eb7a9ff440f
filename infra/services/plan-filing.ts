// Files the flight plans of simulated flights into the log, from the process that simulates them.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { PlanFiler } from '../../pipeline/simulate/flight-plans.ts';
import type { Traffic } from '../../pipeline/simulate/traffic.ts';

const STEP_MS = 100;

export interface PlanFiling {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly traffic: Traffic;
  readonly nowUs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Files until it is stopped; what is under way then is waited for. */
export function startPlanFiling({ log, codecs, traffic, nowUs, onError }: PlanFiling): { stop(): Promise<void> } {
  const filer = new PlanFiler(traffic);
  let filing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const plans = filer.step(nowUs());
    if (plans.length === 0) return;
    const records = plans.map((plan) => ({ key: plan.callsign, value: codecs.FlightPlan.encode(plan), timestampMs: plan.validFromMs }));
    filing = Promise.all([filing, log.append('flightplans', 0, records).catch(onError)]);
  }, STEP_MS);
  return {
    async stop() {
      clearInterval(timer);
      await filing;
    },
  };
}
