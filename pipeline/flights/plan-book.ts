// Flight plans of the topic in memory, by call sign. Only the newest observed plan counts; other plans with different validity exist side by side.
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { limits } from '../../schemas/limits/index.ts';

const NONE: readonly FlightPlan[] = [];
const SWEEP_MS = 60_000;

export class PlanBook {
  /** Plans known. */
  size = 0;
  /** Plans refused for lack of room. */
  dropped = 0;
  private readonly plans = new Map<string, readonly FlightPlan[]>();
  private sweptMs = Number.NEGATIVE_INFINITY;

  /** Adds a plan, or replaces the one for the same time. A known plan changes nothing. */
  put(plan: FlightPlan): void {
    if (this.plansOf(plan.callsign).some((known) => isSame(known, plan))) return;
    const others = this.plansOf(plan.callsign).filter((other) => !isSuperseded(other, plan));
    const remaining = [...others, plan].slice(-limits.flightPlansPerCallsignMax);
    const size = this.size + remaining.length - this.plansOf(plan.callsign).length;
    if (size > limits.flightPlansMax) {
      this.dropped += 1;
      return;
    }
    this.plans.set(plan.callsign, remaining);
    this.size = size;
  }

  /** Removes the plans of a call sign. */
  remove(callsign: string): void {
    this.size -= this.plansOf(callsign).length;
    this.plans.delete(callsign);
  }

  /** All plans of a call sign, valid or not. The same array until one of them changes. */
  plansOf(callsign: string): readonly FlightPlan[] {
    return this.plans.get(callsign) ?? NONE;
  }

  /** Drops expired plans; works once a minute of event time. */
  sweep(nowMs: number): void {
    if (nowMs - this.sweptMs < SWEEP_MS) return;
    this.sweptMs = nowMs;
    for (const [callsign, plans] of this.plans) {
      const remaining = plans.filter(({ validToMs }) => validToMs >= nowMs);
      if (remaining.length === plans.length) continue;
      this.size += remaining.length - plans.length;
      if (remaining.length === 0) this.plans.delete(callsign);
      else this.plans.set(callsign, remaining);
    }
  }
}

function isSame(a: FlightPlan, b: FlightPlan): boolean {
  const isSameTime = a.validFromMs === b.validFromMs && a.validToMs === b.validToMs;
  return isSameTime && a.source === b.source && a.originIcao === b.originIcao && a.destinationIcao === b.destinationIcao;
}

function isSuperseded(old: FlightPlan, plan: FlightPlan): boolean {
  return old.source === plan.source && (plan.source === 'observed' || old.validFromMs === plan.validFromMs);
}
