// The result of coding a number in a message: steps and ranges of the standards, written independently of decode/ and simulate/encode/.
// Results are what an ideal receiver shows.

/** Rounds to a number of decimals, without a negative zero. */
export function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale + 0;
}

/** The nearest whole number of steps. The sign is coded separately, so halves round away from zero. */
export function inSteps(value: number, step: number): number {
  return Math.sign(value) * Math.round(Math.abs(value) / step) * step + 0;
}

/** The same for two's complement: halves round up. */
export function inSignedSteps(value: number, step: number): number {
  return Math.round(value / step) * step + 0;
}

/** The nearest step of a direction, 0 ≤ d < 360. */
export function angleInSteps(deg: number, step: number): number {
  return rounded((Math.round(deg / step) * step + 360) % 360, 2) % 360;
}

/** Step of a pressure altitude: 25 ft from −1,000 to 50,175 ft; 100 ft above, or for an encoder without finer steps. */
export function altitudeStepFt(altitudeFt: number, hundreds: boolean): number {
  return hundreds || altitudeFt >= 50_187.5 ? 100 : 25;
}

export function codedAltitudeFt(altitudeFt: number, hundreds: boolean): number {
  const step = altitudeStepFt(altitudeFt, hundreds);
  const lowest = step === 25 ? -1000 : -1200;
  return Math.max(lowest, Math.round((altitudeFt - lowest) / step) * step + lowest);
}

/** Rows of the movement field: first code, start speed of its step, size of a step, kt. DO-260B table 2-17. */
const MOVEMENT = [
  [109, 100, 5],
  [94, 70, 2],
  [39, 15, 1],
  [13, 2, 0.5],
  [9, 1, 0.25],
] as const;
const MOVEMENT_V2 = [...MOVEMENT, [3, 0.125, 0.875 / 6], [2, 0, 0.125]] as const;
/** DO-260 §2.2.3.2.4.2. */
const MOVEMENT_V0 = [...MOVEMENT, [2, 0.125, 0.125]] as const;
const FASTEST = 124;

/** Movement code of a ground speed: a step includes its upper end. */
export function movementCode(speedKt: number, version: number): number {
  if (speedKt > 175) return FASTEST;
  for (const [code, fromKt, stepKt] of version >= 2 ? MOVEMENT_V2 : MOVEMENT_V0)
    if (speedKt > fromKt) return code + Math.ceil((speedKt - fromKt) / stepKt) - 1;
  return 1;
}

/** The middle and the width of a code's step, for a receiver that assumes this version. */
export function movementSpeed(code: number, version: number): { readonly kt: number; readonly stepKt: number } {
  if (code === FASTEST) return { kt: 180, stepKt: Number.POSITIVE_INFINITY };
  for (const [first, fromKt, stepKt] of version >= 2 ? MOVEMENT_V2 : MOVEMENT_V0)
    if (code >= first) return { kt: fromKt + (code - first + 0.5) * stepKt, stepKt };
  return { kt: 0, stepKt: version >= 2 ? 0 : 0.25 };
}

export type PositionForm = 'airborne' | 'surface' | 'coarse';

export interface CodedPosition {
  readonly latDeg: number;
  readonly lonDeg: number;
  /** Longitude zones at its latitude. */
  readonly zones: number;
  /** Maximum size of a step, m. */
  readonly stepM: number;
}

const BINS: Readonly<Record<PositionForm, number>> = { airborne: 2 ** 17, surface: 2 ** 19, coarse: 2 ** 12 };
const METRES_PER_DEG = (6_371_000 * Math.PI) / 180;

/** The position in a position message: compact position reporting rounds both coordinates. DO-260B §A.1.7. */
export function codedPosition(latDeg: number, lonDeg: number, odd: boolean, form: PositionForm): CodedPosition {
  const bins = BINS[form];
  const latStep = 360 / (odd ? 59 : 60) / bins;
  const lat = Math.floor(latDeg / latStep + 0.5) * latStep;
  const zones = zonesAt(lat);
  const lonStep = 360 / Math.max(1, zones - (odd ? 1 : 0)) / bins;
  const lon = Math.floor(lonDeg / lonStep + 0.5) * lonStep;
  const stepM = METRES_PER_DEG * Math.hypot(latStep, lonStep * Math.cos((lat * Math.PI) / 180));
  return { latDeg: rounded(lat, 6), lonDeg: rounded(lon - 360 * Math.floor((lon + 180) / 360), 6), zones, stepM };
}

/** Number of longitude zones: the formula of DO-260B §A.1.7.2 d, without a table. */
export function zonesAt(latDeg: number): number {
  const lat = Math.abs(latDeg);
  if (lat > 87) return 1;
  if (lat === 87) return 2;
  const a = 1 - Math.cos(Math.PI / 30);
  const cos = Math.cos((lat * Math.PI) / 180);
  return Math.floor((2 * Math.PI) / Math.acos(1 - a / (cos * cos)));
}

/** Metres between positions in degrees, on the sphere. */
export function metresApart(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const rad = Math.PI / 180;
  const a = Math.sin(((lat2 - lat1) * rad) / 2) ** 2;
  const b = Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lon2 - lon1) * rad) / 2) ** 2;
  return 2 * 6_371_000 * Math.asin(Math.min(1, Math.sqrt(a + b)));
}

/** Initial bearing, degrees true. */
export function bearingDeg(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const rad = Math.PI / 180;
  const east = Math.sin((lon2 - lon1) * rad) * Math.cos(lat2 * rad);
  const north = Math.cos(lat1 * rad) * Math.sin(lat2 * rad) - Math.sin(lat1 * rad) * Math.cos(lat2 * rad) * Math.cos((lon2 - lon1) * rad);
  return (Math.atan2(east, north) / rad + 360) % 360;
}

/** Smallest angle between two directions. */
export function degreesApart(a: number, b: number): number {
  const apart = Math.abs(a - b) % 360;
  return Math.min(apart, 360 - apart);
}
