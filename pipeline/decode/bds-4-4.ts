// Comm-B register 4,4: meteorological routine air report. ICAO Doc 9871 table A-2-68.
//
//   MB bit   status  value
//    1-4             source: 0 invalid, 1 INS, 2 GNSS, 3 DME/DME, 4 VOR/DME, others reserved
//    5-23    5       wind: 6-14 speed, 1 kt; 15-23 direction it comes from, 180/256°
//   24-34            static air temperature, 0.25 °C, two's complement (bit 24 is the sign); no status bit
//   35-46    35      average static pressure, 1 hPa
//   47-49    47      turbulence: 0 nil, 1 light, 2 moderate, 3 severe
//   50-56    50      humidity, 100/64 %
//
// Few aircraft send it. A report without wind is not accepted: it looks like any register that is mostly zeros.

import { evidence, evidenceOfCodes, evidenceOfField, IMPOSSIBLE, signed } from './evidence.ts';
import { ABSENT, type CommB } from './message.ts';
import { pressureEvidence, TEMPERATURE_STEP_CENTI_C, temperatureEvidence } from './weather.ts';

const WIND_STATUS = 1 << 23;
/** In bits 29-56. */
const PRESSURE_STATUS = 1 << 21;
const TURBULENCE_STATUS = 1 << 9;
const HUMIDITY_STATUS = 1 << 6;

const DIRECTION_STEP_CENTIDEG = 18_000 / 256;
const HUMIDITY_STEP_DECI_PERCENT = 1000 / 64;

/** Reserved sources do not occur. */
const SOURCE_MAX = 4;
const SOURCE = evidence(1, SOURCE_MAX + 1, 16);
const WIND_PRESENT = evidence(1, 1, 2);
const WIND_SPEED = evidenceOfCodes(512, [
  [0, 100, 0.85],
  [0, 200, 0.14],
  [0, 250, 0.01],
]);
/** The temperature has one bit more than `temperatureEvidence` counts: the sign occurs twice. */
const SIGN_TWICE = evidence(1, 1, 2);
const PRESSURE_PRESENT = evidence(0.1, 1, 2);
const PRESSURE_ABSENT = evidence(0.9, 1, 4096);
const TURBULENCE = evidenceOfField(0.1, evidenceOfCodes(4, [[0, 3, 1]]));
const HUMIDITY = evidenceOfField(0.1, evidenceOfCodes(64, [[0, 63, 1]]));

const TURBULENCE_AND_HUMIDITY = Int16Array.from({ length: 1024 }, (_, bits) =>
  Math.max(IMPOSSIBLE, TURBULENCE[bits >> 7]! + HUMIDITY[bits & 0x7f]!),
);

/** Evidence that MB is register 4,4. `high` and `low` are its bits 1-28 and 29-56; `altitudeFt` is ABSENT when unknown. */
export function scoreRoutineReport(high: number, low: number, altitudeFt: number): number {
  if (high >> 24 > SOURCE_MAX || (high & WIND_STATUS) === 0) return IMPOSSIBLE;
  const score = TURBULENCE_AND_HUMIDITY[low & 0x3ff]! + scorePressure(low, altitudeFt);
  if (score < IMPOSSIBLE / 2) return IMPOSSIBLE;
  const ofWind = SOURCE + WIND_PRESENT + WIND_SPEED[(high >> 14) & 0x1ff]!;
  return Math.max(IMPOSSIBLE, score + ofWind + SIGN_TWICE + temperatureEvidence(temperatureSteps(high, low), altitudeFt));
}

function scorePressure(low: number, altitudeFt: number): number {
  const hpa = (low >> 10) & 0x7ff;
  if ((low & PRESSURE_STATUS) !== 0) return PRESSURE_PRESENT + pressureEvidence(hpa, altitudeFt);
  return hpa === 0 ? PRESSURE_ABSENT : IMPOSSIBLE;
}

function temperatureSteps(high: number, low: number): number {
  return signed(((high & 0x1f) << 6) | (low >> 22), 11);
}

export function decodeRoutineReport(high: number, low: number, out: CommB): void {
  out.windSpeedKt = (high >> 14) & 0x1ff;
  out.windDirectionCentideg = Math.round(((high >> 5) & 0x1ff) * DIRECTION_STEP_CENTIDEG);
  out.temperatureCentiC = temperatureSteps(high, low) * TEMPERATURE_STEP_CENTI_C;
  out.pressureHpa = low & PRESSURE_STATUS ? (low >> 10) & 0x7ff : ABSENT;
  out.turbulence = low & TURBULENCE_STATUS ? (low >> 7) & 3 : ABSENT;
  out.humidityDeciPercent = low & HUMIDITY_STATUS ? Math.round((low & 0x3f) * HUMIDITY_STEP_DECI_PERCENT) : ABSENT;
}
