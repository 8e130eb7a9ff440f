// Classes of aircraft: speeds, altitudes, climb and descent, turn radii, share of the fleet.

/** Layout of a flight: from airport to airport. */
export const FLIGHT_ROUTE = 0;
/** Around the base and back to it. */
export const FLIGHT_LOCAL = 1;
/** Around the airport on the ground. */
export const FLIGHT_VEHICLE = 2;

export interface ClimbStage {
  /** Up to this altitude. Stages below the airport are skipped. */
  readonly altitudeFt: number;
  /** Indicated airspeed at the top of the stage. */
  readonly iasKt: number;
  readonly climbFpm: number;
  readonly descentFpm: number;
}

export interface AircraftClass {
  readonly name: string;
  /** ADS-B emitter category, 0xA1 … */
  readonly category: number;
  /** Relative share of the fleet. */
  readonly share: number;
  readonly flight: number;
  /** True: an operator's call sign; false: a registration. */
  readonly scheduled: boolean;
  readonly rangeNmMin: number;
  readonly rangeNmMax: number;
  /** Range of cruise altitudes (route flights: flight levels by direction). */
  readonly cruiseFtMin: number;
  readonly cruiseFtMax: number;
  readonly cruiseTasKt: number;
  readonly rotateKt: number;
  readonly approachKt: number;
  readonly stages: readonly ClimbStage[];
  readonly turnRadiusM: number;
  readonly takeoffRollM: number;
  /** Distance of the final approach. */
  readonly finalNm: number;
  readonly taxiKt: number;
}

const jetStages: readonly ClimbStage[] = [
  { altitudeFt: 3000, iasKt: 200, climbFpm: 2600, descentFpm: 900 },
  { altitudeFt: 10_000, iasKt: 250, climbFpm: 2400, descentFpm: 1500 },
  { altitudeFt: 24_000, iasKt: 290, climbFpm: 2000, descentFpm: 2200 },
  { altitudeFt: 60_000, iasKt: 280, climbFpm: 1300, descentFpm: 1800 },
];
const propStages: readonly ClimbStage[] = [
  { altitudeFt: 10_000, iasKt: 170, climbFpm: 1400, descentFpm: 1200 },
  { altitudeFt: 60_000, iasKt: 190, climbFpm: 900, descentFpm: 1500 },
];
const lightStages: readonly ClimbStage[] = [{ altitudeFt: 60_000, iasKt: 95, climbFpm: 600, descentFpm: 500 }];

const jet = {
  flight: FLIGHT_ROUTE,
  scheduled: true,
  stages: jetStages,
  turnRadiusM: 4200,
  takeoffRollM: 1700,
  finalNm: 10,
  taxiKt: 18,
};
const light = {
  flight: FLIGHT_LOCAL,
  scheduled: false,
  rangeNmMin: 4,
  rangeNmMax: 22,
  stages: lightStages,
  turnRadiusM: 700,
  takeoffRollM: 400,
  finalNm: 2,
  taxiKt: 10,
};

export const aircraftClasses: readonly AircraftClass[] = [
  {
    ...jet,
    ...{ name: 'medium jet', category: 0xa3, share: 500, rangeNmMin: 150, rangeNmMax: 1700, cruiseFtMin: 31_000, cruiseFtMax: 39_000 },
    ...{ cruiseTasKt: 450, rotateKt: 145, approachKt: 137 },
  },
  {
    ...jet,
    ...{ name: 'heavy jet', category: 0xa5, share: 110, rangeNmMin: 600, rangeNmMax: 4500, cruiseFtMin: 32_000, cruiseFtMax: 41_000 },
    ...{ cruiseTasKt: 484, rotateKt: 160, approachKt: 145, turnRadiusM: 5200, takeoffRollM: 2200, finalNm: 12 },
  },
  {
    ...jet,
    ...{ name: 'high-vortex jet', category: 0xa4, share: 20, rangeNmMin: 400, rangeNmMax: 2500, cruiseFtMin: 32_000, cruiseFtMax: 39_000 },
    ...{ cruiseTasKt: 460, rotateKt: 145, approachKt: 135 },
  },
  {
    ...jet,
    ...{ name: 'regional jet', category: 0xa2, share: 90, rangeNmMin: 100, rangeNmMax: 700, cruiseFtMin: 26_000, cruiseFtMax: 37_000 },
    ...{ cruiseTasKt: 430, rotateKt: 135, approachKt: 130 },
  },
  {
    ...jet,
    ...{ name: 'turboprop', category: 0xa2, share: 50, rangeNmMin: 60, rangeNmMax: 400, cruiseFtMin: 16_000, cruiseFtMax: 25_000 },
    ...{ cruiseTasKt: 275, rotateKt: 110, approachKt: 112, stages: propStages, turnRadiusM: 2500, takeoffRollM: 1100 },
  },
  {
    ...jet,
    ...{ name: 'business jet', category: 0xa2, share: 60, rangeNmMin: 150, rangeNmMax: 2500, cruiseFtMin: 38_000, cruiseFtMax: 51_000 },
    ...{ cruiseTasKt: 455, rotateKt: 120, approachKt: 118, scheduled: false, takeoffRollM: 1200 },
  },
  {
    ...jet,
    ...{ name: 'fast jet', category: 0xa6, share: 4, rangeNmMin: 100, rangeNmMax: 500, cruiseFtMin: 20_000, cruiseFtMax: 40_000 },
    ...{ cruiseTasKt: 520, rotateKt: 155, approachKt: 150, turnRadiusM: 5200, takeoffRollM: 900 },
  },
  {
    ...light,
    name: 'light aircraft',
    category: 0xa1,
    share: 100,
    cruiseFtMin: 1500,
    cruiseFtMax: 6500,
    cruiseTasKt: 112,
    rotateKt: 60,
    approachKt: 65,
  },
  {
    ...light,
    ...{
      name: 'rotorcraft',
      category: 0xa7,
      share: 25,
      cruiseFtMin: 700,
      cruiseFtMax: 2000,
      cruiseTasKt: 125,
      rotateKt: 40,
      approachKt: 45,
    },
    ...{ rangeNmMax: 14, turnRadiusM: 500, takeoffRollM: 150, finalNm: 1 },
  },
  {
    ...light,
    ...{ name: 'glider', category: 0xb1, share: 7, cruiseFtMin: 3000, cruiseFtMax: 7000, cruiseTasKt: 62, rotateKt: 45, approachKt: 55 },
    ...{ rangeNmMax: 12, turnRadiusM: 180, takeoffRollM: 300 },
  },
  {
    ...light,
    ...{
      name: 'ultralight',
      category: 0xb4,
      share: 5,
      cruiseFtMin: 1000,
      cruiseFtMax: 2500,
      cruiseTasKt: 68,
      rotateKt: 38,
      approachKt: 45,
    },
    ...{ rangeNmMax: 10, turnRadiusM: 400, takeoffRollM: 200, finalNm: 1 },
  },
  {
    ...light,
    ...{ name: 'drone', category: 0xb6, share: 2, cruiseFtMin: 1200, cruiseFtMax: 4000, cruiseTasKt: 70, rotateKt: 40, approachKt: 45 },
    ...{ rangeNmMax: 10, turnRadiusM: 400, takeoffRollM: 200, finalNm: 1 },
  },
  {
    ...light,
    ...{ name: 'emergency vehicle', category: 0xc1, share: 6, flight: FLIGHT_VEHICLE, cruiseFtMin: 0, cruiseFtMax: 0, cruiseTasKt: 0 },
    ...{ rotateKt: 0, approachKt: 0, taxiKt: 28, turnRadiusM: 25 },
  },
  {
    ...light,
    ...{ name: 'service vehicle', category: 0xc2, share: 14, flight: FLIGHT_VEHICLE, cruiseFtMin: 0, cruiseFtMax: 0, cruiseTasKt: 0 },
    ...{ rotateKt: 0, approachKt: 0, taxiKt: 20, turnRadiusM: 25 },
  },
];
