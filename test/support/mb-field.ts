// MB fields of Comm-B replies from bit groups, for tests.

/** The two halves, 28 bits each, of the field whose groups are given as value, width, value, width …; negative values in two's complement. */
export function mbHalves(...groups: readonly number[]): [high: number, low: number] {
  let bits = '';
  for (let i = 0; i < groups.length; i += 2) {
    const width = groups[i + 1]!;
    bits += (groups[i]! & (2 ** width - 1)).toString(2).padStart(width, '0');
  }
  if (bits.length !== 56) throw new Error(`${bits.length} bits instead of 56`);
  return [Number.parseInt(bits.slice(0, 28), 2), Number.parseInt(bits.slice(28), 2)];
}

/** The 28 hex digits of a reply with this field; parity is left 0. Without a header: DF 21, squawk 0400. */
export function mbFrame([high, low]: readonly [high: number, low: number], header = 'a8000800'): string {
  return `${header}${high.toString(16).padStart(7, '0')}${low.toString(16).padStart(7, '0')}000000`;
}

/** An aircraft's motion, as in registers 5,0 and 6,0. */
export interface Motion {
  rollDeg: number;
  trackDeg: number;
  groundSpeedKt: number;
  trackRateDegPerS: number;
  tasKt: number;
  magHeadingDeg: number;
  iasKt: number;
  mach: number;
  baroRateFpm: number;
  geomRateFpm: number;
}

/** Register 5,0 of a motion. */
export function trackAndTurn(motion: Motion): [high: number, low: number] {
  const [roll, track] = [Math.round((motion.rollDeg * 256) / 45), Math.round((motion.trackDeg * 512) / 90)];
  const [speed, rate, tas] = [Math.round(motion.groundSpeedKt / 2), Math.round(motion.trackRateDegPerS * 32), Math.round(motion.tasKt / 2)];
  return mbHalves(1, 1, roll, 10, 1, 1, track, 11, 1, 1, speed, 10, 1, 1, rate, 10, 1, 1, tas, 10);
}

/** Register 6,0 of a motion. */
export function headingAndSpeed(motion: Motion): [high: number, low: number] {
  const [heading, ias, mach] = [Math.round((motion.magHeadingDeg * 512) / 90), Math.round(motion.iasKt), Math.round(motion.mach / 0.004)];
  const [baro, inertial] = [Math.round(motion.baroRateFpm / 32), Math.round(motion.geomRateFpm / 32)];
  return mbHalves(1, 1, heading, 11, 1, 1, ias, 10, 1, 1, mach, 10, 1, 1, baro, 10, 1, 1, inertial, 10);
}

/** True airspeed and indicated airspeed, kt, of a Mach number at an altitude of the standard atmosphere. */
export function airspeeds(mach: number, altitudeFt: number): { tasKt: number; iasKt: number } {
  const temperature = Math.max(216.65, 288.15 - 0.0019812 * altitudeFt);
  const pressure = altitudeFt < 36_089 ? (1 - 6.8756e-6 * altitudeFt) ** 5.2559 : 0.22336 * Math.exp((36_089 - altitudeFt) / 20_806);
  const impact = pressure * ((1 + 0.2 * mach ** 2) ** 3.5 - 1);
  return { tasKt: mach * 661.47 * Math.sqrt(temperature / 288.15), iasKt: 661.47 * Math.sqrt(5 * ((impact + 1) ** (2 / 7) - 1)) };
}
