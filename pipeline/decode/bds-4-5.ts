// Comm-B register 4,5: meteorological hazard report. ICAO Doc 9871 table A-2-69.
//
//   MB bit   status  value
//    1-3     1       turbulence: 0 nil, 1 light, 2 moderate, 3 severe
//    4-6     4       wind shear, likewise
//    7-9     7       microburst
//   10-12    10      icing
//   13-15    13      wake vortex
//   16-26    16      static air temperature, 0.25 °C, two's complement (bit 17 is the sign)
//   27-38    27      average static pressure, 1 hPa
//   39-51    39      radio height, 16 ft
//   52-56            reserved, 0
//
// Few aircraft send it. A report without temperature is not accepted: it looks like any register that is mostly zeros.

import { evidence, evidenceOfCodes, evidenceOfField, IMPOSSIBLE, signed } from './evidence.ts';
import { ABSENT, type CommB } from './message.ts';
import { pressureEvidence, TEMPERATURE_STEP_CENTI_C, temperatureEvidence } from './weather.ts';

const TEMPERATURE_STATUS = 1 << 12;
const PRESSURE_STATUS = 1 << 1;
/** In bits 29-56. */
const HEIGHT_STATUS = 1 << 17;
const RESERVED = 0x1f;

const HEIGHT_STEP_FT = 16;

const HAZARD = evidenceOfField(
  0.15,
  evidenceOfCodes(4, [
    [0, 0, 0.8],
    [1, 2, 0.17],
    [3, 3, 0.03],
  ]),
);
const TEMPERATURE_PRESENT = evidence(1, 1, 2);
const PRESSURE_PRESENT = evidence(0.3, 1, 2);
const PRESSURE_ABSENT = evidence(0.7, 1, 4096);
const HEIGHT = evidenceOfField(0.2, evidenceOfCodes(4096, [[0, 4095, 1]]));
const RESERVED_EVIDENCE = evidence(1, 1, 32);

/** Evidence that MB is register 4,5. `high` and `low` are its bits 1-28 and 29-56; `altitudeFt` is ABSENT when unknown. */
export function scoreHazardReport(high: number, low: number, altitudeFt: number): number {
  if ((high & TEMPERATURE_STATUS) === 0 || (low & RESERVED) !== 0) return IMPOSSIBLE;
  let score = RESERVED_EVIDENCE;
  for (let from = 25; from >= 13; from -= 3) score += HAZARD[(high >> from) & 7]!;
  score += HEIGHT[(low >> 5) & 0x1fff]! + scorePressure(high, low, altitudeFt);
  if (score < IMPOSSIBLE / 2) return IMPOSSIBLE;
  return Math.max(IMPOSSIBLE, score + TEMPERATURE_PRESENT + temperatureEvidence(signed(high >> 2, 10), altitudeFt));
}

function scorePressure(high: number, low: number, altitudeFt: number): number {
  const hpa = pressureHpa(high, low);
  if ((high & PRESSURE_STATUS) !== 0) return PRESSURE_PRESENT + pressureEvidence(hpa, altitudeFt);
  return hpa === 0 ? PRESSURE_ABSENT : IMPOSSIBLE;
}

function pressureHpa(high: number, low: number): number {
  return ((high & 1) << 10) | (low >> 18);
}

export function decodeHazardReport(high: number, low: number, out: CommB): void {
  out.turbulence = hazard(high, 25);
  out.windShear = hazard(high, 22);
  out.microburst = hazard(high, 19);
  out.icing = hazard(high, 16);
  out.wakeVortex = hazard(high, 13);
  out.temperatureCentiC = signed(high >> 2, 10) * TEMPERATURE_STEP_CENTI_C;
  out.pressureHpa = high & PRESSURE_STATUS ? pressureHpa(high, low) : ABSENT;
  out.radioHeightFt = low & HEIGHT_STATUS ? HEIGHT_STEP_FT * ((low >> 5) & 0xfff) : ABSENT;
}

function hazard(high: number, from: number): number {
  return high & (4 << from) ? (high >> from) & 3 : ABSENT;
}
