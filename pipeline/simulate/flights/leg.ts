// Plans one leg of one aircraft: parked, taxi, take-off, climb, cruise, descent, sometimes a hold, landing, taxi in. A leg is a pure
// function of (seed, aircraft, leg number): even legs leave the base, odd legs return to it, so time can jump to any of them.

import { M_PER_NM, MPS_PER_KT } from '../../geo/earth.ts';
import { destination, slide, tangent } from '../../geo/great-circle.ts';
import { copyVector, type Vector, vector } from '../../geo/vector.ts';
import { type AircraftClass, FLIGHT_ROUTE, FLIGHT_VEHICLE } from './classes.ts';
import { Path, RIGHT } from './path.ts';
import { Pieces, Profile } from './pieces.ts';
import { mix, Random } from './random.ts';
import type { Network } from './routes.ts';
import { PHASE_PARKED, PHASE_TAXI } from './state.ts';
import { emptyPlan, layProfile } from './vertical.ts';

/** Properties of an aircraft that a plan needs. */
export interface Flyer {
  readonly index: number;
  readonly aircraftClass: AircraftClass;
  /** Index of its base in the network. */
  readonly base: number;
}

export interface Leg {
  /** Number of the leg, from 0. */
  number: number;
  origin: number;
  destination: number;
  cruiseFt: number;
  /** A random number of the leg: determines call sign and squawk. */
  tag: number;
  /** Emergency code 0-7 (TC 28) and its squawk, between two times since the start of the leg; code 0: none. */
  emergency: number;
  emergencySquawk: number;
  emergencyFromS: number;
  emergencyToS: number;
  readonly pieces: Pieces;
}

export function emptyLeg(): Leg {
  return {
    ...{ number: -1, origin: 0, destination: 0, cruiseFt: 0, tag: 0 },
    ...{ emergency: 0, emergencySquawk: 0, emergencyFromS: 0, emergencyToS: 0, pieces: new Pieces() },
  };
}

const HOLD_SHARE = 0.08;
const HOLD_LEG_M = 4 * M_PER_NM;
const HOLD_FROM_GATE_M = 13 * M_PER_NM;
const RUNWAY_M = 2800;
const TOUCHDOWN_M = 300;
const TAXI_RADIUS_M = 45;
const TAXI_ACCELERATION_M = 60;
/** One aircraft in so many flies an emergency, with each leg another one: in a fleet of 500 there is nearly always one to see. */
const EMERGENCY_AIRCRAFT = 125;
const emergencies: readonly (readonly [code: number, squawk: number])[] = [
  [1, 7700],
  [1, 7700],
  [4, 7600],
  [2, 0],
  [3, 0],
  [5, 7500],
];

/** Plans legs of the aircraft of one network and seed. Has its own working memory. */
export class LegPlanner {
  private readonly network: Network;
  private readonly seed: number;
  private readonly random = new Random(0);
  private readonly path = new Path();
  private readonly profile = new Profile();
  private readonly vertical = emptyPlan();
  private readonly position = vector();
  private readonly direction = vector();
  private readonly gate = vector();
  private readonly gateDirection = vector();
  private readonly threshold = vector();
  private readonly thresholdDirection = vector();
  private readonly taxiFrom = vector();
  private readonly taxiDirection = vector();

  constructor(network: Network, seed: number) {
    this.network = network;
    this.seed = seed;
  }

  /** The destination of a leg by its number; the base for odd legs. Also seeds `random` for the rest of the plan. */
  private routeOf(flyer: Flyer, number: number, leg: Leg): void {
    this.random.reseed(this.seed, flyer.index, number >> 1);
    const choices = flyer.aircraftClass.flight === FLIGHT_ROUTE ? this.network.destinations(flyer.aircraftClass, flyer.base) : [];
    let away = flyer.base;
    if (choices.length > 0) {
      const one = this.random.pick(choices);
      const other = this.random.pick(choices);
      // The nearer of two: short flights are more frequent.
      away = this.network.distanceNm(flyer.base, one) < this.network.distanceNm(flyer.base, other) ? one : other;
    }
    leg.origin = (number & 1) === 0 ? flyer.base : away;
    leg.destination = (number & 1) === 0 ? away : flyer.base;
  }

  /** Approximate duration of a leg, s, without planning it. */
  durationEstimateS(flyer: Flyer, number: number, scratch: Leg): number {
    this.routeOf(flyer, number, scratch);
    if (scratch.origin === scratch.destination) return 3000;
    return 2400 + (this.network.distanceNm(scratch.origin, scratch.destination) / Math.max(150, flyer.aircraftClass.cruiseTasKt)) * 3600;
  }

  /** Plans leg `number` of an aircraft into `leg`, overwriting it. */
  plan(flyer: Flyer, number: number, leg: Leg): void {
    const { random } = this;
    this.routeOf(flyer, number, leg);
    random.reseed(this.seed ^ 0x5eed, flyer.index, number);
    leg.number = number;
    leg.tag = random.bits() >>> 0;
    leg.pieces.clear();
    if (flyer.aircraftClass.flight === FLIGHT_VEHICLE) this.planDrive(flyer, leg);
    else this.planFlight(flyer, leg);
    leg.emergency = 0;
    if ((flyer.index + number) % EMERGENCY_AIRCRAFT === 0 && flyer.aircraftClass.flight !== FLIGHT_VEHICLE) {
      const [code, squawk] = random.pick(emergencies);
      leg.emergency = code;
      leg.emergencySquawk = squawk;
      leg.emergencyFromS = leg.pieces.durationS * random.between(0.15, 0.3);
      leg.emergencyToS = leg.pieces.durationS * random.between(0.8, 0.95);
    }
  }

  private planFlight(flyer: Flyer, leg: Leg): void {
    const { network, random, path, profile, vertical, position, direction } = this;
    const { aircraftClass } = flyer;
    const { pieces } = leg;
    const originFt = network.airports[leg.origin]!.elevationFt;
    const destinationFt = network.airports[leg.destination]!.elevationFt;
    stand(network, this.seed, flyer.index, leg.origin, position, direction);
    path.start(position, direction);
    pieces.wait(path, random.between(300, 900), originFt, PHASE_PARKED);
    runwayStart(network, leg.origin, position, direction);
    this.taxi(pieces, position, direction, aircraftClass.taxiKt, originFt);
    pieces.wait(path, random.between(10, 80), originFt, PHASE_TAXI);
    this.airPath(flyer, leg);
    vertical.originFt = originFt;
    vertical.destinationFt = destinationFt;
    vertical.cruiseFt = this.cruiseAltitude(aircraftClass, leg);
    layProfile(path, aircraftClass, vertical, profile);
    leg.cruiseFt = vertical.cruiseFt;
    pieces.follow(path, profile);
    copyVector(path.position, position);
    copyVector(path.direction, direction);
    path.start(position, direction);
    stand(network, this.seed, flyer.index, leg.destination, position, direction);
    this.taxi(pieces, position, direction, aircraftClass.taxiKt, destinationFt);
  }

  /** From the start of the take-off roll to the end of the landing roll. Sets the marks of the vertical plan. */
  private airPath(flyer: Flyer, leg: Leg): void {
    const { network, random, path, vertical, position, direction, gate, gateDirection, threshold, thresholdDirection } = this;
    const { aircraftClass } = flyer;
    const radius = aircraftClass.turnRadiusM;
    vertical.liftOffM = aircraftClass.takeoffRollM;
    vertical.finalM = aircraftClass.finalNm * M_PER_NM;
    copyVector(path.position, position);
    copyVector(path.direction, direction);
    path.start(position, direction);
    path.straight(aircraftClass.takeoffRollM + radius);
    if (aircraftClass.flight !== FLIGHT_ROUTE) this.wander(network.positions[leg.origin]!, aircraftClass);
    runwayStart(network, leg.destination, threshold, thresholdDirection);
    copyVector(threshold, gate);
    copyVector(thresholdDirection, gateDirection);
    slide(gate, gateDirection, -vertical.finalM);
    const hold = aircraftClass.scheduled && random.chance(HOLD_SHARE) ? 1 + random.below(3) : 0;
    if (hold > 0) slide(gate, gateDirection, -HOLD_FROM_GATE_M);
    path.connect(gate, gateDirection, radius);
    for (let lap = 0; lap < hold; lap += 1) {
      for (let half = 0; half < 2; half += 1) {
        path.turn(RIGHT, Math.PI, radius);
        path.straight(HOLD_LEG_M);
      }
    }
    const finalM = vertical.finalM + (hold > 0 ? HOLD_FROM_GATE_M : 0);
    path.straight(finalM + TOUCHDOWN_M + aircraftClass.takeoffRollM);
    vertical.touchdownM = path.lengthM - aircraftClass.takeoffRollM;
  }

  /** Sightseeing around an airport: several positions, sometimes with full circles. */
  private wander(around: Vector, aircraftClass: AircraftClass): void {
    const { random, path, position, direction } = this;
    const stops = 2 + random.below(4);
    for (let i = 0; i < stops; i += 1) {
      const nm = random.between(aircraftClass.rangeNmMin, aircraftClass.rangeNmMax);
      destination(around, random.between(0, 360), nm * M_PER_NM, position);
      tangent(position, random.between(0, 360), direction);
      path.connect(position, direction, aircraftClass.turnRadiusM);
      if (random.chance(0.4)) path.turn(RIGHT, 2 * Math.PI * (1 + random.below(6)), aircraftClass.turnRadiusM);
    }
  }

  /** A vehicle drives around its airport and returns. */
  private planDrive(flyer: Flyer, leg: Leg): void {
    const { network, random, path, position, direction } = this;
    const elevationFt = network.airports[leg.origin]!.elevationFt;
    stand(network, this.seed, flyer.index, leg.origin, position, direction);
    path.start(position, direction);
    leg.cruiseFt = elevationFt;
    leg.pieces.wait(path, random.between(60, 400), elevationFt, PHASE_PARKED);
    for (let stop = 0; stop < 3; stop += 1) {
      destination(network.positions[leg.origin]!, random.between(0, 360), random.between(200, 1200), position);
      tangent(position, random.between(0, 360), direction);
      this.taxi(leg.pieces, position, direction, flyer.aircraftClass.taxiKt, elevationFt);
      leg.pieces.wait(path, random.between(20, 200), elevationFt, PHASE_TAXI);
    }
    stand(network, this.seed, flyer.index, leg.origin, position, direction);
    this.taxi(leg.pieces, position, direction, flyer.aircraftClass.taxiKt, elevationFt);
  }

  /** On the ground from the end of `path` to a position; `path` then contains that way. `to` and `towards` may be temporary vectors. */
  private taxi(pieces: Pieces, to: Vector, towards: Vector, speedKt: number, elevationFt: number): void {
    const { path, profile } = this;
    copyVector(path.position, this.taxiFrom);
    copyVector(path.direction, this.taxiDirection);
    path.start(this.taxiFrom, this.taxiDirection);
    path.connect(to, towards, TAXI_RADIUS_M);
    const speed = speedKt * MPS_PER_KT;
    const accelerationM = Math.min(TAXI_ACCELERATION_M, path.lengthM / 3);
    profile.clear();
    profile.knot(0, 0, elevationFt, PHASE_TAXI);
    profile.knot(accelerationM, speed, elevationFt, PHASE_TAXI);
    profile.knot(path.lengthM - accelerationM, speed, elevationFt, PHASE_TAXI);
    profile.knot(path.lengthM, 0, elevationFt, PHASE_TAXI);
    pieces.follow(path, profile);
  }

  /** Semicircular rule: odd thousands eastbound, even westbound; above FL410 every second of them. Local flights choose freely. */
  private cruiseAltitude(aircraftClass: AircraftClass, leg: Leg): number {
    const { network, random } = this;
    const wanted = random.between(aircraftClass.cruiseFtMin, aircraftClass.cruiseFtMax);
    const elevationFt = network.airports[leg.origin]!.elevationFt;
    if (aircraftClass.flight !== FLIGHT_ROUTE) return Math.round((elevationFt + wanted) / 100) * 100;
    const from = network.airports[leg.origin]!;
    const to = network.airports[leg.destination]!;
    const east = ((to.lonDeg - from.lonDeg + 540) % 360) - 180 >= 0;
    const thousands = Math.round(wanted / 1000);
    if (thousands > 41) return (east ? 45 + (thousands >= 48 ? 4 : 0) : 43 + (thousands >= 46 ? 4 : 0) + (thousands >= 50 ? 4 : 0)) * 1000;
    return (thousands % 2 === (east ? 1 : 0) ? thousands : thousands - 1) * 1000;
  }
}

/** Parking position of an aircraft at an airport; always the same. */
function stand(network: Network, seed: number, aircraft: number, airport: number, at: Vector, facing: Vector): void {
  const bits = mix(seed, aircraft, airport);
  const runway = network.runwaysDeg[airport]!;
  destination(network.positions[airport]!, runway + 90, 450 + (bits & 0xff) * 2, at);
  destination(at, runway, ((bits >>> 8) & 0xff) * 6 - 750, at);
  tangent(at, (bits >>> 16) % 360, facing);
}

/** The threshold and the direction of an airport's runway. */
function runwayStart(network: Network, airport: number, at: Vector, along: Vector): void {
  copyVector(network.positions[airport]!, at);
  tangent(at, network.runwaysDeg[airport]!, along);
  slide(at, along, -RUNWAY_M / 2);
}
