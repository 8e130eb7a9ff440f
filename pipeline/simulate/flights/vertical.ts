// Adds speed and altitude to the path of a flight: take-off roll, climb by stages, cruise with the wind, descent by stages, final, landing
// roll.

import { M_PER_NM, MPS_PER_KT } from '../../geo/earth.ts';
import { latitudeDeg, longitudeDeg } from '../../geo/great-circle.ts';
import { type Vector, vector } from '../../geo/vector.ts';
import { tasOfIas, type Wind, windAt } from './atmosphere.ts';
import type { AircraftClass, ClimbStage } from './classes.ts';
import type { Path } from './path.ts';
import type { Profile } from './pieces.ts';
import { PHASE_APPROACH, PHASE_CLIMB, PHASE_CRUISE, PHASE_DESCENT, PHASE_LANDING, PHASE_TAKEOFF, PHASE_TAXI } from './state.ts';

export interface VerticalPlan {
  /** Elevations of the two airports. */
  originFt: number;
  destinationFt: number;
  /** Requested altitude; `layProfile` lowers it when the path is too short. */
  cruiseFt: number;
  /** Marks along the path, m. */
  liftOffM: number;
  touchdownM: number;
  /** Length of the final approach. */
  finalM: number;
  /** Working memory of the plan. */
  readonly climb: Ladder;
  readonly descent: Ladder;
  readonly work: Workspace;
}

/** Arguments and result of the wind function. */
interface Workspace {
  readonly position: Vector;
  readonly direction: Vector;
  readonly wind: Wind;
}

export function emptyPlan(): VerticalPlan {
  return {
    ...{ originFt: 0, destinationFt: 0, cruiseFt: 0, liftOffM: 0, touchdownM: 0, finalM: 0 },
    ...{ climb: ladder(), descent: ladder(), work: { position: vector(), direction: vector(), wind: { eastKt: 0, northKt: 0 } } },
  };
}

const GLIDE_FT_PER_M = 318 / M_PER_NM;
const CRUISE_KNOT_M = 200 * M_PER_NM;
const LANDED_KT = 15;
const CIRCUIT_FT = 700;

/** Steps of a climb, or of a descent in reverse: length, and speed and altitude at the far end of each. */
interface Ladder {
  readonly lengths: Float64Array;
  readonly speeds: Float64Array;
  readonly altitudes: Float64Array;
  count: number;
  totalM: number;
}

const LADDER_MAX = 16;

function ladder(): Ladder {
  return {
    ...{ lengths: new Float64Array(LADDER_MAX), speeds: new Float64Array(LADDER_MAX), altitudes: new Float64Array(LADDER_MAX) },
    ...{ count: 0, totalM: 0 },
  };
}

/** Fills `profile` for the whole path. Lowers `plan.cruiseFt` until climb and descent fit between the marks. */
export function layProfile(path: Path, aircraftClass: AircraftClass, plan: VerticalPlan, profile: Profile): void {
  const { climb, descent } = plan;
  const gateFt = plan.destinationFt + plan.finalM * GLIDE_FT_PER_M;
  const floorFt = Math.max(plan.originFt + CIRCUIT_FT, plan.destinationFt + CIRCUIT_FT, gateFt + 100);
  const availableM = plan.touchdownM - plan.finalM - plan.liftOffM;
  const liftOff = groundSpeed(plan.work, path, plan.liftOffM, plan.originFt, aircraftClass.rotateKt);
  const touchdown = groundSpeed(plan.work, path, plan.touchdownM, plan.destinationFt, aircraftClass.approachKt);
  const gateSpeed = groundSpeed(plan.work, path, plan.touchdownM - plan.finalM, gateFt, gateTasKt(aircraftClass));
  plan.cruiseFt = Math.max(plan.cruiseFt, floorFt);
  for (;;) {
    climbLadder(path, aircraftClass, plan, liftOff);
    descentLadder(path, aircraftClass, plan, gateFt, gateSpeed);
    if (climb.totalM + descent.totalM < availableM * 0.97 || plan.cruiseFt <= floorFt) break;
    plan.cruiseFt = Math.max(floorFt, plan.cruiseFt - 1000);
  }
  // When even the lowest flight does not fit, climb and descent become steeper.
  const squeeze = Math.min(1, (availableM * 0.97) / (climb.totalM + descent.totalM));
  profile.clear();
  profile.knot(0, 0, plan.originFt, PHASE_TAKEOFF);
  profile.knot(plan.liftOffM, liftOff, plan.originFt, PHASE_CLIMB);
  let atM = plan.liftOffM;
  for (let i = 0; i < climb.count; i += 1) {
    atM += climb.lengths[i]! * squeeze;
    profile.knot(atM, climb.speeds[i]!, climb.altitudes[i]!, i === climb.count - 1 ? PHASE_CRUISE : PHASE_CLIMB);
  }
  const descentFromM = plan.touchdownM - plan.finalM - descent.totalM * squeeze;
  const legs = Math.max(1, Math.ceil((descentFromM - atM) / CRUISE_KNOT_M));
  const cruiseFromM = atM;
  const cruiseTas = cruiseTasKt(aircraftClass, plan.cruiseFt);
  for (let i = 1; i <= legs; i += 1) {
    atM = cruiseFromM + ((descentFromM - cruiseFromM) * i) / legs;
    profile.knot(
      atM,
      groundSpeed(plan.work, path, atM, plan.cruiseFt, cruiseTas),
      plan.cruiseFt,
      i === legs ? PHASE_DESCENT : PHASE_CRUISE,
    );
  }
  for (let i = descent.count - 2; i >= 0; i -= 1) {
    atM += descent.lengths[i + 1]! * squeeze;
    profile.knot(atM, descent.speeds[i]!, descent.altitudes[i]!, PHASE_DESCENT);
  }
  const shortM = plan.touchdownM - Math.min(plan.finalM * 0.5, 4 * M_PER_NM);
  profile.knot(plan.touchdownM - plan.finalM, gateSpeed, gateFt, PHASE_APPROACH);
  profile.knot(shortM, touchdown * 1.04, plan.destinationFt + (plan.touchdownM - shortM) * GLIDE_FT_PER_M, PHASE_APPROACH);
  profile.knot(plan.touchdownM, touchdown, plan.destinationFt, PHASE_LANDING);
  const landed = LANDED_KT * MPS_PER_KT;
  profile.knot(path.lengthM - 60, landed, plan.destinationFt, PHASE_TAXI);
  profile.knot(path.lengthM, 0, plan.destinationFt, PHASE_TAXI);
}

function climbLadder(path: Path, aircraftClass: AircraftClass, plan: VerticalPlan, liftOff: number): void {
  const { climb } = plan;
  climb.count = 0;
  climb.totalM = 0;
  let altitudeFt = plan.originFt;
  let speed = liftOff;
  for (const stage of aircraftClass.stages) {
    const topFt = Math.min(stage.altitudeFt, plan.cruiseFt);
    if (topFt < altitudeFt + 500 && topFt < plan.cruiseFt) continue;
    const atM = plan.liftOffM + climb.totalM;
    const top = groundSpeed(plan.work, path, atM, topFt, stageTasKt(aircraftClass, stage, topFt, plan.cruiseFt));
    rung(climb, speed, top, topFt - altitudeFt, stage.climbFpm, topFt);
    altitudeFt = topFt;
    speed = top;
    if (topFt >= plan.cruiseFt) return;
  }
}

/** From the gate upwards, backwards in time. Entry i is the top of step i; speeds[0], altitudes[0] belong to the gate. */
function descentLadder(path: Path, aircraftClass: AircraftClass, plan: VerticalPlan, gateFt: number, gateSpeed: number): void {
  const { descent } = plan;
  descent.count = 0;
  descent.totalM = 0;
  rung(descent, gateSpeed, gateSpeed, 0, 1, gateFt);
  let altitudeFt = gateFt;
  let speed = gateSpeed;
  for (const stage of aircraftClass.stages) {
    const topFt = Math.min(stage.altitudeFt, plan.cruiseFt);
    if (topFt < altitudeFt + 500 && topFt < plan.cruiseFt) continue;
    const atM = plan.touchdownM - plan.finalM - descent.totalM;
    const top = groundSpeed(plan.work, path, atM, topFt, stageTasKt(aircraftClass, stage, topFt, plan.cruiseFt));
    rung(descent, speed, top, topFt - altitudeFt, stage.descentFpm, topFt);
    altitudeFt = topFt;
    speed = top;
    if (topFt >= plan.cruiseFt) return;
  }
}

function rung(steps: Ladder, from: number, to: number, heightFt: number, rateFpm: number, altitudeFt: number): void {
  const lengthM = ((from + to) / 2) * ((heightFt / rateFpm) * 60);
  steps.lengths[steps.count] = lengthM;
  steps.speeds[steps.count] = to;
  steps.altitudes[steps.count] = altitudeFt;
  steps.count += 1;
  steps.totalM += lengthM;
}

function gateTasKt(aircraftClass: AircraftClass): number {
  return aircraftClass.approachKt * 1.3;
}

function stageTasKt(aircraftClass: AircraftClass, stage: ClimbStage, altitudeFt: number, cruiseFt: number): number {
  const cruise = cruiseTasKt(aircraftClass, cruiseFt);
  return altitudeFt >= cruiseFt ? cruise : Math.min(cruise, tasOfIas(stage.iasKt, altitudeFt));
}

/** The cruise speed of the class, less in denser air below its usual altitude. */
function cruiseTasKt(aircraftClass: AircraftClass, altitudeFt: number): number {
  const stage = aircraftClass.stages.find((candidate) => altitudeFt <= candidate.altitudeFt)!;
  return Math.min(aircraftClass.cruiseTasKt, tasOfIas(stage.iasKt + 25, altitudeFt));
}

/**
 * Ground speed, m/s, of an airspeed at a distance along the path: the wind along the path adds to it; a crab angle corrects for the rest.
 */
function groundSpeed({ position, direction, wind }: Workspace, path: Path, distanceM: number, altitudeFt: number, tasKt: number): number {
  path.at(distanceM, position, direction);
  windAt(latitudeDeg(position), longitudeDeg(position), altitudeFt, wind);
  const ring = Math.sqrt(position.x * position.x + position.y * position.y);
  let east = (position.x * direction.y - position.y * direction.x) / ring;
  let north = direction.z / ring;
  const length = Math.sqrt(east * east + north * north);
  east /= length;
  north /= length;
  const along = wind.eastKt * east + wind.northKt * north;
  const across = wind.northKt * east - wind.eastKt * north;
  const forward = Math.sqrt(Math.max(0.25 * tasKt * tasKt, tasKt * tasKt - across * across));
  return Math.max(20, forward + along) * MPS_PER_KT;
}
