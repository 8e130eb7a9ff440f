// Appends the flight plans of simulated flights to the log, from the process that simulates them.
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { RecordQueue } from '../../pipeline/log/record-queue.ts';
import { PlanFiler } from '../../pipeline/simulate/flight-plans.ts';
import type { Traffic } from '../../pipeline/simulate/traffic.ts';
import { limits } from '../../schemas/limits/index.ts';

const STEP_MS = 100;

export interface PlanFiling {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly traffic: Traffic;
  readonly nowUs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Appends until stopped. `stop` waits for pending appends. While the log accepts nothing, no new plans are made. */
export function startPlanFiling({ log, codecs, traffic, nowUs, onError }: PlanFiling): { stop(): Promise<void> } {
  const filer = new PlanFiler(traffic);
  const queue = new RecordQueue({ log, topic: 'flightplans', waitingMax: limits.flightPlansWaitingMax, onFailure: onError });
  const timer = setInterval(() => {
    if (queue.isBusy) return;
    for (const plan of filer.step(nowUs()))
      queue.add({ key: plan.callsign, value: codecs.FlightPlan.encode(plan), timestampMs: plan.validFromMs });
  }, STEP_MS);
  return {
    async stop() {
      clearInterval(timer);
      await queue.stop();
    },
  };
}
